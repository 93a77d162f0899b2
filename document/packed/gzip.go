package packed

import (
	"bufio"
	"bytes"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
)

// members reads what gzip packed, member after member. Behind a member that is
// damaged or cut off, it goes on with the next, after it has said so once.
type members struct {
	tail    *tail
	from    *bufio.Reader // of tail
	z       *gzip.Reader
	name    string // of the file, as the first member says
	start   int64  // where the member starts
	bad     int    // members so far that were damaged
	between bool   // there is something before the next one that was not told
	told    bool   // that something is damaged, since the last member that could be started
	cut     bool   // something was left out: what follows is on a line of its own
}

func newMembers(r io.Reader) *members {
	m := &members{tail: &tail{from: r}}
	m.from = bufio.NewReaderSize(m.tail, 1<<20)
	return m
}

// maxBad is how many damaged members are passed over. In a file with more, the
// ends of so many are looked for in vain that it would take too long.
const maxBad = 1000

// Read implements [io.Reader]. An error wrapping ErrPart is followed by what
// the next member has.
func (m *members) Read(p []byte) (int, error) {
	if m.z == nil {
		if err := m.next(); err != nil {
			return 0, err
		}
	}
	if m.cut && len(p) > 0 {
		m.cut, p[0] = false, '\n'
		return 1, nil
	}
	n, err := m.z.Read(p)
	switch {
	case err == io.EOF:
		m.z = nil
		return n, nil
	case err != nil && m.bad < maxBad:
		m.again()
		m.told = true
		return n, fmt.Errorf("%w: %w", ErrPart, err)
	}
	return n, err
}

// again goes back to just after the start of a damaged member: decoding may have run into
// the next ones before it noticed.
func (m *members) again() {
	m.z, m.cut, m.bad = nil, true, m.bad+1
	m.tail.back(m.start + 1)
	m.from.Reset(m.tail)
}

// errBetween says that there is something between two members, or after the last.
var errBetween = fmt.Errorf("%w: what is there is no gzip", ErrPart)

// next starts the next member that can be started. What is before it is told, but for zeros, with
// which some programs fill up.
func (m *members) next() error {
	for {
		head, err := m.from.Peek(3)
		switch {
		case len(head) < 3 && err != nil && err != io.EOF:
			return err
		case len(head) < 3 && (m.between || len(bytes.Trim(head, "\x00")) > 0 && !m.told):
			m.between = false
			_, _ = m.from.Discard(len(head)) // it was peeked at
			return errBetween
		case len(head) < 3:
			return io.EOF
		case !bytes.Equal(head, []byte("\x1f\x8b\x08")):
			m.between = m.between || head[0] != 0 && !m.told
			_, _ = m.from.Discard(1)
			continue
		case m.between:
			m.between, m.cut = false, true
			return errBetween
		}
		m.start = m.tail.at() - int64(m.from.Buffered())
		z, err := gzip.NewReader(m.from)
		if err == nil {
			z.Multistream(false)
			m.z, m.told = z, false
			if m.start == 0 {
				m.name = z.Name
			}
			return nil
		}
		m.again()
		m.between = !m.told
	}
}

// A tail is a reader that can go back by some megabytes.
type tail struct {
	from  io.Reader
	kept  []byte // what was read last
	again int    // of its end, is to be read again
	read  int64  // bytes from the start of the file to the end of kept
}

// tailSize is how far back a tail can go at least, in bytes.
const tailSize = 8 << 20

// Read implements [io.Reader].
func (t *tail) Read(p []byte) (int, error) {
	if t.again > 0 {
		n := copy(p, t.kept[len(t.kept)-t.again:])
		t.again -= n
		return n, nil
	}
	n, err := t.from.Read(p)
	if len(t.kept)+n > 2*tailSize {
		t.kept = append(t.kept[:0], t.kept[len(t.kept)-tailSize:]...)
	}
	t.kept = append(t.kept, p[:n]...)
	t.read += int64(n)
	return n, err
}

// at returns where the next byte is in the file.
func (t *tail) at() int64 { return t.read - int64(t.again) }

// back goes to a place in the file, or as near to it as it can.
func (t *tail) back(to int64) { t.again = int(min(t.read-to, int64(len(t.kept)))) }

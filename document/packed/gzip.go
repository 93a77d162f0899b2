package packed

import (
	"bufio"
	"bytes"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"

	"github.com/otisk/otisk/lang/phrase"
)

// members decompresses the members of a gzip file one after another. After a damaged or
// truncated member, it reports one error and continues with the next member.
type members struct {
	tail    *tail
	from    *bufio.Reader // of tail
	z       *gzip.Reader
	name    string // original file name in the first member
	start   int64  // offset of the current member in the file
	bad     int    // damaged members so far
	between bool   // bytes that are no member were skipped and not yet reported
	told    bool   // an error was reported since the last valid member header
	cut     bool   // content is missing: a line end is inserted before the next content
}

func newMembers(r io.Reader) *members {
	m := &members{tail: &tail{from: r}}
	m.from = bufio.NewReaderSize(m.tail, 1<<20)
	return m
}

// maxBad limits the number of damaged members that are skipped, because the search for the
// end of each takes time.
const maxBad = 1000

// Read implements [io.Reader]. After an error wrapping [ErrPart], it continues with the next
// member.
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

// again returns to just after the start of a damaged member, since the decoder may have
// consumed the next members before it detected the damage.
func (m *members) again() {
	m.z, m.cut, m.bad = nil, true, m.bad+1
	m.tail.back(m.start + 1)
	m.from.Reset(m.tail)
}

// errBetween reports bytes between two members, or after the last one.
var errBetween = fmt.Errorf("%w: %w", ErrPart, phrase.Error("cause.gzip-between", "bytes between gzip members are not gzip"))

// next starts the next member with a valid header. It reports bytes that it skips, except for
// zeros, which some programs write as padding.
func (m *members) next() error {
	for {
		head, err := m.from.Peek(3)
		switch {
		case len(head) < 3 && err != nil && err != io.EOF:
			return err
		case len(head) < 3 && (m.between || len(bytes.Trim(head, "\x00")) > 0 && !m.told):
			m.between = false
			_, _ = m.from.Discard(len(head)) // cannot fail after Peek
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

// A tail is a reader that can seek backwards by at least tailSize.
type tail struct {
	from  io.Reader
	kept  []byte // the bytes read last
	again int    // number of bytes at the end of kept that are read again
	read  int64  // offset of the end of kept in the file
}

// tailSize is how far back a tail can seek at least, in bytes.
const tailSize = 8 << 20

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

func (t *tail) at() int64 { return t.read - int64(t.again) }

// back seeks to an offset in the file, or as near to it as possible.
func (t *tail) back(to int64) { t.again = int(min(t.read-to, int64(len(t.kept)))) }

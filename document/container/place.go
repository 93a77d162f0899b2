package container

import (
	"bufio"
	"errors"
	"io"

	"github.com/otisk/otisk/document/packed"
)

// A Place is where reading a container can go on: after some of its records.
type Place struct {
	Packed int64 `json:"packed,omitempty"` // byte of the file where what is packed by itself starts
	Skip   int64 `json:"skip,omitempty"`   // bytes of what it unpacks to, to be passed over
	Count  int   `json:"count,omitempty"`  // lines or records before, as they are counted
}

// HasPlaces reports whether records of the container have places to go on from. Those
// of others are gone through from the start.
func (s *Stream) HasPlaces() bool {
	return s.Kind == WARC || s.Kind == MediaWiki || s.Kind == JSONLines
}

// A tracker reads what a file unpacks to, and knows where in the file that is.
type tracker struct {
	from   *packed.Reader
	base   int64 // of the file, where reading it began
	read   int64 // bytes so far
	broken bool  // something was left out: what follows is nowhere for certain
	parts  []partStart
}

// A partStart is the start of what is packed by itself.
type partStart struct{ packed, unpacked int64 }

// Read implements [io.Reader].
func (t *tracker) Read(p []byte) (int, error) {
	n, err := t.from.Read(p)
	t.broken = t.broken || err != nil && err != io.EOF
	if n > 0 && t.from.Packed() {
		if at := t.base + t.from.Part(); len(t.parts) == 0 || t.parts[len(t.parts)-1].packed != at {
			t.parts = append(t.parts, partStart{at, t.read})
		}
	}
	t.read += int64(n)
	return n, err
}

// place returns the place of a byte that was read, the latest so far.
func (t *tracker) place(at int64) Place {
	if !t.from.Packed() {
		return Place{Packed: t.base + at}
	}
	for len(t.parts) > 1 && t.parts[1].unpacked <= at {
		t.parts = t.parts[1:]
	}
	if len(t.parts) == 0 {
		return Place{Packed: t.base, Skip: at}
	}
	return Place{Packed: t.parts[0].packed, Skip: at - t.parts[0].unpacked}
}

// place returns where reading can go on after what was read so far; nil where that cannot
// be said.
func (r *reader) place() *Place {
	s := r.stream
	if !s.HasPlaces() || s.track.broken || r.from != s.plain || r.unended {
		return nil
	}
	p := s.track.place(s.track.read - int64(s.plain.Buffered()) - s.start.left())
	p.Count = r.count
	return &p
}

// left returns how many bytes were looked at and not read.
func (s *start) left() int64 { return int64(len(s.head) - s.at) }

// errNoSeek says that a container is no file.
var errNoSeek = errors.New("reading cannot go on in what is no file")

// GoOn has [Stream.Each] begin after the records before a place, which the same
// file had when it was read as far as there.
func (s *Stream) GoOn(at Place) error {
	file, ok := s.file.(io.Seeker)
	if !ok || !s.HasPlaces() {
		return errNoSeek
	}
	if s.Kind == MediaWiki {
		var err error
		if s.wiki, err = wikiHead(s.plain); err != nil {
			return err
		}
	}
	s.Close()
	s.close = func() {}
	if _, err := file.Seek(at.Packed, io.SeekStart); err != nil {
		return err
	}
	from, err := s.unpack(s.file)
	if err != nil {
		return err
	}
	from.base = at.Packed
	s.start = &start{rest: from}
	s.plain = bufio.NewReaderSize(s.start, 1<<20)
	s.count = at.Count
	_, err = io.CopyN(io.Discard, s.plain, at.Skip)
	return err
}

package container

import (
	"bufio"
	"io"

	"github.com/otisk/otisk/document/packed"
	"github.com/otisk/otisk/lang/phrase"
)

// A Place is a position between two records of a container where reading can resume.
type Place struct {
	Packed int64 `json:"packed,omitempty"` // offset in the file of a gzip member, bzip2 stream or the like that can be decompressed independently
	Skip   int64 `json:"skip,omitempty"`   // bytes of its decompressed content to skip
	Count  int   `json:"count,omitempty"`  // lines or records before the place
}

// HasPlaces reports whether reading this kind of container can resume in the middle.
// Other kinds are read from the start.
func (s *Stream) HasPlaces() bool {
	return s.Kind == WARC || s.Kind == ARC || s.Kind == MediaWiki || s.Kind == JSONLines
}

// A tracker reads decompressed content and maps its offsets to offsets of the file.
type tracker struct {
	from   *packed.Reader
	base   int64 // offset in the file where reading began
	read   int64 // decompressed bytes so far
	broken bool  // content is missing, so later offsets are unknown
	parts  []partStart
}

// A partStart maps the start of a part that can be decompressed independently to its
// offset in the decompressed content.
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

// place returns the place of decompressed byte at, which must not be before that of an
// earlier call.
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

// place returns where reading can resume after the records so far; nil if unknown.
func (r *reader) place() *Place {
	s := r.stream
	if !s.HasPlaces() || s.track.broken || r.from != s.plain || r.unended {
		return nil
	}
	p := s.track.place(s.track.read - int64(s.plain.Buffered()) - s.start.left())
	p.Count = r.count
	return &p
}

// left returns how many bytes were read ahead and not consumed.
func (s *start) left() int64 { return int64(len(s.head) - s.at) }

var errNoSeek error = phrase.Error("cause.no-seek", "reading cannot resume: the container is not a file with random access")

// GoOn makes [Stream.Each] start at a place of an earlier reading of the same file.
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

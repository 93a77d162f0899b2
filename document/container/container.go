// Package container reads files that hold many documents, of any size, as
// streams: archives of the web (WARC), dumps of MediaWiki, JSON Lines, tables,
// boxes of mail, and tar archives, each also packed by gzip, bzip2, xz or zstd; and
// archives of 7-Zip.
//
// No more than one record is held at a time, which is bounded by
// [Options.MaxBytes]. What is wrong with one record is given in its place, and
// reading goes on after it.
package container

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/otisk/otisk/document/archive"
	"github.com/otisk/otisk/document/archive/sevenzip"
	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/document/packed"
)

// A Kind is a format of containers.
type Kind string

// The kinds of containers.
const (
	WARC      Kind = "warc"
	MediaWiki Kind = "mediawiki"
	JSONLines Kind = "jsonl"
	Table     Kind = "table"
	Tar       Kind = "tar"
	Mbox      Kind = "mbox"
	SevenZip  Kind = "7z"
)

// A Record is one document of a container.
type Record struct {
	Name    string    // that the container gives it; "" for none
	Ext     string    // file type, by which Data is read; "" where content decides
	ModTime time.Time // zero where the container says nothing
	Data    []byte    // as it is in the container; who is given the record may keep it
	Address string    // where it was found: a URL
	Title   string
	Author  string
	Year    int
	Labels  map[string]string // what else the container says of it, by names in lower case
	Note    string            // why Data is only the beginning of it; "" where it is whole

	// Text makes the text of Data where that is no file of its own; nil where
	// it is one.
	Text func(ctx context.Context, data []byte) (*format.Text, error)

	After *Place // where reading can go on after it; nil where that cannot be said
}

// Options say how containers are read.
type Options struct {
	MaxBytes int64         // that a record may have
	Time     time.Duration // that unpacking a member of an archive may take
	Field    string        // of a JSON line or column of a table, which has the text; "" for text
	ID       string        // likewise, which has its name; "" for id, or else url
	Encoding string        // of the characters of a table, in place of what is found out
	Workers  int           // that unpack at once, where that is possible; 0 for one a processor
}

// A Giver takes records one after another: a record, or why there is none,
// with what is known of it. Its error ends the reading.
type Giver func(Record, error) error

// extensions are those of names by which a container may be known, without
// that of what it is packed by.
var extensions = map[string]Kind{"warc": WARC, "wet": WARC, "wat": WARC, "jsonl": JSONLines, "ndjson": JSONLines, "xml": MediaWiki,
	"csv": Table, "tsv": Table, "tar": Tar, "tgz": Tar, "tbz": Tar, "tbz2": Tar, "txz": Tar, "tzst": Tar, "mbox": Mbox, "mbx": Mbox, "7z": SevenZip}

// MayBe reports whether the file of this name could be a container, so that it
// is worth a look.
func MayBe(name string) bool {
	return byName(name) != ""
}

// MayBeIn is MayBe for a file in memory: head is its start.
func MayBeIn(head []byte, name string) bool {
	return IsTable(name) || Find(head[:min(len(head), 1<<10)], name) != ""
}

// IsTable reports whether a file of this name should be a table.
func IsTable(name string) bool { return byName(name) == Table }

// byName returns the kind that a file of this name may be, "" for none.
func byName(name string) Kind {
	return extensions[extension(packed.Unpacked(name))]
}

func extension(name string) string {
	return strings.ToLower(strings.TrimPrefix(filepath.Ext(name), "."))
}

// headSize is how much of a file is looked at to know what it is, and sampleSize
// to know the encoding of a table, in bytes.
const (
	headSize   = 4 << 10
	sampleSize = 1 << 20
)

// Find returns what kind of container starts with head, which is unpacked, and
// has this name; "" for none.
func Find(head []byte, name string) Kind {
	head = bytes.TrimPrefix(head, format.BOM)
	switch {
	case bytes.HasPrefix(head, []byte(version)):
		return WARC
	case sevenzip.Is(head):
		return SevenZip
	case bytes.HasPrefix(bytes.TrimLeft(head, " \t\r\n"), []byte("<")):
		if bytes.Contains(head[:min(len(head), 1<<10)], []byte("<mediawiki")) {
			return MediaWiki
		}
		return ""
	}
	if byName(name) == JSONLines {
		return JSONLines
	}
	return ""
}

// A Stream is an open container.
type Stream struct {
	Kind Kind

	file     io.Reader
	track    *tracker      // of what file unpacks to
	start    *start        // reads track
	plain    *bufio.Reader // reads start
	wiki     *site         // of a dump in which reading goes on
	count    int           // records before where it does
	encoding string        // of a table, as it is there; plain has it in UTF-8
	sep      byte          // of a table, between its values
	whole    seeker        // an archive of 7-Zip, which is no stream: its list is at the end
	opts     Options
	close    func()
}

// A seeker is a file that can be read from anywhere.
type seeker interface {
	io.ReaderAt
	io.Seeker
}

// Open finds out what r is, a file of this name. It returns nil for what is no
// container, and an error for what cannot be unpacked.
func Open(ctx context.Context, r io.Reader, name string, opts Options) (*Stream, error) {
	s := &Stream{file: r, opts: opts, close: func() {}}
	if s.isSevenZip(r) {
		return s, nil
	}
	from, err := s.unpack(r)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", format.ErrDamaged, err)
	}
	size := headSize
	if byName(name) == Table {
		size = sampleSize
	}
	start := readStart(from, size)
	if len(start.head) == 0 && start.err != io.EOF {
		s.Close()
		return nil, fmt.Errorf("%w: %w", format.ErrDamaged, start.err)
	}
	s.start, s.plain = start, bufio.NewReaderSize(start, 1<<20)
	s.Kind = Find(start.head, name)
	if own := byName(name); s.Kind == "" && (own == Table && s.asTable(ctx, start, name) || own == Tar && archive.IsTar(start.head) || own == Mbox && bytes.HasPrefix(start.head, boxLine)) {
		s.Kind = own
	}
	if s.Kind == "" {
		s.Close()
		return nil, nil
	}
	return s, nil
}

// isSevenZip reports whether r is an archive of 7-Zip.
func (s *Stream) isSevenZip(r io.Reader) bool {
	whole, ok := r.(seeker)
	head := make([]byte, 8)
	if !ok {
		return false
	}
	if _, err := whole.ReadAt(head, 0); err != nil || !sevenzip.Is(head) {
		return false
	}
	s.Kind, s.whole = SevenZip, whole
	return true
}

// A start is what was read of a stream to know what it is, and reads all of it. So
// damage in what was looked at is told as any other.
type start struct {
	head []byte
	at   int   // in head
	err  error // after it; nil for none
	rest io.Reader
}

// readStart reads up to size bytes.
func readStart(from io.Reader, size int) *start {
	s := &start{head: make([]byte, size), rest: from}
	n := 0
	for n < size && s.err == nil {
		var more int
		more, s.err = from.Read(s.head[n:])
		n += more
	}
	s.head = s.head[:n]
	return s
}

// Read implements [io.Reader].
func (s *start) Read(p []byte) (n int, err error) {
	switch {
	case s.at < len(s.head):
		n = copy(p, s.head[s.at:])
		s.at += n
		return n, nil
	case s.err != nil:
		err, s.err = s.err, nil
		return 0, err
	}
	return s.rest.Read(p)
}

// Close releases what unpacking takes.
func (s *Stream) Close() { s.close() }

// unpack returns what reads the content of r, which may be packed.
func (s *Stream) unpack(r io.Reader) (*tracker, error) {
	from, err := packed.Open(r, s.opts.Workers)
	if err != nil {
		return nil, err
	}
	s.close, s.track = from.Close, &tracker{from: from}
	return s.track, nil
}

// Each gives every record of the container to give, in order.
func (s *Stream) Each(ctx context.Context, give Giver) error {
	r := &reader{ctx: ctx, stream: s, from: s.plain, opts: s.opts, encoding: s.encoding, sep: s.sep, wiki: s.wiki, count: s.count}
	r.give = func(rec Record, err error) error {
		rec.After = r.place()
		return give(rec, err)
	}
	switch s.Kind {
	case WARC:
		return r.warc()
	case MediaWiki:
		return r.mediawiki()
	case Table:
		return r.table()
	case Tar:
		return r.tar()
	case Mbox:
		return r.mbox()
	case SevenZip:
		return r.sevenZip(s.whole)
	}
	return r.lines()
}

// A reader reads one container.
type reader struct {
	ctx      context.Context
	stream   *Stream
	from     *bufio.Reader
	opts     Options
	encoding string // of a table
	sep      byte   // likewise
	give     Giver
	wiki     *site  // of a dump, once its head was read
	unended  bool   // what is given is about a record that goes on
	count    int    // records so far; of JSON Lines, lines
	lies     int    // of them, that said they were longer than they are
	headOnly string // what the last request of an archive of the web asked for without its content; "" for nothing
	bad      int    // lines since the last good one
	lastBad  error
}

// ended returns the error of a context that is over.
func (r *reader) ended() error {
	if r.ctx.Err() != nil {
		return context.Cause(r.ctx)
	}
	return nil
}

// tooLarge is the error of a record over the limit.
func (r *reader) tooLarge() error {
	return fmt.Errorf("%w: more than %d bytes", format.ErrTooLarge, r.opts.MaxBytes)
}

// lost returns why reading stopped where there should have been more.
func lost(err error) error {
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("%w: %w", format.ErrDamaged, err)
}

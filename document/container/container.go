// Package container reads files that hold many documents as streams, whatever
// their size: web archives (WARC, ARC), MediaWiki dumps, JSON Lines, tables, mailboxes
// and tar archives, uncompressed or compressed by gzip, bzip2, xz or zstd; and Parquet files and
// 7-Zip archives.
//
// Call [Open], then [Stream.Each]. At most one record is in memory at a time, and
// [Options.MaxBytes] limits its size. A damaged record is reported in its place;
// reading continues with the next record.
package container

import (
	"bufio"
	"bytes"
	"cmp"
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
	"github.com/otisk/otisk/lang/phrase"
)

// A Kind is a format of containers.
type Kind string

// The kinds of containers.
const (
	WARC      Kind = "warc"
	ARC       Kind = "arc" // the format of web archives before WARC
	MediaWiki Kind = "mediawiki"
	JSONLines Kind = "jsonl"
	Table     Kind = "table"
	Tar       Kind = "tar"
	Mbox      Kind = "mbox"
	SevenZip  Kind = "7z"
	Parquet   Kind = "parquet"
)

// A Record is one document of a container.
type Record struct {
	Name    string    // in the container; "" if it has none
	Ext     string    // file type that selects the reader of Data; "" if the content decides
	ModTime time.Time // zero if unknown
	Data    []byte    // as stored in the container; the receiver may keep it
	Address string    // URL where the document was found
	Title   string
	Author  string
	Year    int
	Labels  map[string]string // other metadata; names in lower case
	Note    *phrase.Phrase    // why Data is truncated; nil if it is complete

	unread format.Unread // fields that are neither the text nor labels

	// Text returns the text of Data, or nil if Data is a file in another format.
	Text func(ctx context.Context, data []byte) (*format.Text, error)

	After *Place // where reading can resume after the record; nil if unknown
}

// Options are the settings for reading a container.
type Options struct {
	MaxBytes int64                  // limit for the size of a record
	Time     time.Duration          // limit for unpacking one archive member; 0 for no limit
	Field    string                 // JSON field or table column that has the text; "" for "text"
	ID       string                 // JSON field or table column that has the name; "" for "id", or else "url"
	Encoding string                 // character encoding of a table; "" to detect it
	Skip     func(name string) bool // archive members to skip; nil for none
	Workers  int                    // goroutines that decompress in parallel where the format allows it; 0 for one a processor
}

// A Giver receives the records in order. For an unreadable record, it receives the
// error and a record with the fields read so far. If a Giver returns an error,
// reading ends with that error.
type Giver func(Record, error) error

// extensions maps file name extensions to the kind of container that a file may be.
// The extension of the compression is removed first.
var extensions = map[string]Kind{"warc": WARC, "wet": WARC, "wat": WARC, "arc": ARC, "jsonl": JSONLines, "ndjson": JSONLines, "xml": MediaWiki,
	"csv": Table, "tsv": Table, "tar": Tar, "tgz": Tar, "tbz": Tar, "tbz2": Tar, "txz": Tar, "tzst": Tar, "mbox": Mbox, "mbx": Mbox, "7z": SevenZip, "parquet": Parquet, "pq": Parquet}

// MayBe reports whether a file of this name may be a container, so that its content
// should be examined: one whose extension is that of a container or .json, or that is
// compressed and has no other extension.
func MayBe(name string) bool {
	inner := packed.Unpacked(name)
	return byName(name) != "" || isJSON(name) || inner != name && extension(inner) == ""
}

// isJSON reports whether the name is that of a JSON file, which may have lines of objects.
func isJSON(name string) bool { return extension(packed.Unpacked(name)) == "json" }

// MayBeIn is like [MayBe] for a file in memory that starts with head.
func MayBeIn(head []byte, name string) bool {
	return IsTable(name) || IsParquet(head) || isJSON(name) && bytes.HasPrefix(head, []byte("{")) || find(head[:min(len(head), 1<<10)], name, "") != ""
}

// IsTable reports whether the file name is that of a table.
func IsTable(name string) bool { return byName(name) == Table }

// byName returns the kind of container that the file name indicates, or "".
func byName(name string) Kind {
	return extensions[extension(packed.Unpacked(name))]
}

func extension(name string) string {
	return strings.ToLower(strings.TrimPrefix(filepath.Ext(name), "."))
}

const (
	headSize   = 4 << 10 // bytes read to detect the kind of a container
	jsonSize   = 1 << 16 // bytes read to detect JSON Lines
	sampleSize = 1 << 20 // bytes read to detect the encoding of a table
)

// find returns the kind of a container from its name and its first bytes, which are
// decompressed; "" if the file is not a container. field is the field of JSON with the text.
func find(head []byte, name, field string) Kind {
	head = bytes.TrimPrefix(head, format.BOM)
	switch {
	case bytes.HasPrefix(head, []byte(version)):
		return WARC
	case bytes.HasPrefix(head, []byte(arcStart)):
		return ARC
	case sevenzip.Is(head):
		return SevenZip
	case bytes.HasPrefix(bytes.TrimLeft(head, " \t\r\n"), []byte("<")):
		if bytes.Contains(head[:min(len(head), 1<<10)], []byte("<mediawiki")) {
			return MediaWiki
		}
		return ""
	}
	if byName(name) == JSONLines || isJSON(name) && LooksJSONLines(head, cmp.Or(field, "text")) {
		return JSONLines
	}
	return ""
}

// A Stream is an open container.
type Stream struct {
	Kind Kind

	file     io.Reader
	track    *tracker      // reads the decompressed content of file
	start    *start        // reads track
	plain    *bufio.Reader // reads start
	wiki     *site         // of a dump in which reading resumes
	count    int           // records before the place where reading resumes
	encoding string        // of a table in the file; plain returns UTF-8
	sep      byte          // separates the values of a table
	whole    seeker        // a 7-Zip archive or a Parquet file, which cannot be streamed: its directory is at the end
	opts     Options
	close    func()
	replay   func(context.Context, Giver) error // gives records that were read before; nil if there are none
}

// A Given record is one that a [Giver] received.
type Given struct {
	Record
	Err error
}

// Replay makes the stream give records that were read from it before, except archive members that skip
// returns true for, and then the error with which reading ended. skip is nil for none.
func (s *Stream) Replay(list []Given, skip func(name string) bool, end error) {
	s.replay = func(ctx context.Context, give Giver) error {
		for _, g := range list {
			if skip != nil && skip(g.Name) {
				continue
			}
			if err := give(g.Record, g.Err); err != nil {
				return err
			}
		}
		return cmp.Or(ctx.Err(), end)
	}
}

// A seeker is a file with random access.
type seeker interface {
	io.ReaderAt
	io.Seeker
}

// Open detects the kind of the container r, a file of this name. It returns nil if r
// is not a container, and an error wrapping [format.ErrDamaged] if r cannot be
// decompressed.
func Open(ctx context.Context, r io.Reader, name string, opts Options) (*Stream, error) {
	s := &Stream{file: r, opts: opts, close: func() {}}
	if s.isWhole(r) {
		return s, nil
	}
	from, err := s.unpack(r)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", format.ErrDamaged, err)
	}
	size := headSize
	switch {
	case byName(name) == Table:
		size = sampleSize
	case isJSON(name):
		size = jsonSize
	}
	start := readStart(from, size)
	if len(start.head) == 0 && start.err != io.EOF {
		s.Close()
		return nil, fmt.Errorf("%w: %w", format.ErrDamaged, start.err)
	}
	s.start, s.plain = start, bufio.NewReaderSize(start, 1<<20)
	s.Kind = find(start.head, name, opts.Field)
	if own := byName(name); s.Kind == "" && (own == Table && s.asTable(ctx, start, name) || own == Tar && archive.IsTar(start.head) || own == Mbox && bytes.HasPrefix(start.head, boxLine)) {
		s.Kind = own
	}
	if s.Kind == "" {
		s.Close()
		return nil, nil
	}
	return s, nil
}

// isWhole reports whether r is a 7-Zip archive or a Parquet file.
func (s *Stream) isWhole(r io.Reader) bool {
	whole, ok := r.(seeker)
	head := make([]byte, 8)
	if !ok {
		return false
	}
	if _, err := whole.ReadAt(head, 0); err != nil {
		return false
	}
	switch {
	case sevenzip.Is(head):
		s.Kind = SevenZip
	case IsParquet(head):
		s.Kind = Parquet
	default:
		return false
	}
	s.whole = whole
	return true
}

// A start returns the first bytes of a stream, which were read ahead to detect its kind,
// and then the rest. Damage within the first bytes is therefore reported like any
// other damage.
type start struct {
	head []byte
	at   int   // offset in head
	err  error // of the read that follows head; nil for none
	rest io.Reader
}

// readStart reads up to size bytes ahead.
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

// Close releases the resources of the decompression.
func (s *Stream) Close() { s.close() }

// unpack returns a reader of the content of r, decompressed if necessary.
func (s *Stream) unpack(r io.Reader) (*tracker, error) {
	from, err := packed.Open(r, s.opts.Workers)
	if err != nil {
		return nil, err
	}
	s.close, s.track = from.Close, &tracker{from: from}
	return s.track, nil
}

// Each calls give for every record of the container, in order.
func (s *Stream) Each(ctx context.Context, give Giver) error {
	if s.replay != nil {
		return s.replay(ctx, give)
	}
	r := &reader{ctx: ctx, stream: s, from: s.plain, opts: s.opts, encoding: s.encoding, sep: s.sep, wiki: s.wiki, count: s.count}
	r.give = func(rec Record, err error) error {
		rec.After = r.place()
		return give(rec, err)
	}
	switch s.Kind {
	case WARC:
		return r.warc()
	case ARC:
		return r.arc()
	case MediaWiki:
		return r.mediawiki()
	case Table:
		return r.table()
	case Tar:
		return archive.Tar(r.ctx, r.from, r.budget(), r.opts.Skip, r.member)
	case Mbox:
		return r.mbox()
	case SevenZip:
		return r.sevenZip(s.whole)
	case Parquet:
		return r.parquet(s.whole)
	}
	return r.lines()
}

// A reader reads one container.
type reader struct {
	ctx      context.Context
	stream   *Stream
	from     *bufio.Reader
	opts     Options
	encoding string // encoding of a table
	sep      byte   // separator of columns in a table
	give     Giver
	wiki     *site  // site of a MediaWiki dump; nil before its header is read
	unended  bool   // the reader is still inside the record that it reports
	count    int    // records so far; lines for JSON Lines
	lies     int    // records so far whose stated length is too large
	headOnly string // URL of the last HEAD request in a web archive; "" if the last request had another method
	bad      int    // consecutive bad lines so far
	lastBad  error  // of the last bad line
}

// ended returns the cause if the context is done.
func (r *reader) ended() error { return format.Ended(r.ctx) }

// tooLarge returns the error for a record above the limit.
func (r *reader) tooLarge() error {
	return fmt.Errorf("%w: %w", format.ErrTooLarge, phrase.Error("cause.more-bytes", "more than {bytes} bytes", "bytes", r.opts.MaxBytes))
}

// lost returns the error for content that is missing because of err.
func lost(err error) error {
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("%w: %w", format.ErrDamaged, err)
}

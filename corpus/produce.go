package corpus

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"time"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/document/plain"
	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/internal/oserror"
	"github.com/otisk/otisk/internal/walk"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/store"
)

// produce makes units of the whole input. put returns false to stop it.
func (p *pipeline[T]) produce(ctx context.Context, put func(*unit[T]) bool) error {
	if p.in.Index != nil {
		return p.produceIndex(ctx, put)
	}
	files, err := Files(ctx, p.in.Paths, func(path string, err error) { put(broken[T](path, err)) })
	if err != nil {
		return err
	}
	for _, f := range files {
		p.total += f.Size
	}
	return lists.Each(files, func(f File) error { return p.produceFile(ctx, f, put) })
}

func broken[T any](where string, err error) *unit[T] {
	return &unit[T]{read: func(_ context.Context, give func(*Doc, error)) error {
		give(&Doc{Where: where}, err)
		return nil
	}}
}

// A File is one file of an input.
type File struct {
	Path string
	Size int64
	Time time.Time
}

// Again reports whether the file can be read more than once. The standard input and
// pipes cannot.
func (f *File) Again() bool {
	info, err := os.Stat(f.Path)
	return f.Path != Stdin && (err != nil || info.Mode().IsRegular())
}

// Stdin is the path of the standard input.
const Stdin = "-"

// Files lists the files at paths. fail is called with each path that cannot be read.
func Files(ctx context.Context, paths []string, fail func(path string, err error)) (files []File, err error) {
	for _, top := range paths {
		if top == Stdin {
			files = append(files, File{Path: Stdin})
			continue
		}
		err := walk.Files(ctx, []string{top}, nil, func(path string) {
			info, err := os.Stat(path)
			if err != nil {
				fail(path, oserror.Cause(err))
				return
			}
			files = append(files, File{path, info.Size(), info.ModTime().UTC()})
		}, fail)
		if err != nil {
			return nil, err
		}
	}
	return files, nil
}

// A Stream is an open file whose documents follow each other.
type Stream struct {
	io.Reader
	Form     Form
	Tags     plain.Tags // of a vertical file
	unpacker *unpacker
	file     io.Closer
}

// Close closes the file.
func (s *Stream) Close() error {
	s.unpacker.close()
	return s.file.Close()
}

// headBytes is the number of bytes in which the form of a file is detected.
const headBytes = 1 << 16

// OpenStream opens a file and detects its form and, if it is a vertical file, its tags,
// unless they are given. It decompresses gzip, bzip2, xz and zstd. If the tags of a
// vertical file cannot be determined, it returns the error of [plain.FindTags].
func OpenStream(path string, stdin io.Reader, tags plain.Tags) (*Stream, error) {
	var r io.Reader = stdin
	var c io.Closer = io.NopCloser(nil)
	if path != Stdin {
		f, err := os.Open(path)
		if err != nil {
			return nil, oserror.Cause(err)
		}
		r, c = f, f
	}
	s, err := streamOf(path, r, tags)
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	s.file = c
	return s, nil
}

func streamOf(path string, r io.Reader, tags plain.Tags) (*Stream, error) {
	u, err := unpack(r)
	if err != nil {
		return nil, oserror.Cause(err)
	}
	s := &start{head: make([]byte, headBytes), from: u}
	n, err := io.ReadFull(u, s.head)
	if s.head = s.head[:n]; err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		if s.failed = oserror.Cause(err); n == 0 {
			u.close()
			return nil, s.failed
		}
	}
	stream := &Stream{Reader: s, Form: formOf(path, s.head), unpacker: u}
	if stream.Form == Vertical && n > 0 {
		if stream.Tags, err = plain.FindTags(s.head, tags); err != nil {
			u.close()
			return nil, err
		}
	}
	return stream, nil
}

// A start reads a stream whose first bytes were already read to detect its form.
type start struct {
	head   []byte
	failed error // the error that followed the first bytes
	from   io.Reader
}

func (s *start) Read(p []byte) (int, error) {
	switch {
	case len(s.head) > 0:
		n := copy(p, s.head)
		s.head = s.head[n:]
		return n, nil
	case s.failed != nil:
		return 0, s.failed
	}
	return s.from.Read(p)
}

func (p *pipeline[T]) produceFile(ctx context.Context, f File, put func(*unit[T]) bool) error {
	s, err := OpenStream(f.Path, p.in.Stdin, p.in.Tags)
	if err != nil {
		put(broken[T](f.Path, err))
		return nil
	}
	defer s.Close()
	if s.Form == Vertical && p.in.Tagged != nil {
		p.in.Tagged(f.Path, s.Tags)
	}
	if s.Form == Whole {
		if !f.Again() {
			put(broken[T](f.Path, phrase.Error("cause.read-once", "what can be read only once has to be a vertical file or JSON Lines")))
			return nil
		}
		if document.MayHoldMany(f.Path) {
			return p.batches(ctx, f, put)
		}
		put(p.wholeFile(f))
		return nil
	}
	err = p.produceStream(ctx, f, s, put)
	if err != nil && ctx.Err() == nil {
		put(broken[T](f.Path, oserror.Cause(err)))
		return nil
	}
	return err
}

func (p *pipeline[T]) wholeFile(f File) *unit[T] {
	return &unit[T]{bytes: f.Size, read: func(ctx context.Context, give func(*Doc, error)) error {
		return p.in.eachDoc(ctx, f, func(d *Doc, err error) error {
			give(d, err)
			return nil
		})
	}}
}

// eachDoc calls give with each document of a file that package document reads, and with
// an error about the file. It returns the error of give, or the cause if ctx is done.
func (in *Input) eachDoc(ctx context.Context, f File, give func(*Doc, error) error) error {
	var stop error
	err := document.Each(ctx, f.Path, in.Read, func(doc *document.Document, err error) error {
		d := &Doc{ID: doc.Path, Where: doc.Path, Time: doc.ModTime, Text: doc.Text}
		if err == nil {
			d.normalised(in.Norms, doc.Parted, doc.Types()...)
		}
		stop = give(d, err)
		return stop
	})
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil && stop == nil:
		return give(&Doc{Where: f.Path}, err)
	}
	return stop
}

// batches makes units of the documents of a container, which may not fit into memory.
// It reads them itself; the workers get their texts.
func (p *pipeline[T]) batches(ctx context.Context, f File, put func(*unit[T]) bool) error {
	type result struct {
		doc *Doc
		err error
	}
	var batch []result
	size, all := 0, int64(0)
	flush := func(last bool) error {
		list := batch
		u := &unit[T]{read: func(_ context.Context, give func(*Doc, error)) error {
			for _, r := range list {
				give(r.doc, r.err)
			}
			return nil
		}}
		if u.bytes = min(int64(size), f.Size-all); last {
			u.bytes = f.Size - all // the size on disk differs from that of the texts
		}
		all += u.bytes
		batch, size = nil, 0
		if !put(u) {
			return context.Cause(ctx)
		}
		return nil
	}
	err := p.in.eachDoc(ctx, f, func(d *Doc, err error) error {
		batch = append(batch, result{d, err})
		if size += len(d.Text) + docOverhead; size >= blockBytes {
			return flush(false)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return flush(true)
}

// docOverhead is the memory of a document in a batch besides its text, in bytes.
const docOverhead = 500

func (p *pipeline[T]) produceStream(ctx context.Context, f File, s *Stream, put func(*unit[T]) bool) error {
	number := int64(1)
	return Blocks(ctx, s, s.Form, s.Tags.Doc, p.in.maxDoc(), func(b *Block) error {
		if b.Over {
			if b.First && !put(broken[T](place(f.Path, b.Offset, "byte"), phrase.Error("corpus.large-document", "{cause}: the document there has more than {bytes} bytes", "cause", document.ErrTooLarge, "bytes", p.in.maxDoc()))) {
				return context.Cause(ctx)
			}
			number += int64(bytes.Count(b.Data, newline))
			b.Free()
			return nil
		}
		first := number
		number += int64(bytes.Count(b.Data, newline))
		u := &unit[T]{bytes: int64(len(b.Data)), read: func(_ context.Context, give func(*Doc, error)) error {
			data := b.Data
			if b.Offset == 0 {
				data = bytes.TrimPrefix(data, format.BOM)
			}
			p.in.parse(f, s, data, first, give)
			return nil
		}}
		if !put(u) {
			return context.Cause(ctx)
		}
		return nil
	})
}

// parse parses the documents of a block. number is that of its first line.
func (in *Input) parse(f File, s *Stream, data []byte, line int64, give func(*Doc, error)) {
	if s.Form == JSONLines {
		in.parseJSON(f, data, line, give)
	} else {
		in.parseVertical(f, s.Tags, data, line, give)
	}
}

func (p *pipeline[T]) produceIndex(ctx context.Context, put func(*unit[T]) bool) error {
	info, err := p.in.Index.Info(ctx)
	if err != nil {
		return err
	}
	p.total = info.TextBytes
	return p.in.Index.Documents(ctx, "", func(entry store.Document) error {
		if !put(p.indexed(entry)) {
			return context.Cause(ctx)
		}
		return nil
	})
}

func (p *pipeline[T]) indexed(entry store.Document) *unit[T] {
	return &unit[T]{bytes: entry.Text, read: func(ctx context.Context, give func(*Doc, error)) error {
		d := &Doc{ID: entry.Name(), Where: entry.Name(), Time: entry.ModTime}
		text, err := store.TextOf(ctx, p.in.Index, entry.ID)
		switch {
		case errors.Is(err, store.ErrNoText):
		case err != nil:
			return err
		default:
			d.Text = text
			if d.norm, d.mode, err = p.in.Norms.AsIndexed(entry.Rules, entry.NewLine); err != nil {
				d.norm = nil
			}
		}
		give(d, err)
		return nil
	}}
}

package check

import (
	"bufio"
	"context"
	"encoding/gob"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/lang/phrase"
)

// spoolMemory is the limit for texts that wait in memory, in bytes. Further texts wait in compressed
// files.
const spoolMemory = 64 << 20

// A spool stores documents after they are read and before they are searched.
type spool struct {
	mu    sync.Mutex
	left  int64  // bytes of memory left
	dir   string // temporary folder; "" before it is needed
	files int    // number of files in it
}

type kept struct {
	doc  *document.Document // nil if it is in a file
	file string
}

func (s *spool) store(doc *document.Document) (*kept, error) {
	file, err := s.place(int64(len(doc.Text)))
	if err != nil {
		return nil, phrase.Error("cause.keep-text", "keep {name}: {cause}", "name", doc.Path, "cause", err)
	}
	if file == "" {
		return &kept{doc: doc}, nil
	}
	if err := writeDocument(file, doc); err != nil {
		return nil, phrase.Error("cause.keep-text", "keep {name}: {cause}", "name", doc.Path, "cause", err)
	}
	return &kept{file: file}, nil
}

// place returns the file for a text of this size, "" for memory.
func (s *spool) place(bytes int64) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if bytes <= s.left {
		s.left -= bytes
		return "", nil
	}
	return s.newFile()
}

// newFile returns the path of a new file. The caller holds s.mu.
func (s *spool) newFile() (string, error) {
	if s.dir == "" {
		dir, err := os.MkdirTemp("", "otisk-check-")
		if err != nil {
			return "", err
		}
		s.dir = dir
	}
	s.files++
	return filepath.Join(s.dir, strconv.Itoa(s.files)), nil
}

// copy copies r to a file, up to max+1 bytes: the last one shows that the limit is exceeded.
func (s *spool) copy(ctx context.Context, r io.Reader, max int64) (path string, err error) {
	s.mu.Lock()
	path, err = s.newFile()
	s.mu.Unlock()
	if err != nil {
		return "", err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", err
	}
	if max <= 0 {
		max = document.DefaultMaxBytes
	}
	copied := make(chan error, 1) // cancellation does not end a blocked read
	go func() {
		_, err := io.CopyN(f, r, max+1)
		if errors.Is(err, io.EOF) {
			err = nil
		}
		copied <- errors.Join(err, f.Close())
	}()
	select {
	case err = <-copied:
		return path, err
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

func (s *spool) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dir == "" {
		return nil
	}
	return os.RemoveAll(s.dir)
}

// document returns the document. It may be called more than once.
func (k *kept) document() (*document.Document, error) {
	if k.doc != nil {
		return k.doc, nil
	}
	return readDocument(k.file)
}

func writeDocument(file string, doc *document.Document) (err error) {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	z, err := zstd.NewWriter(f, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return err
	}
	registerArguments()
	return errors.Join(gob.NewEncoder(z).Encode(doc), z.Close())
}

// registerArguments registers the types of arguments of messages for decoding.
func registerArguments() {
	gob.Register(phrase.Stored{})
	gob.Register([]phrase.Stored{})
}

func readDocument(file string) (doc *document.Document, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	z, err := zstd.NewReader(f, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	doc = new(document.Document)
	registerArguments()
	return doc, gob.NewDecoder(bufio.NewReader(z)).Decode(doc)
}

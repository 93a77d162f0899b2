package document

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/otisk/otisk/internal/oserror"
	"github.com/otisk/otisk/lang/phrase"
)

// chunk is the number of bytes read between two checks of the context.
const chunk = 1 << 20

// A file is the content and metadata of one file.
type file struct {
	data    []byte
	modTime time.Time
	content string // SHA-256, hexadecimal
}

// readFile reads a whole file into memory of exactly its size.
func readFile(ctx context.Context, path string, max int64) (*file, error) {
	f, before, err := openFile(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if before.Size() > max {
		return nil, fmt.Errorf("%w: %w", ErrTooLarge, phrase.Error("said.limit-bytes", "{n} bytes, the limit is {limit}", "n", before.Size(), "limit", max))
	}
	data := make([]byte, before.Size())
	sum := sha256.New()
	for at := 0; at < len(data); {
		end := min(at+chunk, len(data))
		if err := readChunk(ctx, f, data[at:end], sum); err != nil {
			return nil, err
		}
		at = end
	}
	if err := unchanged(f, before); err != nil {
		return nil, err
	}
	return &file{data, modTime(before), hex.EncodeToString(sum.Sum(nil))}, nil
}

// Hash returns the SHA-256 of a file in hexadecimal, as in [Document.Content], without holding
// the file in memory.
func Hash(ctx context.Context, path string) (string, error) {
	f, before, err := openFile(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	buf := make([]byte, min(before.Size(), chunk))
	for left := before.Size(); left > 0; {
		part := buf[:min(left, chunk)]
		if err := readChunk(ctx, f, part, sum); err != nil {
			return "", err
		}
		left -= int64(len(part))
	}
	return hex.EncodeToString(sum.Sum(nil)), unchanged(f, before)
}

// openFile opens a regular file. It checks the type before opening, since opening a pipe would
// block until a writer opens it.
func openFile(path string) (*os.File, fs.FileInfo, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, nil, oserror.Cause(err)
	}
	if err := regular(info); err != nil {
		return nil, nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, oserror.Cause(err)
	}
	if info, err = f.Stat(); err == nil {
		err = regular(info)
	}
	if err != nil {
		f.Close()
		return nil, nil, oserror.Cause(err)
	}
	return f, info, nil
}

func regular(info fs.FileInfo) error {
	kind := errDevice
	switch mode := info.Mode(); {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		kind = errFolder
	case mode&fs.ModeNamedPipe != 0:
		kind = errPipe
	case mode&fs.ModeSocket != 0:
		kind = errSocket
	}
	return fmt.Errorf("%w: %w", ErrNotFile, kind)
}

// Kinds of files that are not regular.
var (
	errDevice = phrase.Error("said.device", "a device")
	errFolder = phrase.Error("said.folder", "a folder")
	errPipe   = phrase.Error("said.named-pipe", "a named pipe")
	errSocket = phrase.Error("said.socket", "a socket")
)

// readChunk fills part and adds it to sum.
func readChunk(ctx context.Context, f *os.File, part []byte, sum hash.Hash) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	_, err := io.ReadFull(f, part)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w: %w", ErrChanged, phrase.Error("said.truncated", "it was truncated"))
	}
	if err != nil {
		return oserror.Cause(err)
	}
	sum.Write(part)
	return nil
}

// unchanged checks that size and modification time are the same as before reading.
func unchanged(f *os.File, before fs.FileInfo) error {
	after, err := f.Stat()
	if err != nil {
		return oserror.Cause(err)
	}
	if after.Size() != before.Size() || !after.ModTime().Equal(before.ModTime()) {
		return ErrChanged
	}
	return nil
}

// contentOf returns the SHA-256 of data, hexadecimal.
func contentOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

func modTime(info fs.FileInfo) time.Time { return info.ModTime().UTC().Truncate(time.Second) }

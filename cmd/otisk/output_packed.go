package main

import (
	"errors"
	"io"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/otisk/otisk/internal/replace"
)

// A packedOutput is an output file that is compressed if its name ends in .gz or .zst. The
// output is not embedded: [io.WriteString] would call its WriteString and skip the packer.
type packedOutput struct {
	out    *replace.Output
	packer io.WriteCloser // nil if the file is not compressed
}

// packedTo opens the output at path, or stdout if path is empty.
func packedTo(path string, stdout io.Writer) (*packedOutput, error) {
	extension := strings.ToLower(filepath.Ext(path))
	switch extension {
	case ".bz2", ".xz":
		return nil, misuse("usage.packed", "file", path)
	}
	out, err := replace.To(path, stdout)
	if err != nil {
		return nil, err
	}
	p := &packedOutput{out: out}
	switch extension {
	case ".gz":
		p.packer = gzip.NewWriter(out)
	case ".zst":
		packer, err := zstd.NewWriter(out)
		if err != nil {
			return nil, errors.Join(err, out.Close())
		}
		p.packer = packer
	}
	return p, nil
}

func (p *packedOutput) Write(b []byte) (int, error) {
	if p.packer != nil {
		return p.packer.Write(b)
	}
	return p.out.Write(b)
}

// Commit completes the compressed data, then the file.
func (p *packedOutput) Commit() error {
	if p.packer != nil {
		if err := p.packer.Close(); err != nil {
			return err
		}
	}
	return p.out.Commit()
}

// Close removes the unfinished file, unless Commit has succeeded.
func (p *packedOutput) Close() error { return p.out.Close() }

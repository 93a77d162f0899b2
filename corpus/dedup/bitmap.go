package dedup

import (
	"encoding/binary"
	"errors"
	"os"

	"github.com/edsrzf/mmap-go"

	"github.com/otisk/otisk/internal/oserror"
	"github.com/otisk/otisk/lang/phrase"
)

// A bitmap has one bit for each token: in memory, or in a file that the system
// keeps there as it has room.
type bitmap struct {
	bytes []byte
	file  *os.File
	mem   mmap.MMap
}

// newBitmap returns a bitmap of this number of bits, all 0, in a file at path where it takes more
// than memory.
func newBitmap(bits, memory int64, path string) (*bitmap, error) {
	size := (bits/64 + 1) * 8
	if size <= memory {
		return &bitmap{bytes: make([]byte, size)}, nil
	}
	f, err := os.Create(path)
	if err != nil {
		return nil, phrase.Error("cause.make-file", "make {name}: {cause}", "name", path, "cause", oserror.Cause(err))
	}
	b := &bitmap{file: f}
	err = fill(f, size)
	if err == nil {
		b.mem, err = mmap.Map(f, mmap.RDWR, 0)
	}
	if err != nil {
		return nil, errors.Join(phrase.Error("cause.make-file", "make {name}: {cause}", "name", path, "cause", oserror.Cause(err)), b.close())
	}
	b.bytes = b.mem
	return b, nil
}

// fill fills a file with this number of zeros. They are written, since a file that only claims to
// have them ends the program where it is changed and the disk is full.
func fill(f *os.File, size int64) error {
	for zeros := make([]byte, 1<<20); size > 0; size -= int64(len(zeros)) {
		if _, err := f.Write(zeros[:min(size, int64(len(zeros)))]); err != nil {
			return err
		}
	}
	return nil
}

func (b *bitmap) close() error {
	if b.file == nil {
		return nil
	}
	var err error
	if b.mem != nil {
		err = b.mem.Unmap()
	}
	return errors.Join(err, b.file.Close())
}

func (b *bitmap) contains(i uint64) bool { return b.bytes[i/8]>>(i%8)&1 == 1 }

// set sets the bits [from, to).
func (b *bitmap) set(from, to uint64) {
	for ; from < to && from%64 != 0; from++ {
		b.bytes[from/8] |= 1 << (from % 8)
	}
	for ; from+64 <= to; from += 64 {
		binary.LittleEndian.PutUint64(b.bytes[from/8:], ^uint64(0))
	}
	for ; from < to; from++ {
		b.bytes[from/8] |= 1 << (from % 8)
	}
}

// Package ole reads compound files (MS-CFB), the containers that Office wrote before 2007: a
// small file system with chains of sectors and a directory.
//
// [Open] reads the directory, [File.Stream] a stream, and [Summary] title and author.
//
// The library mscfb 1.0.9 was not taken: it recurses once for each directory entry, so a
// damaged file exhausts the stack, and reading takes quadratic time.
package ole

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/lang/phrase"
)

// signature starts every compound file.
const signature = "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"

// Looks reports whether data is a compound file.
func Looks(data []byte) bool { return bytes.HasPrefix(data, []byte(signature)) }

// Special sector numbers; all numbers from lastSector up are not sectors.
const (
	lastSector = 0xFFFFFFFA
	endOfChain = 0xFFFFFFFE
)

// Sizes that the format fixes.
const (
	headerSize = 512
	entrySize  = 128
	smallSize  = 64   // bytes of a small sector
	smallMost  = 4096 // shorter streams are in small sectors
)

// A File is an open compound file.
type File struct {
	data   []byte
	sector int              // bytes of a sector
	next   []uint32         // by sector: the next one in its chain
	nextS  []uint32         // by small sector: the next one in its chain
	small  []byte           // content of the small sectors
	root   map[string]entry // entries of the root folder by name in upper case
	names  []string         // of the entries of all folders
}

// An entry of the directory.
type entry struct {
	folder bool
	start  uint32
	size   uint64
}

// Open reads the directory of a compound file. The memory that it allocates is proportional to
// the size of the file at most.
func Open(data []byte) (*File, error) {
	if len(data) < headerSize || !Looks(data) {
		return nil, damaged(phrase.Error("cause.ole-header", "the header of the compound file is not valid"))
	}
	f := &File{data: data, root: map[string]entry{}}
	switch shift := binary.LittleEndian.Uint16(data[30:]); shift {
	case 9, 12:
		f.sector = 1 << shift
	default:
		return nil, damaged(phrase.Error("cause.ole-sector-size", "the sector size of the compound file is not valid"))
	}
	if err := f.table(); err != nil {
		return nil, err
	}
	directory, err := f.chain(word(data, 48))
	if err != nil {
		return nil, err
	}
	return f, f.list(directory)
}

func damaged(cause *phrase.Phrase) error { return fmt.Errorf("%w: %w", format.ErrDamaged, cause) }

func word(b []byte, at int) uint32 { return binary.LittleEndian.Uint32(b[at:]) }

// Holds reports whether data is a compound file with one of these names in its root folder.
func Holds(data []byte, names ...string) bool {
	if !Looks(data) {
		return false
	}
	f, err := Open(data)
	return err == nil && slices.ContainsFunc(names, f.Has)
}

// Has reports whether the root folder has a stream or folder with this name.
func (f *File) Has(name string) bool {
	_, ok := f.root[strings.ToUpper(name)]
	return ok
}

// Count returns the number of streams and folders, in any folder, whose name starts with prefix.
func (f *File) Count(prefix string) (n int) {
	return lists.Count(f.names, func(name string) bool { return strings.HasPrefix(name, prefix) })
}

// sectors returns the largest possible number of sectors.
func (f *File) sectors() int { return len(f.data)/f.sector + 1 }

// at returns the content of a sector, which may be truncated.
func (f *File) at(n uint32) []byte {
	from := (int(n) + 1) * f.sector
	if n >= lastSector || from >= len(f.data) {
		return nil
	}
	return f.data[from:min(from+f.sector, len(f.data))]
}

// table reads the file allocation table, whose sectors the header lists, continued in a chain
// of further sectors.
func (f *File) table() error {
	most := f.sectors()/(f.sector/4) + 2
	var parts []uint32
	add := func(list []byte) {
		for ; len(list) >= 4; list = list[4:] {
			if n := word(list, 0); n < lastSector && len(parts) < most {
				parts = append(parts, n)
			}
		}
	}
	add(f.data[76:headerSize])
	for n, steps := word(f.data, 68), 0; n < lastSector && steps < most; steps++ {
		s := f.at(n)
		if len(s) < f.sector {
			return damaged(phrase.Error("cause.ole-table", "the sector table of the compound file is not valid"))
		}
		add(s[:f.sector-4])
		n = word(s, f.sector-4)
	}
	for _, n := range parts {
		s := f.at(n)
		for ; len(s) >= 4; s = s[4:] {
			f.next = append(f.next, word(s, 0))
		}
	}
	return nil
}

// follow returns the sector numbers of a chain.
func follow(next []uint32, start uint32) ([]uint32, error) {
	var chain []uint32
	for n := start; n != endOfChain; n = next[n] {
		if int64(n) >= int64(len(next)) || len(chain) > len(next) {
			return nil, damaged(phrase.Error("cause.ole-chain", "a chain of sectors of the compound file is not valid"))
		}
		chain = append(chain, n)
	}
	return chain, nil
}

// chain returns the content of a chain.
func (f *File) chain(start uint32) ([]byte, error) {
	chain, err := follow(f.next, start)
	if err != nil {
		return nil, err
	}
	var out []byte
	for _, n := range chain {
		s := f.at(n)
		if s == nil {
			return nil, damaged(phrase.Error("cause.ole-sector", "a sector of the compound file is missing"))
		}
		out = append(out, s...)
	}
	return out, nil
}

// list reads the entries of the root folder.
func (f *File) list(directory []byte) error {
	count := len(directory) / entrySize
	if count == 0 {
		return damaged(phrase.Error("cause.ole-directory", "directory"))
	}
	if err := f.openSmall(directory); err != nil {
		return err
	}
	for e := directory; len(e) >= entrySize; e = e[entrySize:] {
		if e[66] != 0 {
			f.names = append(f.names, entryName(e))
		}
	}
	seen := make([]bool, count)
	for open := []uint32{word(directory, 76)}; len(open) > 0; {
		n := open[len(open)-1]
		open = open[:len(open)-1]
		if int64(n) >= int64(count) || seen[n] {
			continue
		}
		seen[n] = true
		e := directory[int(n)*entrySize:][:entrySize]
		open = append(open, word(e, 68), word(e, 72))
		size := binary.LittleEndian.Uint64(e[120:])
		if f.sector == 512 {
			size &= 0xFFFFFFFF
		}
		f.root[strings.ToUpper(entryName(e))] = entry{folder: e[66] == 1, start: word(e, 116), size: size}
	}
	return nil
}

func entryName(e []byte) string {
	size := min(max(int(binary.LittleEndian.Uint16(e[64:]))-2, 0), 62)
	return String16(e[:size])
}

// String16 decodes little-endian UTF-16.
func String16(b []byte) string {
	units := make([]uint16, len(b)/2)
	_, _ = binary.Decode(b, binary.LittleEndian, units)
	return string(utf16.Decode(units))
}

// openSmall reads the stream that has the small sectors, if there is one.
func (f *File) openSmall(root []byte) error {
	if start := word(f.data, 60); start < lastSector {
		table, err := f.chain(start)
		if err != nil {
			return err
		}
		for ; len(table) >= 4; table = table[4:] {
			f.nextS = append(f.nextS, word(table, 0))
		}
		f.small, err = f.chain(word(root, 116))
		return err
	}
	return nil
}

// Stream returns the content of a stream in the root folder.
func (f *File) Stream(name string) ([]byte, error) {
	e, ok := f.root[strings.ToUpper(name)]
	if !ok || e.folder {
		return nil, damaged(phrase.Error("cause.ole-stream", "stream {name} is missing", "name", name))
	}
	var data []byte
	var err error
	if e.size < smallMost {
		data, err = f.smallChain(e.start)
	} else {
		data, err = f.chain(e.start)
	}
	if err == nil && e.size > uint64(len(data)) {
		err = damaged(phrase.Error("cause.ole-stream-short", "stream {name} is shorter than its stated size", "name", name))
	}
	if err != nil {
		return nil, err
	}
	return data[:e.size], nil
}

func (f *File) smallChain(start uint32) ([]byte, error) {
	chain, err := follow(f.nextS, start)
	if err != nil {
		return nil, err
	}
	out := make([]byte, 0, len(chain)*smallSize)
	for _, n := range chain {
		from := int(n) * smallSize
		if from >= len(f.small) {
			return nil, damaged(phrase.Error("cause.ole-small", "a small sector of the compound file is missing"))
		}
		out = append(out, f.small[from:min(from+smallSize, len(f.small))]...)
	}
	return slices.Clip(out), nil
}

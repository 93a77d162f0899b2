package translated

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"hash/crc32"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/otisk/otisk/internal/replace"
	"github.com/otisk/otisk/language"
)

// Making a dictionary of 110,000 pairs takes 0.3 s of CPU, many times a search. So a finder keeps it in a file, which
// takes 1 to 3 ms to read:
//
//	"otisk dictionary 1\n"  19 bytes; the number changes with the stems and sounds, too
//	stamp                   32 bytes: SHA-256 of that of the lexica and both languages
//	counts                  4 × 4 bytes: stems, translations, stems with sounds, bytes of sounds
//	own, first              8 and 4 bytes a stem, 4 more
//	list                    8 + 4 bytes a translation: stem, weight
//	soundOf, soundAt        8 and 4 bytes a stem with a sound, 4 more
//	sounds                  1 byte each
//	checksum                4 bytes: CRC-32C of all before
//
// Numbers are little-endian. A file that is damaged or has another stamp is ignored, and replaced.

const keptHead = "otisk dictionary 1\n"

// A Place is where a finder keeps the dictionary of some lexica.
type Place struct {
	File   string // "" if it is not kept
	Stamp  string // changes with the lexica
	Lexica int    // if fewer of them can be read, the dictionary is not kept
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// stampOf returns the stamp of the file of a dictionary.
func stampOf(p Place, from, to *language.Language) [sha256.Size]byte {
	return sha256.Sum256([]byte(from.Code + " " + to.Code + "\n" + p.Stamp))
}

// storeDictionary stores a dictionary atomically.
func storeDictionary(d *Dictionary, p Place) error {
	if err := os.MkdirAll(filepath.Dir(p.File), 0o777); err != nil {
		return err
	}
	return replace.File(p.File, 0o666, false, func(w io.Writer) error {
		_, err := w.Write(d.pack(p))
		return err
	})
}

// pack returns the content of the file of a dictionary.
func (d *Dictionary) pack(p Place) []byte {
	stamp := stampOf(p, d.from, d.to)
	b := append([]byte(keptHead), stamp[:]...)
	for _, n := range []int{len(d.own), len(d.list), len(d.soundOf), len(d.sounds)} {
		b = le.AppendUint32(b, uint32(n))
	}
	b, _ = binary.Append(b, le, d.own)
	b, _ = binary.Append(b, le, d.first)
	for _, t := range d.list {
		b = le.AppendUint64(b, uint64(t.stem))
		b = le.AppendUint32(b, math.Float32bits(t.weight))
	}
	b, _ = binary.Append(b, le, d.soundOf)
	b, _ = binary.Append(b, le, d.soundAt)
	b = append(b, d.sounds...)
	return le.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

var le = binary.LittleEndian

// kept returns the dictionary that a file keeps; ok is false if there is none with this stamp.
func kept(p Place, from, to *language.Language) (d *Dictionary, ok bool) {
	b, err := os.ReadFile(p.File)
	if err != nil {
		return nil, false
	}
	return unpack(b, p, from, to)
}

// unpack is the inverse of pack.
func unpack(b []byte, p Place, from, to *language.Language) (d *Dictionary, ok bool) {
	stamp := stampOf(p, from, to)
	head := append([]byte(keptHead), stamp[:]...)
	r := unpacker{b}
	if len(b) < len(head)+16+4 || !bytes.Equal(r.next(len(head)), head) {
		return nil, false
	}
	end := len(b) - 4
	if crc32.Checksum(b[:end], castagnoli) != le.Uint32(b[end:]) {
		return nil, false
	}
	var n [4]int
	for i := range n {
		n[i] = int(le.Uint32(r.next(4)))
	}
	if len(r.rest) != 12*n[0]+4+12*n[1]+12*n[2]+4+n[3]+4 {
		return nil, false
	}
	d = &Dictionary{from: from, to: to, own: listOf[language.Stem](&r, n[0]), first: listOf[uint32](&r, n[0]+1), list: make([]translation, n[1])}
	list := r.next(12 * n[1])
	for i := range d.list {
		d.list[i] = translation{language.Stem(le.Uint64(list[12*i:])), math.Float32frombits(le.Uint32(list[12*i+8:]))}
	}
	d.soundOf, d.soundAt, d.sounds = listOf[language.Stem](&r, n[2]), listOf[uint32](&r, n[2]+1), r.next(n[3])
	return d, slices.IsSorted(d.own) && rising(d.first, n[1], 1) && rising(d.soundAt, n[3], cognateLetter)
}

// rising reports whether numbers rise from 0 to end by at least this much each.
func rising(list []uint32, end, least int) bool {
	for i := 1; i < len(list); i++ {
		if int(list[i])-int(list[i-1]) < least {
			return false
		}
	}
	return list[0] == 0 && int(list[len(list)-1]) == end
}

// An unpacker takes parts of the content of a file.
type unpacker struct{ rest []byte }

func (u *unpacker) next(n int) []byte {
	b := u.rest[:n:n]
	u.rest = u.rest[n:]
	return b
}

// listOf takes a list of n numbers.
func listOf[T ~uint32 | ~uint64](u *unpacker, n int) []T {
	list := make([]T, n)
	_, _ = binary.Decode(u.next(binary.Size(list)), le, list)
	return list
}

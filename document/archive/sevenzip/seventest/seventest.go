// Package seventest makes 7-Zip archives for tests, valid and invalid ones.
package seventest

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"
	"unicode/utf16"

	"github.com/ulikunitz/xz/lzma"
)

var le = binary.LittleEndian

// A File is a member of an archive.
type File struct{ Name, Content string }

// An Archive describes an archive and the wrong values in it.
type Archive struct {
	Files  []File
	Method string // "lzma", "lzma2" or "copy"; otherwise the bytes of a method id, whose content is stored
	Single bool   // each file is compressed separately
	Packed bool   // the list is compressed

	Dictionary uint32 // dictionary size in bytes; 0 for 64 KiB
	Longer     uint64 // added to the stated size of the last file
	Count      uint64 // added to the stated number of files
}

// Bytes returns the archive.
func (a Archive) Bytes() []byte {
	var packed [][]byte
	groups := [][]File{a.Files}
	if a.Single {
		groups = nil
		for _, f := range a.Files {
			groups = append(groups, []File{f})
		}
	}
	for _, group := range groups {
		packed = append(packed, a.pack([]byte(joined(group))))
	}
	body := bytes.Join(packed, nil)
	list := a.list(groups, packed)
	if a.Packed {
		content := Archive{Method: "lzma"}.pack(list)
		sizes := [][]File{{{Content: string(list)}}}
		list = append([]byte{0x17}, Archive{Method: "lzma"}.streams(len(body), sizes, [][]byte{content}, false)...)
		body = append(body, content...)
	}
	return Wrap(body, list)
}

// Wrap returns an archive of body and list.
func Wrap(body, list []byte) []byte {
	start := le.AppendUint64(nil, uint64(len(body)))
	start = le.AppendUint64(start, uint64(len(list)))
	start = le.AppendUint32(start, crc32.ChecksumIEEE(list))
	file := append([]byte("7z\xbc\xaf\x27\x1c\x00\x04"), le.AppendUint32(nil, crc32.ChecksumIEEE(start))...)
	return append(append(append(file, start...), body...), list...)
}

func joined(files []File) (all string) {
	for _, f := range files {
		all += f.Content
	}
	return all
}

// pack compresses content by the method.
func (a Archive) pack(content []byte) []byte {
	var packed bytes.Buffer
	var w io.WriteCloser
	var err error
	switch a.Method {
	case "lzma":
		w, err = lzma.WriterConfig{DictCap: 64 << 10, Size: int64(len(content)), SizeInHeader: true}.NewWriter(&packed)
	case "lzma2":
		w, err = lzma.Writer2Config{DictCap: 64 << 10}.NewWriter2(&packed)
	default:
		return content
	}
	if err == nil {
		_, err = w.Write(content)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		panic(err) // a buffer in memory returns no errors
	}
	if a.Method == "lzma" {
		return packed.Bytes()[lzma.HeaderLen:]
	}
	return packed.Bytes()
}

// coder returns the encoded method.
func (a Archive) coder() []byte {
	size := a.Dictionary
	if size == 0 {
		size = 64 << 10
	}
	switch a.Method {
	case "lzma":
		return append([]byte{0x23, 3, 1, 1, 5}, le.AppendUint32([]byte{0x5d}, size)...)
	case "lzma2":
		return []byte{0x21, 0x21, 1, 24} // 16 MiB
	case "copy":
		return []byte{1, 0}
	}
	return append([]byte{byte(len(a.Method))}, a.Method...)
}

// streams returns the part of the list that describes content.
func (a Archive) streams(at int, groups [][]File, packed [][]byte, divided bool) []byte {
	b := append([]byte{6}, Number(uint64(at))...)
	b = append(b, Number(uint64(len(packed)))...)
	b = append(b, 9)
	for _, p := range packed {
		b = append(b, Number(uint64(len(p)))...)
	}
	b = append(b, 0, 7, 0x0b)
	b = append(append(b, Number(uint64(len(packed)))...), 0)
	for range packed {
		b = append(append(b, 1), a.coder()...)
	}
	b = append(b, 0x0c)
	for i, group := range groups {
		size := uint64(len(joined(group)))
		if i == len(groups)-1 {
			size += a.Longer
		}
		b = append(b, Number(size)...)
	}
	b = append(b, 0)
	if divided {
		b = append(b, 8, 0x0d)
		for _, group := range groups {
			b = append(b, Number(uint64(len(group)))...)
		}
		b = append(b, 9)
		for _, group := range groups {
			for _, f := range group[:len(group)-1] {
				b = append(b, Number(uint64(len(f.Content)))...)
			}
		}
		b = append(b, 0x0a, 1)
		for _, group := range groups {
			for _, f := range group {
				b = le.AppendUint32(b, crc32.ChecksumIEEE([]byte(f.Content)))
			}
		}
		b = append(b, 0)
	}
	return append(b, 0)
}

// list returns the whole list.
func (a Archive) list(groups [][]File, packed [][]byte) []byte {
	b := append([]byte{1, 4}, a.streams(0, groups, packed, true)...)
	b = append(append(b, 5), Number(uint64(len(a.Files))+a.Count)...)
	names := []byte{0}
	for _, f := range a.Files {
		for _, unit := range utf16.Encode([]rune(f.Name + "\x00")) {
			names = le.AppendUint16(names, unit)
		}
	}
	b = append(append(b, 0x11), Number(uint64(len(names)))...)
	return append(append(b, names...), 0, 0)
}

// Number returns n as a variable-length number.
func Number(n uint64) []byte {
	if n < 0x80 {
		return []byte{byte(n)}
	}
	return le.AppendUint64([]byte{0xff}, n)
}

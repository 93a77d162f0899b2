package sample

import (
	"encoding/binary"
	"unicode/utf16"
)

// Compound returns a compound file, the container of Office until 2007. Its streams are pairs of
// name and content.
func Compound(streams ...string) []byte {
	const sector, entrySize, end = 512, 128, 0xFFFFFFFE
	le := binary.LittleEndian
	var body []byte
	var next []uint32
	put := func(data []byte) (start uint32) {
		start = uint32(len(next))
		data = append(data, make([]byte, max(8*sector-len(data), (sector-len(data)%sector)%sector))...)
		for i := 0; i < len(data); i += sector {
			next = append(next, uint32(len(next)+1))
		}
		next[len(next)-1] = end
		body = append(body, data...)
		return start
	}
	entry := func(name string, kind byte, child uint32, start, size int) []byte {
		e := make([]byte, entrySize)
		units := utf16.Encode([]rune(name))
		for i, u := range units {
			le.PutUint16(e[2*i:], u)
		}
		le.PutUint16(e[64:], uint16(2*len(units)+2))
		e[66] = kind
		le.PutUint32(e[68:], 0xFFFFFFFF) // the entries are a list, each the right one of that before
		le.PutUint32(e[72:], 0xFFFFFFFF)
		le.PutUint32(e[76:], child)
		le.PutUint32(e[116:], uint32(start))
		le.PutUint64(e[120:], uint64(size))
		return e
	}
	directory := entry("Root Entry", 5, 1, end, 0)
	for i := 0; i < len(streams); i += 2 {
		data := []byte(streams[i+1])
		data = append(data, make([]byte, max(8*sector-len(data), 0))...)
		e := entry(streams[i], 2, 0xFFFFFFFF, int(put(data)), len(data))
		if i+2 < len(streams) {
			le.PutUint32(e[72:], uint32(i/2+2))
		}
		directory = append(directory, e...)
	}
	at := put(directory)
	head := make([]byte, sector)
	copy(head, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
	le.PutUint16(head[30:], 9)
	le.PutUint32(head[48:], at)
	le.PutUint32(head[60:], end)
	le.PutUint32(head[68:], end)
	tables := (len(next) + 127 + len(next)/127) / 128
	for i := range 109 {
		n := uint32(0xFFFFFFFF)
		if i < tables {
			n = uint32(len(next))
			next = append(next, 0xFFFFFFFD)
		}
		le.PutUint32(head[76+4*i:], n)
	}
	for _, n := range next {
		body = le.AppendUint32(body, n)
	}
	for len(body)%sector != 0 {
		body = le.AppendUint32(body, 0xFFFFFFFF)
	}
	return append(head, body...)
}

// Numbers encodes numbers in four bytes each, little-endian.
func Numbers(list ...int) string {
	var b []byte
	for _, n := range list {
		b = binary.LittleEndian.AppendUint32(b, uint32(n))
	}
	return string(b)
}

// Shorts encodes numbers in two bytes each, little-endian.
func Shorts(list ...int) string {
	var b []byte
	for _, n := range list {
		b = binary.LittleEndian.AppendUint16(b, uint16(n))
	}
	return string(b)
}

// Wide encodes a text in UTF-16, little-endian.
func Wide(text string) string {
	var list []int
	for _, u := range utf16.Encode([]rune(text)) {
		list = append(list, int(u))
	}
	return Shorts(list...)
}

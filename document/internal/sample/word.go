package sample

import (
	"encoding/binary"
	"strings"
	"unicode/utf16"
)

// Word95 returns a document of Word 95 in a language, by its number at Microsoft. The character
// \x02 in a piece refers to the next of notes. Several pieces make a document saved in fast mode.
func Word95(language int, pieces []string, notes ...string) []byte {
	le := binary.LittleEndian
	head := make([]byte, 0x300)
	le.PutUint16(head, 0xA5DC)
	le.PutUint16(head[2:], 104)
	le.PutUint16(head[6:], uint16(language))
	le.PutUint32(head[0x18:], uint32(len(head)))
	text, story := strings.Join(pieces, ""), strings.Join(notes, "")
	le.PutUint32(head[0x34:], uint32(len(text)))
	le.PutUint32(head[0x38:], uint32(len(story)))
	body := append(head, text+story...)
	list := func(at int, data []byte) {
		le.PutUint32(body[at:], uint32(len(body)))
		le.PutUint32(body[at+4:], uint32(len(data)))
		body = append(body, data...)
	}
	var calls, places []byte
	for i, c := range []byte(text) {
		if c == 2 {
			calls = le.AppendUint32(calls, uint32(i))
		}
	}
	list(0x68, append(le.AppendUint32(calls, uint32(len(text))), make([]byte, 2*len(notes))...))
	end := 0
	for _, n := range notes {
		places = le.AppendUint32(places, uint32(end))
		end += len(n)
	}
	list(0x70, le.AppendUint32(le.AppendUint32(places, uint32(end)), uint32(end)))
	if len(pieces) > 1 { // they are in the file from the last to the first
		le.PutUint16(body[10:], 4)
		var at, values []byte
		place, after := 0, ""
		for i, p := range pieces {
			at = le.AppendUint32(at, uint32(place))
			place += len(p)
			values = le.AppendUint16(le.AppendUint32(append(values, 0, 0), uint32(len(head)+len(text)-place)), 0)
			after = pieces[i] + after
		}
		copy(body[len(head):], after)
		if story != "" {
			at = le.AppendUint32(at, uint32(place))
			values = le.AppendUint16(le.AppendUint32(append(values, 0, 0), uint32(len(head)+place)), 0)
			place += len(story)
		}
		at = le.AppendUint32(at, uint32(place))
		clx := le.AppendUint32([]byte{2}, uint32(len(at)+len(values)))
		list(0x160, append(append(clx, at...), values...))
	}
	return Compound("WordDocument", string(body))
}

// A Piece of a document of Word 97 has characters with the same properties.
type Piece struct {
	Text   string
	Props  string // such as Hidden
	Narrow bool   // one byte for each character, not two
}

// Properties of characters as Word 97 writes them.
const (
	Hidden  = "\x3c\x08\x01"
	Deleted = "\x00\x08\x01"
	White   = "\x42\x2a\x08"
	Tiny    = "\x43\x4a\x02\x00"
	Special = "\x55\x08\x01"
)

// OldWord returns a document of Word 97. The character \x02 in a piece refers to the next of
// notes.
func OldWord(pieces []Piece, notes ...string) []byte {
	le := binary.LittleEndian
	head := make([]byte, 0x600)
	le.PutUint16(head, 0xA5EC)
	le.PutUint16(head[2:], 0xC1)
	le.PutUint16(head[0x98:], 0x5D)
	var clx, at, values, calls []byte
	count, notesAt := 0, []int{0}
	add := func(p Piece, i int) {
		clx = append(le.AppendUint16(append(clx, 1), uint16(len(p.Props))), p.Props...)
		at = le.AppendUint32(at, uint32(count))
		offset := uint32(len(head))
		var units []uint16
		if p.Narrow {
			for _, b := range []byte(p.Text) {
				head = append(head, b)
				units = append(units, uint16(b))
			}
			offset = offset*2 | 0x40000000
		} else {
			units = utf16.Encode([]rune(p.Text))
			for _, u := range units {
				head = le.AppendUint16(head, u)
			}
		}
		for k, u := range units {
			if u == 2 && i < len(pieces) {
				calls = le.AppendUint32(calls, uint32(count+k))
			}
		}
		count += len(units)
		values = le.AppendUint16(le.AppendUint32(append(values, 0, 0), offset), uint16(i<<1|1))
	}
	for i, p := range pieces {
		add(p, i)
	}
	text := count
	for i, n := range notes {
		add(Piece{Text: n}, len(pieces)+i)
		notesAt = append(notesAt, count-text)
	}
	at = le.AppendUint32(at, uint32(count))
	le.PutUint32(head[0x4C:], uint32(text))
	le.PutUint32(head[0x50:], uint32(count-text))
	clx = le.AppendUint32(append(clx, 2), uint32(len(at)+len(values)))
	clx = append(append(clx, at...), values...)
	calls = le.AppendUint32(calls, uint32(text))
	calls = append(calls, make([]byte, 2*len(notes))...)
	var places []byte
	for _, n := range append(notesAt, count-text) {
		places = le.AppendUint32(places, uint32(n))
	}
	var table []byte
	for i, b := range map[int][]byte{2: calls, 3: places, 33: clx} {
		le.PutUint32(head[0x9A+8*i:], uint32(len(table)))
		le.PutUint32(head[0x9E+8*i:], uint32(len(b)))
		table = append(table, b...)
	}
	return Compound("WordDocument", string(head), "0Table", string(table))
}

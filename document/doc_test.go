package document

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"
)

// compound makes a compound file of streams, pairs of name and content.
func compound(streams ...string) []byte {
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

// A docTestPiece is characters with properties; narrow says that each has one byte.
type docTestPiece struct {
	text   string
	props  string
	narrow bool
}

// Properties of characters as Word 97 writes them.
const (
	docHidden  = "\x3c\x08\x01"
	docDeleted = "\x00\x08\x01"
	docWhite   = "\x42\x2a\x08"
	docTiny    = "\x43\x4a\x02\x00"
	docSpecial = "\x55\x08\x01"
)

// oldWord makes a document of Word 97: a text, then its footnotes, which \x02 calls in
// order.
func oldWord(pieces []docTestPiece, notes ...string) []byte {
	le := binary.LittleEndian
	head := make([]byte, 0x600)
	le.PutUint16(head, 0xA5EC)
	le.PutUint16(head[2:], 0xC1)
	le.PutUint16(head[0x98:], 0x5D)
	var clx, at, values, calls []byte
	count, notesAt := 0, []int{0}
	add := func(p docTestPiece, i int) {
		clx = append(le.AppendUint16(append(clx, 1), uint16(len(p.props))), p.props...)
		at = le.AppendUint32(at, uint32(count))
		offset := uint32(len(head))
		var units []uint16
		if p.narrow {
			for _, b := range []byte(p.text) {
				head = append(head, b)
				units = append(units, uint16(b))
			}
			offset = offset*2 | 0x40000000
		} else {
			units = utf16.Encode([]rune(p.text))
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
		add(docTestPiece{text: n}, len(pieces)+i)
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
	return compound("WordDocument", string(head), "0Table", string(table))
}

func TestOldWord(t *testing.T) {
	tests := []struct {
		name   string
		pieces []docTestPiece
		notes  []string
		want   string
		flags  string
	}{
		{"pieces of one byte and of two", []docTestPiece{{text: "na\xefve \x93q\x94 ", narrow: true}, {text: "kůň 𝄞\r"}}, nil, "naïve “q” kůň 𝄞", ""},
		{"paragraphs, lines, tabs", []docTestPiece{{text: "a\tb\vc\rd\fe\r"}}, nil, "a b\nc\n\nd\n\ne", ""},
		{"hyphens", []docTestPiece{{text: "a\x1eb c\x1fd\r"}}, nil, "a\u2011b cd", ""},
		{"hidden", []docTestPiece{{text: "a "}, {text: "secret", props: docHidden}, {text: " b\r"}}, nil, "a b", "hidden text 6 marked as hidden"},
		{"white", []docTestPiece{{text: "a "}, {text: "secret", props: docWhite}, {text: " b\r"}}, nil, "a b", "hidden text 6 white on white"},
		{"white on a ground", []docTestPiece{{text: "a ", props: docWhite + "\x66\x48\x40\x00"}, {text: "b\r"}}, nil, "a b", ""},
		{"tiny", []docTestPiece{{text: "a"}, {text: "x", props: docTiny}, {text: "b\r"}}, nil, "ab", "hidden text 1 too small to see"},
		{"a tracked deletion", []docTestPiece{{text: "a "}, {text: "gone ", props: docDeleted}, {text: "b\r"}}, nil, "a b", ""},
		{"a deleted end", []docTestPiece{{text: "a "}, {text: "\r", props: docDeleted}, {text: "b\r"}}, nil, "a b", ""},
		{"a field", []docTestPiece{{text: "see "}, {text: "\x13", props: docSpecial}, {text: " REF x "}, {text: "\x14", props: docSpecial}, {text: "one"}, {text: "\x15", props: docSpecial}, {text: " b\r"}}, nil, "see one b", ""},
		{"a footnote", []docTestPiece{{text: "a"}, {text: "\x02", props: docSpecial}, {text: " b\rc\r"}}, []string{"\x02 note\r"}, "a b\n\nnote\n\nc", ""},
	}
	for _, tt := range tests {
		doc := &Document{}
		if err := read(t.Context(), doc, oldWord(tt.pieces, tt.notes...), Options{}); err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if doc.Text != tt.want || flagged(doc) != tt.flags {
			t.Errorf("%s: text %q, flags %q, want %q, %q", tt.name, doc.Text, flagged(doc), tt.want, tt.flags)
		}
	}
}

// TestOldWordRefused says what a document is that is not read.
func TestOldWordRefused(t *testing.T) {
	change := func(at int, b byte) []byte {
		data := oldWord([]docTestPiece{{text: "a\r"}})
		data[512+at] = b
		return data
	}
	tests := []struct {
		name string
		data []byte
		want error
	}{
		{"encrypted", change(11, 1), ErrEncrypted},
		{"Word 2", change(2, 45), ErrBinary},
		{"a text that is longer than the file", change(0x4F, 0x7F), ErrDamaged},
		{"a text that is longer than its pieces", change(0x4C, 100), ErrDamaged},
		{"no tables", compound("WordDocument", string(change(0, 0xEC)[512:2512])), ErrDamaged},
	}
	for _, tt := range tests {
		if err := read(t.Context(), &Document{}, tt.data, Options{}); !errors.Is(err, tt.want) {
			t.Errorf("%s: error %v, want %v", tt.name, err, tt.want)
		}
	}
}

// TestOldWordWritten reads a document that LibreOffice wrote, of testdata/word97.fodt:
// its formatting is in pages apart from the text.
func TestOldWordWritten(t *testing.T) {
	doc, err := Open(t.Context(), filepath.Join("testdata", "word97.doc"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(filepath.Join("testdata", "word97.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.TrimSpace(doc.Text); got != strings.TrimSpace(string(want)) {
		t.Errorf("text %q, want %q", got, want)
	}
	if got := flagged(doc); got != "hidden text 6 marked as hidden, hidden text 9 white on white, hidden text 6 marked as hidden" {
		t.Errorf("flags %q", got)
	}
	var marks []string
	for _, m := range doc.Marks {
		marks = append(marks, string(m.Kind)+" "+doc.Text[m.Start:m.End])
	}
	if got := strings.Join(marks, "; "); got != "heading Kapitola o koních; footnote Poznámka pod čarou.; quote Citovaný odstavec." {
		t.Errorf("marks %q", got)
	}
	if doc.Title != "Žluťoučký kůň" || doc.Author != "Svatopluk Čech" {
		t.Errorf("title %q, author %q", doc.Title, doc.Author)
	}
}

// flagged returns the flags of hidden text in short.
func flagged(doc *Document) string {
	var flags []string
	for _, f := range doc.Flags {
		flags = append(flags, fmt.Sprintf("%s %d %s", f.Kind, f.Count, f.Detail))
	}
	return strings.Join(flags, ", ")
}

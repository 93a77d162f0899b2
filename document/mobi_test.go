package document

import (
	"encoding/binary"
	"errors"
	"strings"
	"testing"
)

// mobi makes a book of records of text, packed in a way that is given.
func mobi(packing int, records ...string) []byte {
	be := binary.BigEndian
	head := make([]byte, 16+232)
	be.PutUint16(head, uint16(packing))
	be.PutUint16(head[8:], uint16(len(records)))
	copy(head[16:], "MOBI")
	be.PutUint32(head[20:], 232)
	be.PutUint32(head[28:], 65001)
	be.PutUint32(head[36:], 6)
	be.PutUint32(head[128:], 0x40)
	be.PutUint16(head[242:], 1) // each record ends with how many bytes a character has there
	fields := []byte("EXTH\x00\x00\x00\x00\x00\x00\x00\x02")
	for id, value := range map[uint32]string{100: "Jan Novák", 503: "Title"} {
		fields = be.AppendUint32(be.AppendUint32(fields, id), uint32(8+len(value)))
		fields = append(fields, value...)
	}
	all := append([]string{string(append(head, fields...))}, records...)
	data := make([]byte, 78+8*len(all))
	copy(data, "book")
	copy(data[60:], "BOOKMOBI")
	be.PutUint16(data[76:], uint16(len(all)))
	for i, r := range all {
		be.PutUint32(data[78+8*i:], uint32(len(data)))
		if i > 0 {
			r += "\x00"
		}
		data = append(data, r...)
	}
	return data
}

func TestMobi(t *testing.T) {
	tests := []struct {
		name string
		data []byte
		want string
	}{
		{"as it is", mobi(1, "<html><p>Kůň sk", "áče.<mbp:pagebreak/><h1>Head</h1>"), "Kůň skáče.\n\nHead"},
		{"packed", mobi(2, "<p>abc\xf8abc\x80\x1b\x02\xc5\xaf</p>"), "abc xabcabcabců"},
	}
	for _, tt := range tests {
		doc := &Document{}
		if err := read(t.Context(), doc, tt.data, Options{}); err != nil || doc.Text != tt.want || doc.Title != "Title" || doc.Author != "Jan Novák" {
			t.Errorf("%s: text %q, title %q, author %q, %v, want %q", tt.name, doc.Text, doc.Title, doc.Author, err, tt.want)
		}
	}
	secret := mobi(1, "text")
	secret[binary.BigEndian.Uint32(secret[78:])+13] = 2
	if err := read(t.Context(), &Document{}, secret, Options{}); err != ErrEncrypted {
		t.Errorf("encrypted: error %v, want %v", err, ErrEncrypted)
	}
	bomb := strings.Repeat("a\x80\x0f", 20_000)
	if err := read(t.Context(), &Document{}, mobi(2, bomb, bomb, bomb, bomb), Options{MaxBytes: 100_000}); !errors.Is(err, ErrTooLarge) {
		t.Errorf("unpacks to more: error %v, want %v", err, ErrTooLarge)
	}
}

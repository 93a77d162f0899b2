package web_test

import (
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/document/internal/readtest"
	"github.com/otisk/otisk/document/internal/sample"
)

func TestMobi(t *testing.T) {
	tests := []struct {
		name string
		data []byte
		want string
	}{
		{"as it is", sample.Mobi(1, "<html><p>Kůň sk", "áče.<mbp:pagebreak/><h1>Head</h1>"), "Kůň skáče.\n\nHead"},
		{"packed", sample.Mobi(2, "<p>abc\xf8abc\x80\x1b\x02\xc5\xaf</p>"), "abc xabcabcabců"},
	}
	for _, tt := range tests {
		doc := &document.Document{}
		if err := readtest.Read(t.Context(), doc, tt.data, document.Options{}); err != nil || doc.Text != tt.want || doc.Title != "Heron" || doc.Author != "Jan Novák" {
			t.Errorf("%s: text %q, title %q, author %q, %v, want %q", tt.name, doc.Text, doc.Title, doc.Author, err, tt.want)
		}
	}
	secret := sample.Mobi(1, "text")
	secret[binary.BigEndian.Uint32(secret[78:])+13] = 2
	if err := readtest.Read(t.Context(), &document.Document{}, secret, document.Options{}); err != document.ErrEncrypted {
		t.Errorf("encrypted: error %v, want %v", err, document.ErrEncrypted)
	}
	bomb := strings.Repeat("a\x80\x0f", 20_000)
	if err := readtest.Read(t.Context(), &document.Document{}, sample.Mobi(2, bomb, bomb, bomb, bomb), document.Options{MaxBytes: 100_000}); !errors.Is(err, document.ErrTooLarge) {
		t.Errorf("unpacks to more: error %v, want %v", err, document.ErrTooLarge)
	}
}

// mobiRecords returns the records of a book.
func mobiRecords(data []byte) (records []string) {
	be := binary.BigEndian
	count := int(be.Uint16(data[76:]))
	for i := range count {
		end := len(data)
		if i+1 < count {
			end = int(be.Uint32(data[78+8*(i+1):]))
		}
		records = append(records, string(data[be.Uint32(data[78+8*i:]):end]))
	}
	return records
}

// mobiOf returns a book of these records.
func mobiOf(records ...string) []byte {
	be := binary.BigEndian
	data := make([]byte, 78+8*len(records))
	copy(data[60:], "BOOKMOBI")
	be.PutUint16(data[76:], uint16(len(records)))
	for i, r := range records {
		be.PutUint32(data[78+8*i:], uint32(len(data)))
		data = append(data, r...)
	}
	return data
}

// TestMobiUnread plants words in the newer version of a book and in its drawings, and finds the notes.
func TestMobiUnread(t *testing.T) {
	prose := strings.Repeat("many copied words stand here ", 8)
	both := func(older, newer string) []byte {
		return mobiOf(append(append(mobiRecords(sample.Mobi(1, older)), "BOUNDARY"), mobiRecords(sample.Mobi(1, newer))...)...)
	}
	drawn := func(page, beside string) []byte {
		records := mobiRecords(sample.Mobi(1, page+beside))
		head := []byte(records[0])
		binary.BigEndian.PutUint32(head[36:], 8)
		binary.BigEndian.PutUint32(head[192:], 2)
		parts := binary.BigEndian.AppendUint32([]byte("FDST............"), uint32(len(page)))
		return mobiOf(string(head), records[1], string(parts))
	}
	for name, tt := range map[string]struct {
		data []byte
		note string
	}{
		"two versions":   {both("<p>text</p>", "<p>text "+prose+"</p>"), "40 words that may be shown are not read: KF8"},
		"the same twice": {both("<p>text</p>", "<p>text</p>"), ""},
		"a drawing":      {drawn("<p>text</p>", "p { margin: 0 }<svg><text>"+prose+"</text></svg>"), "40 words that may be shown are not read: <svg>"},
		"a style":        {drawn("<p>text</p>", "p { font-family: "+prose+" }"), ""},
	} {
		doc := &document.Document{}
		if err := readtest.Read(t.Context(), doc, tt.data, document.Options{}); err != nil || strings.Join(doc.Notes, "; ") != tt.note || doc.Text != "text" {
			t.Errorf("%s: text %q, notes %q, %v, want %q", name, doc.Text, doc.Notes, err, tt.note)
		}
	}
}

package office_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/document/internal/readtest"
	"github.com/otisk/otisk/document/internal/sample"
)

func TestOldWord(t *testing.T) {
	tests := []struct {
		name   string
		pieces []sample.Piece
		notes  []string
		want   string
		flags  string
	}{
		{"pieces of one byte and of two", []sample.Piece{{Text: "na\xefve \x93q\x94 ", Narrow: true}, {Text: "kůň 𝄞\r"}}, nil, "naïve “q” kůň 𝄞", ""},
		{"paragraphs, lines, tabs", []sample.Piece{{Text: "a\tb\vc\rd\fe\r"}}, nil, "a b\nc\n\nd\n\ne", ""},
		{"hyphens", []sample.Piece{{Text: "a\x1eb c\x1fd\r"}}, nil, "a\u2011b cd", ""},
		{"hidden", []sample.Piece{{Text: "a "}, {Text: "secret", Props: sample.Hidden}, {Text: " b\r"}}, nil, "a b", "hidden text 6 marked as hidden"},
		{"white", []sample.Piece{{Text: "a "}, {Text: "secret", Props: sample.White}, {Text: " b\r"}}, nil, "a b", "hidden text 6 white on white"},
		{"white on a ground", []sample.Piece{{Text: "a ", Props: sample.White + "\x66\x48\x40\x00"}, {Text: "b\r"}}, nil, "a b", ""},
		{"tiny", []sample.Piece{{Text: "a"}, {Text: "x", Props: sample.Tiny}, {Text: "b\r"}}, nil, "ab", "hidden text 1 too small to see"},
		{"raised numbers", []sample.Piece{{Text: "slovo"}, {Text: "1", Props: "\x48\x2a\x01"}, {Text: " a 10 cm"}, {Text: "2", Props: "\x48\x2a\x01"}, {Text: "\r"}}, nil, "slovo a 10 cm2", ""},
		{"a tracked deletion", []sample.Piece{{Text: "a "}, {Text: "gone ", Props: sample.Deleted}, {Text: "b\r"}}, nil, "a b", ""},
		{"a deleted end", []sample.Piece{{Text: "a "}, {Text: "\r", Props: sample.Deleted}, {Text: "b\r"}}, nil, "a b", ""},
		{"a formula of a field", []sample.Piece{{Text: "see "}, {Text: "\x13", Props: sample.Special}, {Text: ` EQ \a \al (one,two)`}, {Text: "\x15", Props: sample.Special}, {Text: " b\r"}}, nil, "see one two b", ""},
		{"a field", []sample.Piece{{Text: "see "}, {Text: "\x13", Props: sample.Special}, {Text: " REF x "}, {Text: "\x14", Props: sample.Special}, {Text: "one"}, {Text: "\x15", Props: sample.Special}, {Text: " b\r"}}, nil, "see one b", ""},
		{"a footnote", []sample.Piece{{Text: "a"}, {Text: "\x02", Props: sample.Special}, {Text: " b\rc\r"}}, []string{"\x02 note\r"}, "a b\n\nnote\n\nc", ""},
	}
	for _, tt := range tests {
		doc := &document.Document{}
		if err := readtest.Read(t.Context(), doc, sample.OldWord(tt.pieces, tt.notes...), document.Options{}); err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if doc.Text != tt.want || readtest.Flagged(doc) != tt.flags {
			t.Errorf("%s: text %q, flags %q, want %q, %q", tt.name, doc.Text, readtest.Flagged(doc), tt.want, tt.flags)
		}
	}
}

// TestOldWordRefused checks the error for each kind of DOC file that cannot be read.
func TestOldWordRefused(t *testing.T) {
	change := func(at int, b byte) []byte {
		data := sample.OldWord([]sample.Piece{{Text: "a\r"}})
		data[512+at] = b
		return data
	}
	tests := []struct {
		name string
		data []byte
		want error
	}{
		{"encrypted", change(11, 1), document.ErrEncrypted},
		{"Word 2", change(2, 45), document.ErrBinary},
		{"a text that is longer than the file", change(0x4F, 0x7F), document.ErrDamaged},
		{"a text that is longer than its pieces", change(0x4C, 100), document.ErrDamaged},
		{"no tables", sample.Compound("WordDocument", string(change(0, 0xEC)[512:2512])), document.ErrDamaged},
	}
	for _, tt := range tests {
		if err := readtest.Read(t.Context(), &document.Document{}, tt.data, document.Options{}); !errors.Is(err, tt.want) {
			t.Errorf("%s: error %v, want %v", tt.name, err, tt.want)
		}
	}
}

// TestOldWordWritten reads a document that LibreOffice wrote, of testdata/word97.fodt:
// its formatting is in pages apart from the text.
func TestOldWordWritten(t *testing.T) {
	doc, err := document.Open(t.Context(), filepath.Join("testdata", "word97.doc"), document.Options{})
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
	if got := strings.Join(doc.Notes, "; "); got != "12 hidden characters are omitted: marked as hidden; 9 hidden characters are omitted: white on white" || len(doc.Flags) > 0 {
		t.Errorf("notes %q, flags %q", got, readtest.Flagged(doc))
	}
	var marks []string
	for _, m := range doc.Marks {
		marks = append(marks, string(m.Kind)+" "+doc.Text[m.Start:m.End])
	}
	if got := strings.Join(marks, "; "); got != "heading Kapitola o koních; note mark ; footnote Poznámka pod čarou.; quote Citovaný odstavec." {
		t.Errorf("marks %q", got)
	}
	if doc.Title != "Žluťoučký kůň" || doc.Author != "Svatopluk Čech" {
		t.Errorf("title %q, author %q", doc.Title, doc.Author)
	}
}

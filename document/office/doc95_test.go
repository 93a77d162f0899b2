package office_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/document/internal/readtest"
	"github.com/otisk/otisk/document/internal/sample"
)

func TestWord95(t *testing.T) {
	const english, czech, french = 0x409, 0x405, 0x40C
	mac := sample.Word95(french, []string{"\x8et\x8e\r"})
	const header = 512
	mac[header+0x15] = 1
	another := sample.Word95(czech, []string{"k\xf9\xf2\r"})
	another[header], another[header+1] = 0x99, 0xA6
	wide := sample.Word95(french, []string{"\xe9\x00t\x00\xe9\x00\x92\x10\x21\x30\r\x00"})
	wide[header+0x0B], wide[header+0x34] = 0x10, 6
	for _, tt := range []struct {
		name           string
		data           []byte
		want, encoding string
	}{
		{"the language of Word", sample.Word95(czech, []string{"k\xf9\xf2 a v\x9e\rdruh\xfd odstavec\r"}), "kůň a vž\n\ndruhý odstavec", "windows-1250"},
		{"what fits the text", sample.Word95(english, []string{strings.Repeat("\xc1\xee\xf0\xe4\xee \xf1\xf3\xf5\xee\xe5 ", 20) + "\r"}), strings.TrimSpace(strings.Repeat("Бордо сухое ", 20)), "windows-1251"},
		{"French", sample.Word95(french, []string{"\xe0 la \x93fin\x94\r"}), "à la “fin”", "windows-1252"},
		{"another signature", another, "kůň", "windows-1250"},
		{"two bytes", wide, "été’〡", "windows-1252"},
		{"Macintosh", mac, "été", "macintosh"},
		{"a footnote", sample.Word95(english, []string{"a\x02 b\rc\r"}, "\x02 note\r"), "a b\n\nnote\n\nc", "windows-1252"},
		{"saved fast", sample.Word95(english, []string{"first ", "second ", "third\r"}), "first second third", "windows-1252"},
		{"a field", sample.Word95(english, []string{"see \x13 REF x \x14one\x15 b\r"}), "see one b", "windows-1252"},
	} {
		doc := &document.Document{}
		if err := readtest.Read(t.Context(), doc, tt.data, document.Options{}); err != nil || doc.Text != tt.want || doc.Encoding != tt.encoding || doc.Format != "doc" {
			t.Errorf("%s: %s %q in %s, %v, want %q in %s", tt.name, doc.Format, doc.Text, doc.Encoding, err, tt.want, tt.encoding)
		}
		if len(doc.Notes) != 1 || !strings.HasPrefix(doc.Notes[0], "a document of Word 6 or 95: ") {
			t.Errorf("%s: notes %q, want what is not known", tt.name, doc.Notes)
		}
	}
	doc := &document.Document{}
	if err := readtest.Read(t.Context(), doc, sample.Word95(english, []string{"k\xf9\xf2\r"}), document.Options{Encoding: "windows-1250"}); err != nil || doc.Text != "kůň" {
		t.Errorf("an encoding that is given: %q, %v", doc.Text, err)
	}
	long := sample.Word95(english, []string{"a\r"})
	long[header+0x36] = 1
	if err := readtest.Read(t.Context(), &document.Document{}, long, document.Options{}); !errors.Is(err, document.ErrDamaged) {
		t.Errorf("a text that is longer than the file: %v, want %v", err, document.ErrDamaged)
	}
}

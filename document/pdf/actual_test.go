package pdf_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/document/internal/readtest"
	"github.com/otisk/otisk/document/internal/sample"
)

// stating returns drawn text in marked content whose ActualText is text.
func stating(text, drawn string) string {
	return "/Span <</ActualText (" + text + ")>> BDC\n" + drawn + "EMC\n"
}

// TestPDFActualText reads the drawn words if a PDF states other words for them, and reports
// it. Honest statements for a glyph, a hyphen or a formula stay.
func TestPDFActualText(t *testing.T) {
	const drawn = "the copied words of the source"
	var letters strings.Builder
	for _, c := range "the copy of it" {
		letters.WriteString(stating("z", "("+string(c)+") Tj "))
	}
	tests := []struct {
		name, page, want, said string
	}{
		{"a line", stating("some innocent words of mine", sample.At(50, 600, drawn)), drawn, "drawn"},
		{"two lines", stating("some innocent words of mine", sample.At(50, 600, drawn)+sample.At(50, 586, drawn)), drawn + " " + drawn, "drawn"},
		{"one mark in another", stating("some innocent words", stating("and others", sample.At(50, 600, drawn))), drawn, "drawn"},
		{"words by themselves", stating("my", sample.At(50, 600, "the")) + stating("own", sample.At(70, 600, "copy")) + stating("words", sample.At(104, 600, "of")), "the copy of", "drawn"},
		{"letters by themselves", "BT /F 12 Tf 50 600 Td " + letters.String() + "ET\n", "the copy of it", "drawn"},
		{"no language", stating("some innocent words of mine", sample.At(50, 600, "uif dpqjfe xpset pg uif tpvsdf xjui npsf")), "some innocent words of mine", "stated"},
		{"the same", stating("The copied words of the source", sample.At(50, 600, drawn)), "The copied words of the source", ""},
		{"the same in UTF-16", stating(`\376\377\000c\000a\000f\000\351\000 \000a\000n\000d\000 \000t\000h\000e\000 \000p\000u\000b`, sample.At(50, 600, `caf\351 and the pub`)) + stating(`\376\377\001\015`, sample.At(150, 600, "c")), "café and the pub č", ""},
		{"one in UTF-16 beside others", stating(`\376\377\001\015`, sample.At(50, 600, "-")) + stating("some innocent words", sample.At(50, 586, drawn)), "č " + drawn, "drawn"},
		{"a hyphen", sample.At(50, 600, "one") + stating("-", sample.At(68, 600, "*")) + sample.At(75, 600, "two"), "one-two", ""},
		{"a formula", sample.At(50, 600, "It is ") + stating("a over b", sample.At(80, 600, "a/b")), "It is a over b", ""},
		{"a first letter", stating("The", sample.At(50, 600, "T")) + sample.At(58, 600, "he"), "Thehe", ""},
		{"nothing", stating("", sample.At(50, 600, drawn)), drawn, ""},
	}
	for _, tt := range tests {
		doc := &document.Document{}
		if err := readtest.Read(t.Context(), doc, sample.PDF(sample.At(50, 700, "one page"), tt.page), document.Options{}); err != nil || doc.Text != "one page "+tt.want && doc.Text != "one page\n\n"+tt.want {
			t.Errorf("%s: text %q, %v, want %q", tt.name, doc.Text, err, tt.want)
		}
		said := strings.Join(doc.Notes, "; ")
		if tt.said == "" {
			if len(doc.Flags) > 0 || said != "" {
				t.Errorf("%s: flags %+v, notes %q, want none", tt.name, doc.Flags, said)
			}
			continue
		}
		if want := "on 1 of 2 pages, the first is page 2: the letters as " + tt.said + " are read"; !strings.Contains(said, want) {
			t.Errorf("%s: notes %q, want %q", tt.name, said, want)
		}
		if len(doc.Flags) != 1 || doc.Flags[0].Kind != document.HiddenText || doc.Flags[0].Count == 0 || doc.Flags[0].End != len(doc.Text) {
			t.Errorf("%s: flags %+v, want the second page", tt.name, doc.Flags)
		}
	}
}

// TestPDFActualTextInForm places letters with a replacement text that are in a form, as Chromium writes pages
// with a blend mode, on the page.
func TestPDFActualTextInForm(t *testing.T) {
	var content strings.Builder
	for y := 3000; y > 1000; y -= 60 {
		fmt.Fprintf(&content, "BT /F 48 Tf 200 %d Td (one de) Tj ", y)
		content.WriteString(stating("fi", "(f) Tj ") + "(nes su) Tj " + stating("ffi", "(f) Tj ") + "(cient words) Tj ET\n")
	}
	content.WriteString("0 0 .5 rg 180 880 2000 80 re f 1 g BT /F 48 Tf 200 900 Td (white on a ) Tj " + stating("fi", "(f) Tj ") + "(lled box) Tj ET\n")
	form := fmt.Sprintf("<</Type/XObject/Subtype/Form/BBox[0 0 2400 3200]/Resources<</Font<</F 3 0 R>>>>/Length %d>>\nstream\n%s\nendstream", content.Len(), content.String())
	data := sample.PDFOf("/MediaBox[0 0 600 800]", "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>", []string{form}, "q .25 0 0 .25 0 0 cm /X Do Q\n")
	data = bytes.Replace(data, []byte("/XObject<</I 4 0 R"), []byte("/XObject<</X 8 0 R"), 1)
	doc := &document.Document{}
	err := readtest.Read(t.Context(), doc, data, document.Options{})
	want := strings.Repeat("one defines sufficient words ", 34) + "white on a filled box"
	if got := strings.Join(strings.Fields(doc.Text), " "); err != nil || got != want || len(doc.Flags)+len(doc.Notes) > 0 {
		t.Errorf("text %q, flags %+v, notes %q, %v, want %q", got, doc.Flags, doc.Notes, err, want)
	}
}

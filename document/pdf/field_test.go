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

// TestPDFFields reads the values of form fields and the text of boxes on a page, from top to
// bottom, and reports the fields that it leaves out.
func TestPDFFields(t *testing.T) {
	data := sample.PDFOf("/MediaBox[0 0 600 800]", "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>", []string{
		"<</Type/Annot/Subtype/Widget/FT/Tx/T(a)/V(filled into the form)/Rect[50 500 300 520]>>",
		"<</Type/Annot/Subtype/FreeText/Contents(written in a box)/Rect[50 550 300 570]>>",
		"<</Type/Annot/Subtype/Text/Contents(a comment)/Rect[50 450 70 470]>>",
		"<</Type/Annot/Subtype/Widget/FT/Tx/T(b)/V(hidden)/F 2/Rect[50 400 300 420]>>",
	}, sample.At(50, 600, "drawn on the page"))
	data = bytes.Replace(data, []byte("/Type/Catalog"), []byte("/Type/Catalog/AcroForm<</Fields[8 0 R 11 0 R]>>"), 1)
	data = bytes.Replace(data, []byte("/Type/Page/Parent"), []byte("/Type/Page/Annots[8 0 R 9 0 R 10 0 R 11 0 R]/Parent"), 1)
	doc := &document.Document{}
	if err := readtest.Read(t.Context(), doc, data, document.Options{}); err != nil {
		t.Fatal(err)
	}
	if want := "drawn on the page\n\nwritten in a box\n\nfilled into the form"; doc.Text != want {
		t.Errorf("text %q, want %q", doc.Text, want)
	}
	if want := "1 comment on the pages is omitted"; strings.Join(doc.Notes, "; ") != want {
		t.Errorf("notes %q, want %q", doc.Notes, want)
	}
}

// TestPDFFilled reads the values of an XML form without its lists of choices.
func TestPDFFilled(t *testing.T) {
	const form = `<xfa:datasets xmlns:xfa="http://www.xfa.org/schema/xfa-data/1.0/"><xfa:data><name>Leonhard  Euler</name><town>Basel</town></xfa:data><lists><a>Bern</a></lists></xfa:datasets>`
	data := sample.PDFOf("/MediaBox[0 0 600 800]", "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
		[]string{"<</Length 174>>\nstream\n" + form + "\nendstream"}, sample.At(50, 600, "Please wait"))
	data = bytes.Replace(data, []byte("/Type/Catalog"), []byte("/Type/Catalog/AcroForm<</Fields[]/XFA[(datasets)8 0 R]>>"), 1)
	doc := &document.Document{}
	if err := readtest.Read(t.Context(), doc, data, document.Options{}); err != nil {
		t.Fatal(err)
	}
	if want := "Please wait\n\nLeonhard Euler\n\nBasel"; doc.Text != want {
		t.Errorf("text %q, want %q", doc.Text, want)
	}
}

// TestPDFPagesLack names the pages that have only a picture, with the stamp of a
// library or without.
func TestPDFPagesLack(t *testing.T) {
	pages := []string{sample.At(50, 600, "text"), sample.Picture, sample.At(50, 600, "more"), sample.Picture, sample.Picture + sample.At(50, 20, "page 5")}
	doc := &document.Document{}
	if err := readtest.Read(t.Context(), doc, sample.PDF(pages...), document.Options{}); err != nil {
		t.Fatal(err)
	}
	if want := "only pictures without text on 3 of 5 pages: 2, 4–5"; strings.Join(doc.Notes, "; ") != want {
		t.Errorf("notes %q, want %q", doc.Notes, want)
	}
}

// TestPDFFieldsShown reads the words that fields and boxes show in addition to those that they state.
func TestPDFFieldsShown(t *testing.T) {
	const shown = "these are the words of the field that people see on the page"
	appearance := func(text string) string {
		page := sample.At(5, 5, text[:len(text)/2]+"-") + sample.At(5, 20, text[len(text)/2:])
		return fmt.Sprintf("<</Type/XObject/Subtype/Form/BBox[0 0 500 40]/Resources<</Font<</F 3 0 R>>>>/Length %d>>\nstream\n%s\nendstream", len(page), page)
	}
	tests := []struct {
		name, annotation, look string
		differ                 int
	}{
		{"the value", "/Subtype/Widget/FT/Tx/T(a)/V(" + shown + ")", shown, 0},
		{"other words", "/Subtype/Widget/FT/Tx/T(a)/V(and these ones are in the file)", shown, 1},
		{"a part of them", "/Subtype/Widget/FT/Tx/T(a)/V(before it " + shown + " and some more)", shown, 0},
		{"words of a field without a value", "/Subtype/Widget/FT/Tx/T(a)", shown, 1},
		{"words of a button", "/Subtype/Widget/FT/Btn/T(a)", shown, 1},
		{"the name of a button", "/Subtype/Widget/FT/Btn/T(a)", "Send by mail", 0},
		{"other words of a box", "/Subtype/FreeText/Contents(and these ones are in the file)", shown, 1},
	}
	for _, tt := range tests {
		data := sample.PDFOf("/MediaBox[0 0 600 800]", "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>", []string{
			"<</Type/Annot" + tt.annotation + "/F 4/Rect[50 500 550 540]/AP<</N 9 0 R>>>>", appearance(tt.look),
		}, sample.At(50, 600, "drawn on the page"))
		data = bytes.Replace(data, []byte("/Type/Catalog"), []byte("/Type/Catalog/AcroForm<</Fields[8 0 R]>>"), 1)
		data = bytes.Replace(data, []byte("/Type/Page/Parent"), []byte("/Type/Page/Annots[8 0 R]/Parent"), 1)
		doc := &document.Document{}
		if err := readtest.Read(t.Context(), doc, data, document.Options{}); err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		if note := strings.Join(doc.Notes, "; "); strings.Contains(note, "shows other words") != (tt.differ > 0) || len(doc.Flags) > 0 {
			t.Errorf("%s: text %q, notes %q, flags %+v, want %d fields that differ", tt.name, doc.Text, note, doc.Flags, tt.differ)
		}
		if tt.differ > 0 && !strings.Contains(doc.Text, shown[len(shown)/2:]) {
			t.Errorf("%s: text %q, want the words that are shown", tt.name, doc.Text)
		}
	}
}

// TestPDFAside notes annotations that are not read: files, and comments of some length.
func TestPDFAside(t *testing.T) {
	comment := strings.Repeat("a word of a comment ", 5)
	for annotation, want := range map[string]string{
		"/Subtype/FileAttachment/Contents(a file)":         "not read, although it may be shown: FileAttachment",
		"/Subtype/RichMedia":                               "not read, although it may be shown: RichMedia",
		"/Subtype/Highlight/Contents(" + comment + ")":     "25 words that may be shown are not read: Highlight",
		"/Subtype/Highlight/Contents(a few words)":         "",
		"/Subtype/Link/Contents(" + comment + ")":          "",
		"/Subtype/Highlight/F 2/Contents(" + comment + ")": "",
	} {
		data := sample.PDFOf("/MediaBox[0 0 600 800]", "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
			[]string{"<</Type/Annot" + annotation + "/Rect[50 500 60 510]>>"}, sample.At(50, 600, "drawn on the page"))
		data = bytes.Replace(data, []byte("/Type/Page/Parent"), []byte("/Type/Page/Annots[8 0 R]/Parent"), 1)
		doc := &document.Document{}
		if err := readtest.Read(t.Context(), doc, data, document.Options{}); err != nil || strings.Join(doc.Notes, "; ") != want {
			t.Errorf("%.40s: %v, notes %q, want %q", annotation, err, doc.Notes, want)
		}
	}
}

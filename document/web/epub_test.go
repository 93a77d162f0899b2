package web_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/document/internal/readtest"
	"github.com/otisk/otisk/document/internal/sample"
	"github.com/otisk/otisk/internal/testing/zipped"
)

func TestEPUB(t *testing.T) {
	data := sample.EPUB(`<?xml version="1.0"?><html><head><title/></head><body><h1>One</h1><p>first</p></body></html>`,
		`<html><body><p>second<pre>not closed</body></html>`, `<html><body><p>third  one</p></body></html>`)
	doc := &document.Document{}
	if err := readtest.Read(t.Context(), doc, data, document.Options{}); err != nil {
		t.Fatal(err)
	}
	if want := "One\n\nfirst\n\nsecond\n\nnot closed\n\nthird one"; doc.Text != want || doc.Format != "epub" {
		t.Errorf("%s text %q, want epub %q", doc.Format, doc.Text, want)
	}
	if doc.Title != "A Book" || doc.Author != "Jan Novák" {
		t.Errorf("title %q, author %q", doc.Title, doc.Author)
	}
	readtest.Marks(t, doc, "heading: One")
}

// TestEPUBPackage finds the package document that is not stated, or under another name than stated.
func TestEPUBPackage(t *testing.T) {
	book := sample.EPUB("<html><body><p>one</p></body></html>")
	for name, stated := range map[string]string{"META-INF/contained.xml": "OEBPS/content.opf", "META-INF/container.xml": "OEBPS/damaged.opf"} {
		data := bytes.ReplaceAll(bytes.ReplaceAll(book, []byte("META-INF/container.xml"), []byte(name)), []byte("OEBPS/content.opf\"/>"), []byte(stated+"\"/>"))
		doc := &document.Document{}
		if err := readtest.Read(t.Context(), doc, data, document.Options{}); err != nil || doc.Text != "one" || doc.Title != "A Book" {
			t.Errorf("%s, %s: text %q, title %q, %v", name, stated, doc.Text, doc.Title, err)
		}
	}
}

func TestEPUBHidden(t *testing.T) {
	data := sample.EPUB(`<html><head><link rel="stylesheet" href="../style.css"/></head><body><p>one<b class="unseen">x</b>two</p></body></html>`,
		`<html><head><link rel="stylesheet" href="missing.css"/></head><body><p style="color:white">three</p></body></html>`)
	doc := &document.Document{}
	if err := readtest.Read(t.Context(), doc, data, document.Options{}); err != nil || doc.Text != "one two\n\nthree" {
		t.Errorf("text %q, %v, want what is seen", doc.Text, err)
	}
	if len(doc.Flags) != 1 || doc.Flags[0].Detail != "white on white" || doc.Flags[0].Start != 3 {
		t.Errorf("flags %+v, want one at 3", doc.Flags)
	}
}

// TestEPUBChapters reads chapters whose files the list names in another way, and reports those that
// are missing or no pages.
func TestEPUBChapters(t *testing.T) {
	for _, tt := range []struct{ item, file, want, notes string }{
		{`href="Text/C1.xhtml"`, "OEBPS/text/c1.xhtml", "one", "[]"},
		{`href="/OEBPS/c1.xhtml"`, "OEBPS/c1.xhtml", "one", "[]"},
		{`href="c1.xhtml#start"`, "OEBPS/c1.xhtml", "one", "[]"},
		{`href="text\c1.xhtml"`, "OEBPS/text/c1.xhtml", "one", "[]"},
		{`href="../c%201.xhtml"`, "c 1.xhtml", "one", "[]"},
		{`href="c1.xhtml" media-type="text/xml"`, "OEBPS/c1.xhtml", "one", "[]"},
		{`href="c1.xhtml"`, "OEBPS/c2.xhtml", "", "[not read, although it may be shown: c1.xhtml]"},
		{`href="c1.svg" media-type="image/svg+xml"`, "OEBPS/c1.svg", "", "[not read, although it may be shown: c1.svg]"},
		{`href="c1.xhtml" other=`, "OEBPS/c1.xhtml", "", "[not read, although it may be shown: idref a]"},
	} {
		item := `<item id="a" media-type="application/xhtml+xml" ` + tt.item + `/>`
		if strings.Contains(tt.item, "media-type") {
			item = `<item id="a" ` + tt.item + `/>`
		}
		if strings.HasSuffix(tt.item, "=") {
			item = ""
		}
		data := zipped.Of("mimetype", "application/epub+zip", "META-INF/container.xml", `<container><rootfile full-path="OEBPS/book.opf"/></container>`, tt.file, "<html><body><p>one</p></body></html>",
			"OEBPS/last.xhtml", "<html><body><p>last</p></body></html>",
			"OEBPS/book.opf", `<package><manifest>`+item+`<item id="z" href="last.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="a"/><itemref idref="z"/></spine></package>`)
		doc := &document.Document{}
		want := strings.TrimSpace(tt.want + "\n\nlast")
		if err := readtest.Read(t.Context(), doc, data, document.Options{}); err != nil || doc.Text != want || fmt.Sprint(doc.Notes) != tt.notes {
			t.Errorf("%s: text %q, notes %v, %v, want %q, %s", tt.item, doc.Text, doc.Notes, err, want, tt.notes)
		}
	}
}

// TestEPUBVersions checks that the reader notes a further version of a book.
func TestEPUBVersions(t *testing.T) {
	data := zipped.Of("mimetype", "application/epub+zip", "META-INF/container.xml", `<container><rootfile full-path="a.opf"/><rootfile full-path="b.opf"/></container>`,
		"a.opf", `<package><manifest><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="a"/></spine></package>`, "a.xhtml", "<p>one</p>", "b.opf", "<package/>")
	doc := &document.Document{}
	if err := readtest.Read(t.Context(), doc, data, document.Options{}); err != nil || doc.Text != "one" || fmt.Sprint(doc.Notes) != "[not read, although it may be shown: b.opf]" {
		t.Errorf("text %q, notes %v, %v, want the first version and a note of the second", doc.Text, doc.Notes, err)
	}
}

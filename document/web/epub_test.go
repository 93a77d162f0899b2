package web_test

import (
	"testing"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/document/internal/readtest"
	"github.com/otisk/otisk/document/internal/sample"
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

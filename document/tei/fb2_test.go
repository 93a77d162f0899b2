package tei_test

import (
	"testing"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/document/internal/readtest"
)

func TestFB2(t *testing.T) {
	const book = `<?xml version="1.0"?><FictionBook xmlns="http://www.gribuser.ru/xml/fictionbook/2.0"><description><title-info><author><first-name>Jan</first-name><last-name>Novák</last-name></author>` +
		`<book-title>Kniha</book-title></title-info><publish-info><year>1999</year></publish-info></description>` +
		`<body><section><title><p>Jedna</p></title><p>Text <emphasis>kni</emphasis>hy &st & &x; zde.</p><cite><p>Citát.</p></cite><poem><stanza><v>Verš jedna</v><v>Verš dvě</v></stanza></poem></section></body>` +
		`<binary id="cover.png" content-type="image/png">QUJDREVG</binary></FictionBook>`
	doc := &document.Document{Ext: "fb2"}
	if err := readtest.Read(t.Context(), doc, []byte(book), document.Options{}); err != nil {
		t.Fatal(err)
	}
	if want := "Jedna\n\nText knihy &st & &x; zde.\n\nCitát.\n\nVerš jedna\nVerš dvě"; doc.Text != want || doc.Format != "fb2" {
		t.Errorf("format %s, text %q, want %q", doc.Format, doc.Text, want)
	}
	if len(doc.Notes) != 1 || doc.Notes[0] != "not read, although it may be shown: &x;" {
		t.Errorf("notes %q, want one of &x;", doc.Notes)
	}
	if doc.Title != "Kniha" || doc.Author != "Jan Novák" || doc.Year != 1999 {
		t.Errorf("title %q, author %q, year %d", doc.Title, doc.Author, doc.Year)
	}
}

// TestSubArticle reads a translation that is a part of an article.
func TestSubArticle(t *testing.T) {
	const article = `<article article-type="research-article"><front><article-meta><article-title>Jedna</article-title></article-meta></front><body><p>Text zde.</p></body>` +
		`<sub-article article-type="translation"><front-stub><article-title>One</article-title><abstract><p>In short.</p></abstract></front-stub><body><p>Text here.</p></body></sub-article></article>`
	doc := &document.Document{Ext: "jats"}
	if err := readtest.Read(t.Context(), doc, []byte(article), document.Options{}); err != nil || doc.Text != "Text zde.\n\nIn short.\n\nText here." || doc.Title != "Jedna" {
		t.Errorf("text %q, title %q, %v", doc.Text, doc.Title, err)
	}
}

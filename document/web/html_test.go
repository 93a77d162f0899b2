package web_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/document/charset"
	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/document/internal/readtest"
	"github.com/otisk/otisk/internal/testing/need"
)

func TestHTML(t *testing.T) {
	tests := []struct{ name, html, want string }{
		{"fragment", "one  two\n three", "one two three"},
		{"paragraphs", "<p>one<p>two</p> <p> three </p>", "one\n\ntwo\n\nthree"},
		{"inline", "a <b>bo</b>ld <i>word</i>, e<wbr>mail", "a bold word, email"},
		{"break", "one<br>two<br/>three", "one\ntwo\nthree"},
		{"two breaks are a paragraph", "one<br> <br>two", "one\n\ntwo"},
		{"blocks in each other", "<div><section><h1>one</h1><div>two</div></section></div>three", "one\n\ntwo\n\nthree"},
		{"entities", "&lt;p&gt; &amp;amp; &#283; &scaron; &nbsp;&shy;x", "<p> &amp; ě š \u00a0\u00adx"},
		{"entity that is no character", "a&#0;b&#xd800;c&#x110000;d", "a\ufffdb\ufffdc\ufffdd"},
		{"no text", "<head><style>p{}</style></head>one<script>var x = '<p>two</p>'</script><!-- three --><template>four<template>five</template>six</template><noscript>seven</noscript> eight", "one eight"},
		{"pre", "<pre>one\r\n  two</pre>three  four", "one\n  two\n\nthree four"},
		{"list", "<ul><li>one<li>two</ul>", "one\n\ntwo"},
		{"table", "<table><tr><td>a</td> <td>b<tr><td>c</td></tr></table>d", "a\tb\nc\n\nd"},
		{"definition", "<dl><dt>one</dt><dd>two</dd></dl>", "one\n\ntwo"},
		{"unclosed", "<p>one<b>two<a href='", "onetwo"},
		{"not a tag", "1 < 2 and 3<4 <> </>", "1 < 2 and 3<4 <>"},
		{"form", "<textarea>one  two</textarea>", "one  two"},
		{"upper case", "<P>one<SCRIPT>x</SCRIPT><BR>two", "one\ntwo"},
		{"closed too often", "</template></pre></p>one  two", "one two"},
		{"XHTML", `<?xml version="1.0"?><html><head><title/><script src="a"/></head><body>one</body></html>`, "one"},
		{"CDATA", `<?xml version="1.0"?><html><body>one <![CDATA[two & <b]]> three</body></html>`, "one two & <b three"},
		{"text beside no-break space", "10\u00a0000 Kč", "10\u00a0000 Kč"},
	}
	for _, tt := range tests {
		doc := &document.Document{Ext: "html"}
		if err := readtest.Read(t.Context(), doc, []byte(tt.html), document.Options{}); err != nil {
			t.Errorf("%s: read: %v", tt.name, err)
		} else if doc.Text != tt.want {
			t.Errorf("%s: text %q, want %q", tt.name, doc.Text, tt.want)
		} else if doc.Format != "html" || !doc.Parted {
			t.Errorf("%s: format %q, parted %v, want html, true", tt.name, doc.Format, doc.Parted)
		}
	}
}

func TestHTMLMetadata(t *testing.T) {
	const page = `<!DOCTYPE html><html><head>
		<title> A &amp; B
			of C</title><meta name="Author" content="Jan  Novák"><meta name=author content="no">
		</head><body><svg><title>no</title></svg>text</body></html>`
	doc := &document.Document{}
	if err := readtest.Read(t.Context(), doc, []byte(page), document.Options{}); err != nil {
		t.Fatal(err)
	}
	if doc.Title != "A & B of C" || doc.Author != "Jan Novák" || doc.Text != "text" {
		t.Errorf("title %q, author %q, text %q", doc.Title, doc.Author, doc.Text)
	}
}

func TestHTMLCharset(t *testing.T) {
	tests := []struct{ name, html string }{
		{"none", "<p>žluť"},
		{"byte order mark over meta", "\xef\xbb\xbf<meta charset=iso-8859-2><p>žluť"},
		{"meta", "<meta charset='ISO-8859-2'><p>\xbelu\xbb"},
		{"http-equiv", `<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=windows-1250"><p>` + "\x9elu\x9d"},
		{"XML declaration", `<?xml version="1.0" encoding="windows-1250"?><p>` + "\x9elu\x9d"},
		{"utf-16 that cannot be", "<meta charset=utf-16><p>žluť"},
		{"declaration that is not true", "<body><meta charset=iso-8859-2><p>žluť"},
	}
	for _, tt := range tests {
		doc := &document.Document{Ext: "html"}
		if err := readtest.Read(t.Context(), doc, []byte(tt.html), document.Options{}); err != nil || doc.Text != "žluť" {
			t.Errorf("%s: text %q, %v, want žluť", tt.name, doc.Text, err)
		}
	}
}

// TestStrayBytes replaces a few bytes of a page that declares UTF-8, and notes them. A page with
// more, or without the declaration, is in an unknown encoding.
func TestStrayBytes(t *testing.T) {
	const page = "<!DOCTYPE html><meta charset=UTF-8><p>žluťoučký kůň \xe9\xff konec"
	doc := &document.Document{Ext: "html"}
	err := readtest.Read(t.Context(), doc, []byte(page), document.Options{})
	if want := "žluťoučký kůň \ufffd\ufffd konec"; err != nil || doc.Text != want {
		t.Errorf("text %q, %v, want %q", doc.Text, err, want)
	}
	if want := "2 bytes that are not UTF-8 are replaced"; !slices.Contains(doc.Notes, want) {
		t.Errorf("notes %q, want %q", doc.Notes, want)
	}
	for _, bad := range []string{strings.Replace(page, "<meta charset=UTF-8>", "", 1), page + strings.Repeat(" žluťoučký kůň", charset.MostStray) + strings.Repeat(" \xe9", charset.MostStray)} {
		doc := &document.Document{Ext: "html"}
		if err := readtest.Read(t.Context(), doc, []byte(bad), document.Options{}); !errors.Is(err, format.ErrEncoding) {
			t.Errorf("%.60q is read as %q, %v; want an error about the encoding", bad, doc.Text, err)
		}
	}
}

func TestDetectHTML(t *testing.T) {
	tests := []struct {
		name, content, want string
	}{
		{"a.txt", "<!DOCTYPE HTML>\n<p>x", "html"},
		{"a.txt", "\ufeff\n<!-- by hand -->\n<HTML lang=cs>x", "html"},
		{"a", "<?xml version='1.0'?>\n<html>x", "html"},
		{"a.htm", "just words", "html"},
		{"a.txt", "<p>x</p>", "text"},
		{"a.txt", "<headline>x", "text"},
		{"a.txt", "about <html>", "text"},
		{"a.txt", "<!-- never closed", "text"},
	}
	for _, tt := range tests {
		doc := &document.Document{Ext: strings.TrimPrefix(filepath.Ext(tt.name), ".")}
		if err := readtest.Read(t.Context(), doc, []byte(tt.content), document.Options{}); err != nil || doc.Format != tt.want {
			t.Errorf("%s with %q: format %q, %v, want %s", tt.name, tt.content, doc.Format, err, tt.want)
		}
	}
}

// TestHTMLHostile reads input that takes a tree builder quadratic time or a deep stack.
func TestHTMLHostile(t *testing.T) {
	times := need.Rounds(200_000)
	for _, piece := range []string{"<div>", "<b><p>", "<table><tr><td>", "</b>", "<", "<!--", "&amp;", "<a b=c d=e ", "<pre>", "<template>"} {
		doc := &document.Document{Ext: "html"}
		if err := readtest.Read(t.Context(), doc, []byte("word"+strings.Repeat(piece, times)), document.Options{}); err != nil || !strings.HasPrefix(doc.Text, "word") {
			t.Errorf("%s %d times: %v", piece, times, err)
		}
	}
}

func BenchmarkHTML(b *testing.B) {
	page := []byte("<html><body>" + strings.Repeat("<p class='x'>Příliš <b>žluťoučký</b> kůň úpěl ďábelské ódy &amp; the quick brown fox jumps over the lazy dog, again and again.</p>\n", 10_000))
	b.SetBytes(int64(len(page)))
	b.ReportAllocs()
	for b.Loop() {
		if err := readtest.Read(b.Context(), &document.Document{}, page, document.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

// TestRuby: readings above words are no words of the text.
func TestRuby(t *testing.T) {
	prose := strings.Repeat("copied words here ", 8)
	for _, tt := range []struct{ page, want, notes string }{
		{"<p>one <ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp>字<rt>ji</rt></ruby> two", "one 漢字 two", "[]"},
		{"<p>one <ruby>漢<rt>kan<rt>ji</ruby>字", "one 漢字", "[]"},
		{"<p>one <ruby><rb>漢</rb><rtc><rt>kan</rt></rtc></ruby>字", "one 漢字", "[]"},
		{"<p>one <ruby>x<rt>" + prose + "</rt></ruby> two", "one x two", "[24 words that may be shown are not read: <rt>]"},
	} {
		doc := &document.Document{Ext: "html"}
		if err := readtest.Read(t.Context(), doc, []byte(tt.page), document.Options{}); err != nil || doc.Text != tt.want || fmt.Sprint(doc.Notes) != tt.notes {
			t.Errorf("%s: text %q, notes %v, %v, want %q, %s", tt.page, doc.Text, doc.Notes, err, tt.want, tt.notes)
		}
	}
}

// TestRaisedNumbers: a raised number after a word is left out, by its element or by a style sheet.
func TestRaisedNumbers(t *testing.T) {
	for _, tt := range []struct{ page, want string }{
		{"<p>slovo<sup>1</sup>, a slovo<sup><a href='#2'>[2]</a></sup> 10 cm<sup>2</sup></p><p>konec.<sup>3</sup></p><p><sup>3</sup> note", "slovo, a slovo 10 cm2\n\nkonec.\n\n3 note"},
		{"<p>slovo<a role=doc-noteref href=#n>1</a> slovo<a epub:type=noteref href=#n>2</a> <a epub:type=glossref>dva</a>", "slovo slovo dva"},
		{"<style>.n {vertical-align: super}</style><p>slovo<span class=n>1</span> a<sub>2</sub>", "slovo a2"},
		{"<style>.n {font-size: 0.58em; position: relative; top: -0.33em} .m {font-size: 8pt; vertical-align: 3pt} .o {position: relative; top: -2px}</style><p>slovo<span class=n>1</span> slovo<span class=m>2</span> slovo<span class=o>3</span>", "slovo slovo slovo3"},
	} {
		doc := &document.Document{Ext: "html"}
		if err := readtest.Read(t.Context(), doc, []byte(tt.page), document.Options{}); err != nil || doc.Text != tt.want {
			t.Errorf("%s: text %q, %v, want %q", tt.page, doc.Text, err, tt.want)
		}
	}
}

// TestFrames checks that the reader names the pages of frames.
func TestFrames(t *testing.T) {
	doc := &document.Document{Ext: "html"}
	err := readtest.Read(t.Context(), doc, []byte(`<p>one<frameset><frame src="a.html"></frameset>`), document.Options{})
	if want := "[not read, although it may be shown: <frame> a.html]"; err != nil || doc.Text != "one" || fmt.Sprint(doc.Notes) != want {
		t.Errorf("text %q, notes %v, %v, want the note %s", doc.Text, doc.Notes, err, want)
	}
}

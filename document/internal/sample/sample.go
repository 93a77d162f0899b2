// Package sample makes small files in every format for the tests of their readers.
package sample

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/otisk/otisk/internal/testing/zipped"
)

// Files returns a small file of every format, by name.
func Files(t testing.TB) map[string][]byte {
	czech := strings.Repeat("Příliš žluťoučký kůň úpěl ďábelské ódy. ", 20)
	word := DOCX("<w:p><w:r><w:t>"+czech+"</w:t><w:footnoteReference w:id='2'/></w:r></w:p><w:tbl><w:tr><w:tc><w:p><w:r><w:t>cell</w:t></w:r></w:p></w:tc></w:tr></w:tbl>",
		"word/footnotes.xml", "<w:footnotes><w:footnote w:id='2'><w:p><w:r><w:t>"+czech+"</w:t></w:r></w:p></w:footnote></w:footnotes>")
	return map[string][]byte{
		"a.txt":     []byte(czech),
		"a.html":    []byte("<!DOCTYPE html><html><body><h1>Head</h1><p style='color:red'>" + czech + "</p><pre>a  b</pre></body></html>"),
		"a.xml":     []byte("<?xml version='1.0'?><TEI><teiHeader><title>T</title></teiHeader><text><head>H</head><p>" + czech + "<note>n</note></p></text></TEI>"),
		"a.md":      []byte("---\ntitle: T\n---\n# Head\n\n" + czech + "[a](b) *c*\n\n> " + czech + "\n\n```\ncode\n```\n"),
		"a.tex":     []byte(`\documentclass{article}\begin{document}\section{Head} ` + czech + `\footnote{n} $x$ \begin{verbatim}a\end{verbatim}\end{document}`),
		"a.rtf":     []byte(`{\rtf1\ansicpg1250{\fonttbl{\f0\fcharset238 A;}}{\info{\title T}}\f0 ` + strings.Repeat(`\'9elu\u357?ou\'e8k\'fd {\b k}\'f9\'f2 `, 40) + `{\footnote n}\par end}`),
		"a.docx":    word,
		"a.doc":     OldWord([]Piece{{Text: czech}, {Text: "\x02", Props: Special}, {Text: "hidden", Props: Hidden}, {Text: "\r" + czech + "\r"}}, "note\r"),
		"b.doc":     Word95(0x405, []string{"k\xf9\xf2\x02 a\r", "pokra\xe8uje\r"}, "\x02 note\r"),
		"a.odt":     ODT("", "<text:h>H</text:h><text:p>"+czech+"<text:note><text:note-body><text:p>n</text:p></text:note-body></text:note></text:p>"),
		"a.fodt":    []byte(`<?xml version="1.0"?><office:document office:mimetype="application/vnd.oasis.opendocument.text"><office:body><office:text><text:p>` + czech + `</text:p></office:text></office:body></office:document>`),
		"a.pptx":    PPTX(czech, SlideShape("title", "T")+SlideShape("body", czech), SlideShape("body", czech)),
		"a.odp":     ODF("oasis.opendocument.presentation", "", "<draw:page><draw:frame><draw:text-box><text:p>"+czech+"</text:p></draw:text-box></draw:frame></draw:page>"),
		"a.xlsx":    XLSX("<row><c t='s'><v>0</v></c><c><v>12</v></c></row>", "<t>"+czech+"</t>"),
		"a.ods":     ODF("oasis.opendocument.spreadsheet", "", "<table:table table:name='A'><table:table-row><table:table-cell><text:p>"+czech+"</text:p></table:table-cell></table:table-row></table:table>"),
		"a.sxw":     ODF("sun.xml.writer", "", "<text:p>"+czech+"</text:p>"),
		"a.adoc":    []byte("= T\nA\n\n== H\n\n" + czech + "footnote:[n] *b* <<x,y>>\n\n|===\n|a |b\n|===\n\n____\n" + czech + "\n____\n\n----\ncode\n----\n"),
		"a.rst":     []byte("Title\n=====\n\n" + czech + "``c`` [1]_\n\n.. [1] note\n\n.. code:: x\n\n   a\n\n.. note:: " + czech + "\n\n* item::\n\n   b\n"),
		"a.wiki":    []byte("== H ==\n" + czech + "<ref>note</ref> '''i''' [[a|b]]\n{|\n| a || b\n|}\n"),
		"a.textile": []byte("h1. H\n\n" + czech + "[1] *i* \"a\":b\n\nbq. q\n\n|a|b|\n\nfn1. note\n"),
		"a.org":     []byte("#+TITLE: T\n* H\n" + czech + "[fn:1] /i/ [[a][b]]\n#+BEGIN_QUOTE\nq\n#+END_QUOTE\n| a | b |\n[fn:1] note\n"),
		"a.typ":     []byte("#set text(size: 10pt)\n= H\n" + czech + "#footnote[n] #text(white)[w] $x$ `c` #f(a: \"b\", [c], (1, {2}))[d]\n\n```x\ncode\n```\n"),
		"a.srt":     []byte("1\n00:00:01,000 --> 00:00:02,000\n<i>" + czech + "</i>\n\n2\n00:00:03,000 --> 00:00:04,000\n" + czech + "\n"),
		"a.ipynb":   []byte(`{"cells":[{"cell_type":"markdown","source":["# H\n","` + czech + `"]},{"cell_type":"code","source":"x = 1"}],"metadata":{},"nbformat":4}`),
		"2003.xml":  []byte(`<w:wordDocument xmlns:w="http://schemas.microsoft.com/office/word/2003/wordml"><w:body><w:p><w:r><w:t>` + czech + `</w:t></w:r></w:p></w:body></w:wordDocument>`),
		"a.dbk":     []byte("<article xmlns=\"http://docbook.org/ns/docbook\"><title>T</title><para>" + czech + "<footnote><para>n</para></footnote></para></article>"),
		"a.fb2":     []byte("<FictionBook><description><title-info><book-title>T</book-title></title-info></description><body><section><title><p>H</p></title><p>" + czech + "</p></section></body><binary id='a'>QUJD</binary></FictionBook>"),
		"a.nxml":    []byte("<article dtd-version='1.2'><front><abstract><p>" + czech + "</p></abstract></front><body><sec><title>H</title><p>" + czech + "</p></sec></body></article>"),
		"a.mobi":    Mobi(1, "<html><h1>H</h1><p>"+czech, "<p>"+czech),
		"a.xls":     OldBook([]string{"shared", czech}, XLSRecord(0x00FD, Shorts(0, 0, 0), Numbers(1)), XLSRecord(0x0203, Shorts(0, 1, 0), Float(0.1)), XLSRecord(0x0204, Shorts(1, 0, 0, 3), "\x00abc")),
		"a.ppt":     OldSlides("T", czech, czech, false),
		"a.epub":    EPUB("<html><body><p>" + czech + "</p></body></html>"),
		"a.pdf":     PDF(At(50, 600, "A line of the text that is here")+At(62, 600, `\264`), Picture+At(50, 500, "more text")),
		"a.djvu":    DjVu("prvni radek", czech),
		"a.eml":     Mail(Multipart("mixed", "Content-Type: text/html; charset=utf-8\n\n<p>"+czech, "Content-Type: application/x; name=a.docx\nContent-Transfer-Encoding: base64\n\n"+base64.StdEncoding.EncodeToString(word))),
		"a.mbox":    []byte("From a\n" + string(Mail("", czech)) + "\nFrom b\n" + string(Mail("", czech))),
		"a.vert":    []byte("<doc id=\"a\" title=\"T\">\n<p>\n" + strings.Repeat("kůň\tkůň\tN\n<g/>\n.\t.\tZ\n", 40) + "</p>\n</doc>\n<doc>\nb\n</doc>\n"),
		"a.zip":     zipped.Of("a.txt", czech, "dir/a.docx", string(word)),
		"a.tar":     Tarred(t, "a.txt", czech, "b.html", "<p>"+czech),
		"a.tar.gz":  Gzipped(t, Tarred(t, "a.txt", czech, "b.html", "<p>"+czech), ""),
		"a.txt.gz":  Gzipped(t, []byte(czech), ""),
	}
}

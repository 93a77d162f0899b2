package document

import (
	"encoding/base64"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/otisk/otisk/document/layout"
	"github.com/otisk/otisk/internal/testing/damage"
	"github.com/otisk/otisk/internal/testing/need"
	"github.com/otisk/otisk/internal/testing/zipped"
)

// sampleFiles returns a small file of every format, by name.
func sampleFiles(t testing.TB) map[string][]byte {
	czech := strings.Repeat("Příliš žluťoučký kůň úpěl ďábelské ódy. ", 20)
	word := docx(t, "<w:p><w:r><w:t>"+czech+"</w:t><w:footnoteReference w:id='2'/></w:r></w:p><w:tbl><w:tr><w:tc><w:p><w:r><w:t>cell</w:t></w:r></w:p></w:tc></w:tr></w:tbl>",
		"word/footnotes.xml", "<w:footnotes><w:footnote w:id='2'><w:p><w:r><w:t>"+czech+"</w:t></w:r></w:p></w:footnote></w:footnotes>")
	return map[string][]byte{
		"a.txt":    []byte(czech),
		"a.html":   []byte("<!DOCTYPE html><html><body><h1>Head</h1><p style='color:red'>" + czech + "</p><pre>a  b</pre></body></html>"),
		"a.xml":    []byte("<?xml version='1.0'?><TEI><teiHeader><title>T</title></teiHeader><text><head>H</head><p>" + czech + "<note>n</note></p></text></TEI>"),
		"a.md":     []byte("---\ntitle: T\n---\n# Head\n\n" + czech + "[a](b) *c*\n\n> " + czech + "\n\n```\ncode\n```\n"),
		"a.tex":    []byte(`\documentclass{article}\begin{document}\section{Head} ` + czech + `\footnote{n} $x$ \begin{verbatim}a\end{verbatim}\end{document}`),
		"a.rtf":    []byte(`{\rtf1\ansicpg1250{\fonttbl{\f0\fcharset238 A;}}{\info{\title T}}\f0 ` + strings.Repeat(`\'9elu\u357?ou\'e8k\'fd {\b k}\'f9\'f2 `, 40) + `{\footnote n}\par end}`),
		"a.docx":   word,
		"a.doc":    oldWord([]docTestPiece{{text: czech}, {text: "\x02", props: docSpecial}, {text: "hidden", props: docHidden}, {text: "\r" + czech + "\r"}}, "note\r"),
		"b.doc":    word95(0x405, []string{"k\xf9\xf2\x02 a\r", "pokra\xe8uje\r"}, "\x02 note\r"),
		"a.odt":    odt(t, "", "<text:h>H</text:h><text:p>"+czech+"<text:note><text:note-body><text:p>n</text:p></text:note-body></text:note></text:p>"),
		"a.fodt":   []byte(`<?xml version="1.0"?><office:document office:mimetype="application/vnd.oasis.opendocument.text"><office:body><office:text><text:p>` + czech + `</text:p></office:text></office:body></office:document>`),
		"a.pptx":   pptx(t, czech, slideShape("title", "T")+slideShape("body", czech), slideShape("body", czech)),
		"a.odp":    odf("oasis.opendocument.presentation", "", "<draw:page><draw:frame><draw:text-box><text:p>"+czech+"</text:p></draw:text-box></draw:frame></draw:page>"),
		"a.xlsx":   xlsx(t, "<row><c t='s'><v>0</v></c><c><v>12</v></c></row>", "<t>"+czech+"</t>"),
		"a.ods":    odf("oasis.opendocument.spreadsheet", "", "<table:table table:name='A'><table:table-row><table:table-cell><text:p>"+czech+"</text:p></table:table-cell></table:table-row></table:table>"),
		"a.sxw":    odf("sun.xml.writer", "", "<text:p>"+czech+"</text:p>"),
		"a.adoc":   []byte("= T\nA\n\n== H\n\n" + czech + "footnote:[n] *b* <<x,y>>\n\n|===\n|a |b\n|===\n\n____\n" + czech + "\n____\n\n----\ncode\n----\n"),
		"a.rst":    []byte("Title\n=====\n\n" + czech + "``c`` [1]_\n\n.. [1] note\n\n.. code:: x\n\n   a\n\n.. note:: " + czech + "\n\n* item::\n\n   b\n"),
		"a.org":    []byte("#+TITLE: T\n* H\n" + czech + "[fn:1] /i/ [[a][b]]\n#+BEGIN_QUOTE\nq\n#+END_QUOTE\n| a | b |\n[fn:1] note\n"),
		"a.typ":    []byte("#set text(size: 10pt)\n= H\n" + czech + "#footnote[n] #text(white)[w] $x$ `c` #f(a: \"b\", [c], (1, {2}))[d]\n\n```x\ncode\n```\n"),
		"a.srt":    []byte("1\n00:00:01,000 --> 00:00:02,000\n<i>" + czech + "</i>\n\n2\n00:00:03,000 --> 00:00:04,000\n" + czech + "\n"),
		"a.ipynb":  []byte(`{"cells":[{"cell_type":"markdown","source":["# H\n","` + czech + `"]},{"cell_type":"code","source":"x = 1"}],"metadata":{},"nbformat":4}`),
		"a.dbk":    []byte("<article xmlns=\"http://docbook.org/ns/docbook\"><title>T</title><para>" + czech + "<footnote><para>n</para></footnote></para></article>"),
		"a.nxml":   []byte("<article dtd-version='1.2'><front><abstract><p>" + czech + "</p></abstract></front><body><sec><title>H</title><p>" + czech + "</p></sec></body></article>"),
		"a.mobi":   mobi(1, "<html><h1>H</h1><p>"+czech, "<p>"+czech),
		"a.xls":    oldBook([]string{"shared", czech}, xlsRecord(0x00FD, shorts(0, 0, 0), numbers(1)), xlsRecord(0x0203, shorts(0, 1, 0), float(0.1)), xlsRecord(0x0204, shorts(1, 0, 0, 3), "\x00abc")),
		"a.ppt":    oldSlides("T", czech, czech, false),
		"a.epub":   epub(t, "<html><body><p>"+czech+"</p></body></html>"),
		"a.pdf":    makePDF(at(50, 600, "A line of the text that is here")+at(62, 600, `\264`), picture+at(50, 500, "more text")),
		"a.djvu":   djvuOf("prvni radek", czech),
		"a.eml":    mailed(multiparts("mixed", "Content-Type: text/html; charset=utf-8\n\n<p>"+czech, "Content-Type: application/x; name=a.docx\nContent-Transfer-Encoding: base64\n\n"+base64.StdEncoding.EncodeToString(word))),
		"a.mbox":   []byte("From a\n" + string(mailed("", czech)) + "\nFrom b\n" + string(mailed("", czech))),
		"a.vert":   []byte("<doc id=\"a\" title=\"T\">\n<p>\n" + strings.Repeat("kůň\tkůň\tN\n<g/>\n.\t.\tZ\n", 40) + "</p>\n</doc>\n<doc>\nb\n</doc>\n"),
		"a.zip":    zipped.Of("a.txt", czech, "dir/a.docx", string(word)),
		"a.tar":    tarred(t, "a.txt", czech, "b.html", "<p>"+czech),
		"a.tar.gz": gzipped(t, tarred(t, "a.txt", czech, "b.html", "<p>"+czech), ""),
		"a.txt.gz": gzipped(t, []byte(czech), ""),
	}
}

// known are the errors that say why a file cannot be read.
var known = []error{ErrEmpty, ErrNoLayer, ErrBinary, ErrEncoding, ErrTooLarge, ErrDamaged, ErrNested, ErrEncrypted}

// checkEach reads data as a file of that name: each of its documents is valid,
// and each error one of the known.
func checkEach(t *testing.T, name string, data []byte) error {
	t.Helper()
	check := func(err error) {
		for _, k := range known {
			if errors.Is(err, k) {
				return
			}
		}
		t.Fatalf("%s: error %v, want one that says why", name, err)
	}
	err := each(t.Context(), Document{Path: name, Ext: extension(name)}, data, Options{MaxBytes: 1 << 20}, func(doc *Document, err error) error {
		if err != nil {
			check(err)
			return nil
		}
		if !utf8.ValidString(doc.Text) || doc.Text == "" || !utf8.ValidString(doc.Title+doc.Author) {
			t.Fatalf("%s: text %q, title %q, author %q, want valid UTF-8", name, doc.Text, doc.Title, doc.Author)
		}
		if !strings.HasPrefix(doc.Path, name) {
			t.Fatalf("%s: document %q", name, doc.Path)
		}
		checkPlaces(t, doc)
		return nil
	})
	if err != nil {
		check(err)
	}
	return err
}

// TestDamage reads files of every format whole, cut, and with bytes changed,
// put in and taken out.
func TestDamage(t *testing.T) {
	for name, whole := range sampleFiles(t) {
		if err := checkEach(t, name, whole); err != nil {
			t.Errorf("%s, whole: %v", name, err)
		}
		random := rand.New(rand.NewPCG(7, uint64(len(whole))))
		for range need.Rounds(60) {
			checkEach(t, name, damage.Of(random, whole))
		}
	}
}

// FuzzEach reads files of every format but PDF, collections too.
func FuzzEach(f *testing.F) {
	for name, data := range sampleFiles(f) {
		f.Add(name, data)
	}
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		if layout.Looks(data) || !utf8.ValidString(name) || len(data) > 1<<20 {
			t.Skip("an engine, or larger than allowed")
		}
		checkEach(t, name, data)
	})
}

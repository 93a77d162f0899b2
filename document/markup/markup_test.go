package markup_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/document/internal/readtest"
)

// TestSigns reads texts that are written with signs in them.
func TestSigns(t *testing.T) {
	tests := []struct {
		name, ext, text string
		want            string
		marks           string
	}{
		{"AsciiDoc", "adoc", "= Heron\nJan Novák <jan@example.org>\n:toc:\n\n== Head\n\nText *bold*, _italic_ and `code` with https://example.org[a link].footnote:[A *note*.] Snake_case_stays.\n// gone\n\n* one\n* two\n+\nmore\n\nterm:: meaning\n\n.Caption\n|===\n|a |b\n2+|c\n|===\n\n[source,go]\n----\nx := *y*\n\n----\n\n[quote, Somebody]\n____\nSaid.\n____\n\n////\ngone\n////\nSee <<head,the head>>. ((index)) image:x.png[gone]\n\ninclude::x.adoc[]\n",
			"Heron\n\nHead\n\nText bold, italic and code with a link. Snake_case_stays.\n\nA note.\n\none\n\ntwo\n\nmore\n\nterm\n\nmeaning\n\nCaption\n\na\tb\nc\n\nx := *y*\n\nSaid.\n\nSee the head. index [1 included file is not read]",
			"heading Heron; heading Head; footnote A note.; quote Said."},
		{"reStructuredText", "rst", ":Author: Jan Novák\n\n=====\nHeron\n=====\n\nHead\n----\n\nText *em*, **strong**, ``code`` and `a link <http://x>`_ with :ref:`target <x>` [1]_ and word_.\n\n.. [1] A note\n   goes on.\n\n.. comment\n   gone\n\n* one\n* two\n\n.. note:: Take\n   care.\n\n.. code-block:: go\n   :linenos:\n\n   x := *y*\n\n.. image:: x.png\n   :alt: gone\n\nCode::\n\n  a *b*\n\n.. epigraph::\n\n   Said.\n\n+---+---+\n| a | b |\n+---+---+\n",
			"Heron\n\nHead\n\nText em, strong, code and a link with target and word.\n\nA note\n\ngoes on.\n\none\n\ntwo\n\nTake care.\n\nx := *y*\n\nCode:\n\na *b*\n\nSaid.\n\na\tb",
			"heading Heron; heading Head; footnote A note; quote Said."},
		{"Org", "org", "#+TITLE: Heron\n#+AUTHOR: Jan Novák\n\n* TODO Head :tag:\n:PROPERTIES:\n:ID: gone\n:END:\nText /em/, *strong*, =code= and [[http://x][a link]][fn:1] and/or.\n# gone\n\n- one\n- two :: three\n\n#+BEGIN_SRC go\nx := *y*\n#+END_SRC\n\n#+BEGIN_QUOTE\nSaid.\n#+END_QUOTE\n\n| a | b |\n|---+---|\n| c | d |\n\n#+BEGIN_COMMENT\ngone\n#+END_COMMENT\n\n[fn:1] A note.\n",
			"Heron\n\nHead\n\nText em, strong, code and a link and/or.\n\none\n\ntwo three\n\nx := *y*\n\nSaid.\n\na\tb\nc\td\n\nA note.",
			"heading Heron; heading Head; quote Said.; footnote A note."},
		{"Textile", "textile", "h1(#top). Heron\n\np(intro). Text _em_, *strong*, %{color:red}red%, b[*ol*]d, @code@ and \"a link(title)\":http://x.y, 2 - 1 snake_case_name[1].\n\n* one\n** two\n- three := four\n\nbc.. x := *y*\n\nz\n\nbq. Said.\n\ntable(c). a sum\n|_. a|b|\n|\\2=. c|d|\n\n###. gone\n\n[x]http://x.y\n\n!x.png(a picture)! end&#8230;\n\nfn1. A note.\n",
			"Heron\n\nText em, strong, red, bold, code and a link, 2 - 1 snake_case_name.\n\none\n\ntwo\n\nthree four\n\nx := *y*\n\nz\n\nSaid.\n\na\tb\nc\td\n\nend…\n\nA note.",
			"heading Heron; quote Said.; footnote A note."},
		{"Typst", "typ", "#set document(title: [Heron], author: \"Jan Novák\")\n#import \"x.typ\": *\n\n= Head <head>\nText *strong*, _em_ and `code` see @head#footnote[A note.] and $x^2$ so. // gone\n/* gone */\n\n- one\n- #link(\"http://x\")[two]\n\n#figure(image(\"x.png\"), caption: [Caption])\n\n#quote(block: true)[Said.]\n\n```go\nx := *y*\n```\n\n#let f(x) = {\n  [gone]\n}\n#if true [shown] else [too]\n\n#table(columns: 2, [a], [b])\n",
			"Head\n\nText strong, em and code see and so.\n\nA note.\n\none\n\ntwo\n\nCaption\n\nSaid.\n\nx := *y*\n\nshowntoo\n\na\tb",
			"heading Head; note mark ; footnote A note.; quote Said."},
		{"SubRip", "srt", "1\r\n00:00:01,000 --> 00:00:02,000\r\n<i>Dobrý</i> den,\r\npane.\r\n\r\n2\r\n00:00:03,000 --> 00:00:04,000\r\n{\\an8}Dobrý.\r\n", "Dobrý den,\npane.\nDobrý.", ""},
		{"WebVTT", "vtt", "WEBVTT\n\nNOTE gone\n\nSTYLE\n::cue {}\n\nid\n00:01.000 --> 00:02.000 align:left\n<v Jan>Q &amp; A</v>\n", "Q & A", ""},
		{"Jupyter", "ipynb", `{"cells":[{"cell_type":"markdown","source":["# Head\n","Text *em*."]},{"cell_type":"code","source":"x = '# y'","outputs":[{"text":"gone"}]}],"metadata":{"authors":[{"name":"Jan Novák"}],"title":"Heron"},"nbformat":4}`,
			"Head\n\nText em.\n\nx = '# y' [1 word that may be shown is not read: outputs]", "heading Head"},
		{"DocBook", "xml", `<?xml version="1.0"?><!DOCTYPE article PUBLIC "-//OASIS//DTD DocBook XML V4.5//EN" "x" [<!ENTITY me "the program">]><article><articleinfo><title>Heron</title><author><firstname>Jan</firstname><surname>Novák</surname></author></articleinfo><section><title>Head</title><para>Text of &me;<footnote><para>A note.</para></footnote>, <literal>code</literal>s.</para><blockquote><para>Said.</para></blockquote><indexterm>gone</indexterm></section></article>`,
			"Heron\n\nHead\n\nText of the program, codes.\n\nA note.\n\nSaid.", "heading Heron; heading Head; note mark ; footnote A note.; quote Said."},
		{"JATS", "xml", `<article article-type="research-article"><front><journal-meta>gone</journal-meta><article-meta><title-group><article-title>Heron</article-title></title-group><contrib><name><surname>Novák</surname><given-names>Jan</given-names></name></contrib><abstract><p>In short.</p></abstract></article-meta></front><body><sec><title>Head</title><p>Text<fn><p>A note.</p></fn> <italic>it</italic>s<tex-math>gone</tex-math>.</p></sec></body><back><ref-list><ref><mixed-citation><surname>A</surname><year>2000</year></mixed-citation></ref></ref-list></back></article>`,
			"In short.\n\nHead\n\nText its.\n\nA note.\n\nA 2000", "heading Head; note mark ; footnote A note."},
	}
	for _, tt := range tests {
		doc := &document.Document{Ext: tt.ext}
		if err := readtest.Read(t.Context(), doc, []byte(tt.text), document.Options{}); err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		got := doc.Text
		if len(doc.Notes) > 0 {
			got += " " + fmt.Sprint(doc.Notes)
		}
		if got != tt.want {
			t.Errorf("%s: text\n%q, want\n%q", tt.name, got, tt.want)
		}
		var marks []string
		for _, m := range doc.Marks {
			marks = append(marks, string(m.Kind)+" "+doc.Text[m.Start:m.End])
		}
		if got := strings.Join(marks, "; "); got != tt.marks {
			t.Errorf("%s: marks %q, want %q", tt.name, got, tt.marks)
		}
		if tt.marks != "" && (doc.Author != "Jan Novák" && tt.ext != "textile" || doc.Title != "Heron") {
			t.Errorf("%s: title %q, author %q", tt.name, doc.Title, doc.Author)
		}
	}
}

func TestTypstHidden(t *testing.T) {
	tests := map[string]string{
		`a #text(fill: white)[secret] b`:                   "hidden text 6 white on white",
		`a #text(white)[secret] b`:                         "hidden text 6 white on white",
		`a #text(size: 1pt)[secret] b`:                     "hidden text 6 too small to see",
		`a #hide[secret] b`:                                "hidden text 6 drawn invisibly",
		"a\n = b\n   ":                                     "",
		`a #box(fill: black)[#text(white)[seen]] b`:        "",
		`a #text(fill: red, size: 12pt)[seen] b`:           "",
		`a #table(fill: blue, text(white)[seen]) b`:        "",
		`a #text(fill: rgb("#ffffff"))[secret #emph[x]] b`: "hidden text 7 white on white",
	}
	for text, want := range tests {
		doc := &document.Document{Ext: "typ"}
		if err := readtest.Read(t.Context(), doc, []byte(text), document.Options{}); err != nil || readtest.Flagged(doc) != want {
			t.Errorf("%s: text %q, flags %q, %v, want %q", text, doc.Text, readtest.Flagged(doc), err, want)
		}
	}
	if err := readtest.Read(t.Context(), &document.Document{Ext: "typ"}, []byte("a"+strings.Repeat("#a[", 5000)), document.Options{}); !errors.Is(err, document.ErrDamaged) {
		t.Errorf("5,000 brackets in each other: error %v, want %v", err, document.ErrDamaged)
	}
}

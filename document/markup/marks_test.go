package markup_test

import (
	"fmt"
	"testing"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/document/internal/readtest"
)

// TestMarksInWords: marks inside words, citations and raised numbers of notes leave the words as
// they are shown, and what is shown in another output only is noted.
func TestMarksInWords(t *testing.T) {
	for _, tt := range []struct{ ext, text, want, notes string }{
		{"adoc", "har**bour** w__ee__k p##or##t c``od``e decided^12^, 10 m^2^ H~2~O cite:[novak]", "harbour week port code decided, 10 m2 H2O", "[]"},
		{"adoc", "a * b ** c and 2 ** 3", "a * b ** c and 2 ** 3", "[]"},
		{"adoc", "one\n\n++++\n<p>raw words</p>\n++++", "one", "[2 words that may be shown are not read: ++++]"},
		{"org", "slovo [cite:@novak p. 12] a [cite/t:@smith;@doe] dva^3 cite:novak2001 \\cite{doe} x^2", "slovo a dva x2", "[]"},
		{"org", "a\u200b*b*\u200bc", "a\u200bb\u200bc", "[]"},
		{"typ", "slovo#super[1] slovo#super(\"2\") dva m#super[2]", "slovo slovo dva m2", "[]"},
		{"org", "one\n#+begin_export html\nraw words\n#+end_export", "one", "[2 words that may be shown are not read: #+begin_export]"},
		{"rst", `har\ **bour**\ x slovo :cite:p:` + "`novak`" + ` dva\ :sup:` + "`1`" + ` m\ :sup:` + "`2`" + ``, "harbourx slovo dva m2", "[]"},
		{"rst", "one |a| and |B|\n\n.. |a| replace:: two\n   three\n.. |b| replace:: four", "one two three and four", "[]"},
		{"rst", "one |a| two |b|\n\n.. |a| unicode:: 0x63 op U+0069 ed .. a comment\n   :trim:\n.. |b| unicode:: words", "one copied two words", "[]"},
		{"rst", "one\n\n.. math::\n\n   \\text{two three four five six seven eight nine}\n\ntwo", "one\n\ntwo", "[8 words that may be shown are not read: math::]"},
		{"rst", "one\n\n.. math::\n\n   a^2 + b^2 = c^2\n\ntwo", "one\n\ntwo", "[]"},
		{"rst", ":Abstract: one two three four five six seven eight\n\nnine", "one two three four five six seven eight\n\nnine", "[]"},
		{"rst", "one\n\n.. zzz:: two three four five six seven eight nine", "one", "[8 words that may be shown are not read: zzz::]"},
		{"rst", "one\n\n.. image:: a.png\n   :alt: two three four five six seven eight", "one", "[8 words that may be shown are not read: image::]"},
		{"org", "one\n:NOTES:\ntwo\n:END:\nthree\n:LOGBOOK:\nfour\n:END:\nfive", "one\n\ntwo\n\nthree\n\nfive", "[]"},
		{"org", "* one\n* TODO COMMENT a b\nc d\n** e\n#+begin_src c\n** f\n#+end_src\n* two\n** three :x:noexport:\ng h\n* four\n* COMMENTS five", "one\n\ntwo\n\nfour\n\nCOMMENTS five", "[19 words that may be shown are not read: COMMENT, :noexport:]"},
		{"asciidoc", "one\n\nifeval::[\"{x}\" == \"y\"]\ntwo\nendif::[]\nifdef::x[three]\nifndef::x[four]", "one\n\ntwo three four", "[]"},
		{"textile", "slovo[^1^], H[~2~]O 10 cm[^2^]", "slovo, H2O 10 cm2", "[]"},
		{"org", "#+MACRO: a two $1\none {{{A(three)}}} {{{b}}}", "one two three", "[]"},
		{"org", "#+HTML: one two three four five six seven eight\nnine", "nine", "[8 words that may be shown are not read: #+HTML]"},
		{"org", "#+SUBTITLE: one\ntwo", "one\n\ntwo", "[]"},
		{"adoc", ":a: two \\\nthree\n\none {a} {b}", "one two three {b}", "[]"},
		{"adoc", "one\n\nimage::a.png[two three four five six seven eight nine]", "one", "[8 words that may be shown are not read: image::]"},
		{"adoc", "to +one+ ++two++ C++ the dog`'s https://a.b[page^] https://a.b[\"one, two\",role=x] anchor:x[]menu:File[Save]", "to one two C++ the dog's page one, two File[Save]", "[]"},
		{"adoc", "one *two*\rthree\r\rfour", "one two three\n\nfour", "[]"},
		{"org", "caf\\eacute @@latex:\\foo{}@@and na\\iuml{}ve x^{up} a_{low} \\mine", "café and naïve xup alow \\mine", "[]"},
		{"rst", "one\n\n.. _a:\n\n   two\n\n..\n\n   three\n\n.. note ::\n\n   four\n\n.. _b:\n   http://c\n.. d\n\n   e\n\nfive", "one\n\ntwo\n\nthree\n\nfour\n\nfive", "[]"},
		{"rst", "one ``a|b|c_ *d``, *two* ``e``", "one a|b|c_ *d, two e", "[]"},
		{"rst", "one\n\n.. csv-table:: two\n   :header: three, four\n   :widths: 1, 2\n\n   five, six", "one\n\ntwo\n\nthree, four\n\nfive, six", "[]"},
		{"typ", "one #read(\"a.txt\")", "one", "[1 included file is not read]"},
		{"typ", "one #table(..csv(\"a.csv\"))\n#let a = json(\"b.json\")\n", "one", "[2 included files are not read]"},
		{"rst", "one\n\n.. raw:: html\n\n   raw words\n\ntwo", "one\n\ntwo", "[2 words that may be shown are not read: raw::]"},
	} {
		doc := &document.Document{Ext: tt.ext}
		if err := readtest.Read(t.Context(), doc, []byte(tt.text), document.Options{}); err != nil || doc.Text != tt.want || fmt.Sprint(doc.Notes) != tt.notes {
			t.Errorf("%s %q: text %q, notes %v, %v, want %q, %s", tt.ext, tt.text, doc.Text, doc.Notes, err, tt.want, tt.notes)
		}
	}
}

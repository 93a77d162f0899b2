package markup_test

import (
	"testing"
	"unicode/utf8"

	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/document/markup"
)

// FuzzReaders reads texts that may have any signs in them: there is a text, or an error.
func FuzzReaders(f *testing.F) {
	for _, s := range []string{"= a\n_b_ #f(x)[c] #{ [d] } $x$ `e` // g\n   ", "a\n=\n.. b:: c\n   d\n`e`_ |f| [1]_\n", "#+BEGIN_QUOTE\n[fn:1] /a/\n| b |\n* c :d:\n", "h1(x). a\n\nbq.. _b_\n\nfn1. \"c\":d[1]\n|_. e|!f(g)!\n", "= a\n[quote]\n____\nfootnote:[b] <<c,d>>\n|===\n|e\n|===\n",
		"1\n00:00:01,000 --> 00:00:02,000\n<i>a</i>\n", `{"cells":[{"cell_type":"code","source":["a"]}],"nbformat":4}`} {
		f.Add(s)
	}
	readers := []format.Reader{markup.AsciiDoc, markup.RST, markup.Org, markup.Textile, markup.Typst, markup.Subtitles, markup.Notebook}
	f.Fuzz(func(t *testing.T, data string) {
		for _, read := range readers {
			text, err := read(t.Context(), &format.Source{Data: []byte(data), Budget: format.Budget{Bytes: 1 << 20}})
			if err != nil {
				continue
			}
			for _, m := range text.Marks {
				if m.Start < 0 || m.End < m.Start || (m.End == m.Start) != (m.Kind == format.NoteMark) || m.End > len(text.Text) {
					t.Fatalf("%q: mark %v in %d bytes", data, m, len(text.Text))
				}
			}
			if !utf8.ValidString(text.Text) {
				t.Fatalf("%q: text %q, want valid UTF-8", data, text.Text)
			}
		}
	})
}

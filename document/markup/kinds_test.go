package markup_test

import (
	"strings"
	"testing"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/document/internal/readtest"
)

// TestKinds checks text that other formats of the same kind write in their own way.
func TestKinds(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"a.ass", "[Script Info]\nTitle: x\n[Events]\nFormat: Layer, Start\nDialogue: 0,0:00:01.00,0:00:02.00,Default,,0,0,0,,{\\i1}The {unseen}commis-\\Nsion,\\hof\\nthe town\nComment: 0,0:00:01.00,0:00:02.00,Default,,0,0,0,,unseen\n", "The commis-\nsion, of\nthe town"},
		{"b.ass", "[Script Info]\n[Events]\nFormat: Start, End, Text\nDialogue: 0:00:01.00,0:00:02.00,The {\\p1}m 0 0 l 9 0{\\p0}commission, of\n", "The commission, of"},
		{"a.sub", "{1}{50}The com|mission\n{51}{}{y:i}of\n", "The com\nmission\nof"},
		{"a.sbv", "0:00:01.000,0:00:02.000\nThe commission\n\n0:00:03.000,0:00:04.000\nof\n", "The commission\nof"},
		{"a.vtt", "WEBVTT\n\n00:01.000 --> 00:02.000\nThe <ruby>town<rt>tau</rt></ruby>\n", "The town"},
		{"a.ttml", `<tt xml:lang="" xmlns="http://www.w3.org/ns/ttml"><head/><body><div><p begin="1s">The commission</p></div></body></tt>`, "The commission"},
		{"b.md", `<svg xmlns="http://www.w3.org/2000/svg"></svg>` + "\n\n# One\n", "One"},
		{"b.rst", "One\n\n..\n   unseen\n\n__ http://a.b\n\n.. dropdown:: The title\n\n   Its text\n", "One\n\nThe title\n\nIts text"},
		{"a.smi", "<SAMI><BODY><SYNC Start=1><P Class=C>The com<b>mission</b><SYNC Start=2><P>of<br>the</BODY></SAMI>", "The commission\n\nof\nthe"},
		{"a.lrc", "[00:01.00][00:05]The commission\n", "The commission"},
		{"a.srt", "1\r00:00:01,000 --> 00:00:02,000\rThe commission\r", "The commission"},
		{"a.ipynb", "\ufeff" + `{"nbformat":4,"cells":[{"cell_type":"markdown","source":"The commission"}]}`, "The commission"},
		{"a.md", "---\ntitle: x\n...\nThe [com](http://a.b/c_(d) \"e (f)\")mission H~2~O [[g|of]] {% if h %}the {ref}`town <i>` {cite:p}`j`\n\n- [x] hall", "The commission H2O of the town\n\nhall"},
		{"b.wiki", "one\n<gallery>\nFile:a.jpg|The caption\nb.png\n</gallery>\n", "one\n\nThe caption\n"},
		{"a.adoc", "The har{empty}bour {lsquo}commission{rsquo}\n", "The harbour ‘commission’"},
		{"b.adoc", "The harbourfootnoteref:[x,A note] indexterm:[harbour, town]commissionfootnoteref:[x] met.\n", "The harbour commission met.\n\nA note"},
		{"a.qmd", "::: {.callout-note title=\"The title\"}\nIts text\n:::\n", "The title\n\nIts text"},
		{"a.rmd", "```{r fig.cap=\"The caption\"}\nplot(x)\n```\n", "The caption\n\nplot(x)"},
		{"a.org", "The commis¬\nsion\n", "The commis¬\nsion"},
		{"a.rst", "The commis\u00ad\nsion\n", "The commis\u00ad\nsion"},
		{"a.wiki", "== Head ==\nAccording<ref>A note</ref> to'''day'''<sup>2</sup>.\n[[File:a.jpg|thumb|The caption]]\n", "Head\n\nAccording today.\n\nThe caption\n\nA note\n"},
		{"a.tei", `<TEI><text><body><p>The commis-<lb/>sion According<xref ref-type="bibr">2</xref> to</p></body></text></TEI>`, "The commis-\nsion According to"},
	} {
		doc, err := document.Open(t.Context(), readtest.Write(t, tt.name, tt.text), document.Options{})
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
		} else if doc.Text != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, doc.Text, tt.want)
		}
	}
}

// TestChunkFile checks that the reader notes a chunk of R Markdown that includes another file.
func TestChunkFile(t *testing.T) {
	doc, err := document.Open(t.Context(), readtest.Write(t, "a.rmd", "Some text\n\n```{r child='part.Rmd'}\n```\n"), document.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(strings.Join(doc.Notes, ""), "part.Rmd") {
		t.Errorf("notes %q, want one about part.Rmd", doc.Notes)
	}
}

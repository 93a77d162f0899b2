package web_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/document/internal/readtest"
)

func TestMarkdown(t *testing.T) {
	tests := []struct{ name, md, want string }{
		{"paragraphs", "one\ntwo\n\nthree", "one\ntwo\n\nthree"},
		{"headings", "# One #\ntext\n\nTwo\n===\nmore", "One\n\ntext\n\nTwo\n\nmore"},
		{"emphasis", "a **bold** and *thin* and ~~gone~~ `code` snake_case", "a bold and thin and gone code snake_case"},
		{"links", "see [this page](https://example.org/a_b \"T\") and [that][1] ![alt](x.png)\n\n[1]: https://example.org", "see this page and that alt"},
		{"list", "- one\n- two\n  more\n1. three", "one\n\ntwo\nmore\n\nthree"},
		{"quote", "> one\n> two\n\nthree", "one\ntwo\n\nthree"},
		{"code", "a\n```go\nx := *p\n```\nb", "a\n\nx := *p\n\nb"},
		{"table", "| a | b |\n|---|---|\n| c | d |", "a\tb\nc\td"},
		{"HTML", "one <b class='x'>two</b> &amp; <!-- no --> 1 < 2", "one two & 1 < 2"},
		{"rule", "one\n\n* * *\n\ntwo", "one\n\ntwo"},
		{"note", "one[^1] two\n\n[^1]: see there", "one two\n\nsee there"},
		{"escape", `1\. \*no\*`, "1. *no*"},
		{"blocks that are not shown", "one\n<!-- no\n\n```\nno\n--> two\n\n<script>\n\n# no\n\n</SCRIPT>\n<style>no</style> three <!-- no --> four\n\n```\n<!-- five\n```\n<stylish> six", "one\n\ntwo\n\nthree four\n\n<!-- five\n\nsix"},
		{"indented blocks", "one\n\n    <script>\n\n    two\n    </script>\n\n- three\n\n    <!-- no\n\n    -->\n    four", "one\n\ntwo\n\nthree\n\nfour"},
		{"a comment without an end", "one <!-- x -->\n\n<!-- two\n\n- three\n\n<Style>\n\nfour", "one\n\n<!-- two\n\nthree\n\nfour"},
		{"tags in code", "git tag `<new-tag>` and `a < b` and ``b`|c`` or `not", "git tag <new-tag> and a < b and b`|c or not"},
		{"link around code", "see [`<T>`](#t) here", "see <T> here"},
		{"link over lines", "see [this\nlong page](https://example.org) and\n**bold\nwords**", "see this\nlong page and\nbold\nwords"},
		{"addresses", "at <https://example.org/a_b> by <me@example.org> <b>now</b>", "at https://example.org/a_b by me@example.org now"},
		{"code in an item", "- one\n\n    ```\n    x <- *p\n    ```\n- two", "one\n\n    x <- *p\n\ntwo"},
		{"comment over lines", "one <!-- no\nnot --> two", "one two"},
		{"heading of two lines", "text\nTwo\n---\nmore", "text\nTwo\n\nmore"},
		{"abstract", "---\ntitle: \"T\"\nabstract: |\n  An *abstract*\n  of lines.\n\n  More.\nauthor: A\nlang: en\n---\ntext", "An abstract\nof lines.\n\nMore.\n\ntext"},
		{"HTML blocks", "one<br>two<table><tr><td>three</td><td>four</td></tr></table><ul><li>five</li><li>six</li></ul>", "one two\n\nthree\tfour\n\nfive\n\nsix"},
		{"attributes", "a [link](x){target=\"_blank\"} or [link][r]{:.btn} and ![alt](a.png){width=50% height=2in} `code`{.r} of it\n\n{: .cls}\n\n# Závěr {#závěr}", "a link or link and alt code of it\n\nZávěr"},
		{"brackets in a link", "see [one [two] three](http://x) and [![four][a]](http://y) here", "see one [two] three and four here"},
		{"containers", "::: warning Mind this\none\n:::\n\n!!! note \"And that\"\n    two\n\n???+ tip\n    three", "Mind this\n\none\n\nAnd that\n\ntwo\n\nthree"},
		{"front matter in TOML", "+++\ntitle = \"T\"\n+++\ntext", "text"},
		{"front matter", "---\ntitle: \"T\"\nauthor: A\n---\ntext", "text"},
	}
	for _, tt := range tests {
		doc := &document.Document{Ext: "md"}
		if err := readtest.Read(t.Context(), doc, []byte(tt.md), document.Options{}); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		} else if doc.Text != tt.want || doc.Format != "markdown" || !doc.Parted {
			t.Errorf("%s: %s text %q, want markdown %q", tt.name, doc.Format, doc.Text, tt.want)
		} else if tt.name == "front matter" && (doc.Title != "T" || doc.Author != "A") {
			t.Errorf("%s: title %q, author %q", tt.name, doc.Title, doc.Author)
		} else if tt.name == "headings" {
			readtest.Marks(t, doc, "heading: One", "heading: Two")
		}
	}
}

// TestQuarto: citations, attributes and divisions are not text; an inline note follows its
// paragraph. Only Quarto and R Markdown have citations without brackets.
func TestQuarto(t *testing.T) {
	for _, tt := range []struct{ ext, text, want, notes string }{
		{"qmd", "one^[A *note* `^[x]`.] two [@lee, p. 12] [see @novak2001, pp. 3-4; @doe] three ([-@lee]) four.\n\nfive", "one two three () four.\n\nA note ^[x].\n\nfive", "[]"},
		{"qmd", "as @novak says, a [small]{.smallcaps} word @fig-one.\n", "as says, a small word .", "[]"},
		{"md", "thanks @novak for [this] and mail a@b.cz", "thanks @novak for [this] and mail a@b.cz", "[]"},
		{"md", "slovo^1^, 10 m^2^", "slovo, 10 m2", "[]"},
		{"Rmd", "# One {#sec-one .unnumbered}\n\n::: {.note}\ntwo\n:::\n", "One\n\ntwo", "[]"},
		{"rmd", `see Figure \@ref(fig:one) here (\#eq:two) end`, "see Figure here end", "[]"},
		{"qmd", "one {{< include part.qmd >}} two {{< pagebreak >}}", "one two", "[not read, although it may be shown: {{< include part.qmd >}}]"},
	} {
		doc := &document.Document{Ext: strings.ToLower(tt.ext)}
		if err := readtest.Read(t.Context(), doc, []byte(tt.text), document.Options{}); err != nil || doc.Text != tt.want || fmt.Sprint(doc.Notes) != tt.notes {
			t.Errorf("%s %q: text %q, notes %v, %v, want %q, %s", tt.ext, tt.text, doc.Text, doc.Notes, err, tt.want, tt.notes)
		}
	}
}

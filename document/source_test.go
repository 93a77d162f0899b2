package document

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/otisk/otisk/internal/testing/need"
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
		{"tags in code", "git tag `<new-tag>` and `a < b` and ``b`|c`` or `not", "git tag <new-tag> and a < b and b`|c or not"},
		{"link around code", "see [`<T>`](#t) here", "see <T> here"},
		{"link over lines", "see [this\nlong page](https://example.org) and\n**bold\nwords**", "see this\nlong page and\nbold\nwords"},
		{"addresses", "at <https://example.org/a_b> by <me@example.org> <b>now</b>", "at https://example.org/a_b by me@example.org now"},
		{"code in an item", "- one\n\n    ```\n    x <- *p\n    ```\n- two", "one\n\n    x <- *p\n\ntwo"},
		{"comment over lines", "one <!-- no\nnot --> two", "one two"},
		{"heading of two lines", "text\nTwo\n---\nmore", "text\nTwo\n\nmore"},
		{"front matter", "---\ntitle: \"T\"\nauthor: A\n---\ntext", "text"},
	}
	for _, tt := range tests {
		doc := &Document{Ext: "md"}
		if err := read(t.Context(), doc, []byte(tt.md), Options{}); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		} else if doc.Text != tt.want || doc.Format != "markdown" || !doc.Parted {
			t.Errorf("%s: %s text %q, want markdown %q", tt.name, doc.Format, doc.Text, tt.want)
		} else if tt.name == "front matter" && (doc.Title != "T" || doc.Author != "A") {
			t.Errorf("%s: title %q, author %q", tt.name, doc.Title, doc.Author)
		} else if tt.name == "headings" {
			checkMarks(t, doc, "heading: One", "heading: Two")
		}
	}
}

func TestLaTeX(t *testing.T) {
	tests := []struct{ name, tex, want string }{
		{"paragraphs", "one\ntwo % no\n  three\n\nfour\\par five", "one two three\n\nfour\n\nfive"},
		{"preamble", "\\documentclass[12pt]{article}\n\\usepackage{x}\n\\title{The \\emph{T}}\\author{Jan Nov\\'ak}\n\\begin{document}\n\\maketitle one\n\\end{document}", "one"},
		{"headings", "\\section{One}\\label{s}\ntext", "One\n\ntext"},
		{"styles", `a \textbf{bold \emph{and thin}} {\it x}`, "a bold and thin x"},
		{"accents", `p\v r\'{\i}li\v{s} \v{z}lu\v touk\'y k\r{u}\v n \"o \'\i`, "příliš žluťouký kůň ö í"},
		{"signs", "a--b---c ``d'' 5\\,\\% \\& x~y \\ldots{} \\uv{z}", "a–b—c “d” 5\u2009% & x\u00a0y … „z“"},
		{"references", `see~\ref{a} \cite[p. 3]{b}, \href{http://x}{the page}\index{i}`, "see\u00a0 , the page"},
		{"note", `one\footnote{see \emph{there}} two` + "\n\nthree", "one two\n\nsee there\n\nthree"},
		{"formulas", `let $x_1 = \$5$ be \(y\) and \[z\] so $$w$$ end \begin{equation}a\end{equation} that`, "let be and so end\n\nthat"},
		{"lone dollar", "costs $5 only\n\nnext", "costs 5 only\n\nnext"},
		{"list", "\\begin{itemize}\n\\item one\n\\item[b] two\n\\end{itemize}\nend", "one\n\ntwo\n\nend"},
		{"table", "\\begin{tabular}{ll}\na & b \\\\\nc & d\n\\end{tabular}", "a\tb\nc\td"},
		{"verbatim", "\\begin{verbatim}\n\\x{1}  %2\n\\end{verbatim}\\verb|\\y|", "\\x{1}  %2\n\n\\y"},
		{"unknown", `\mymacro[x]{text} \other more`, "text more"},
		{"not closed", `{{{ \textbf{one \footnote{two`, "one\n\ntwo"},
		{"closed too often", `}}} one`, "one"},
	}
	for _, tt := range tests {
		doc := &Document{Ext: "tex"}
		if err := read(t.Context(), doc, []byte(tt.tex), Options{}); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		} else if doc.Text != tt.want || doc.Format != "latex" || !doc.Parted {
			t.Errorf("%s: %s text %q, want latex %q", tt.name, doc.Format, doc.Text, tt.want)
		} else if tt.name == "preamble" && (doc.Title != "The T" || doc.Author != "Jan Novák") {
			t.Errorf("%s: title %q, author %q", tt.name, doc.Title, doc.Author)
		} else if tt.name == "headings" {
			checkMarks(t, doc, "heading: One")
		}
	}
}

// TestLaTeXOthers says of how many files the text is not there: of a thesis whose
// chapters are files of their own, the main one is nearly empty.
func TestLaTeXOthers(t *testing.T) {
	doc := &Document{Ext: "tex"}
	text := "\\documentclass{book}\\input{settings}\\begin{document}Preface.\n\n\\include{one}\\input two\n\\import{parts/}{three}\\includepdf[pages=-]{paper.pdf} End.\\end{document}"
	if err := read(t.Context(), doc, []byte(text), Options{}); err != nil {
		t.Fatal(err)
	}
	if doc.Text != "Preface.\n\nEnd." || len(doc.Notes) != 1 || doc.Notes[0] != "4 included files are not read" {
		t.Errorf("text %q with notes %q, want what is in this file and a note of 4 others", doc.Text, doc.Notes)
	}
}

// TestLaTeXEnds finds the end of a formula although that of one before is
// missing.
func TestLaTeXEnds(t *testing.T) {
	far := strings.Repeat("word ", 10_000) // 50,000 bytes: farther than an end is looked for
	doc := &Document{Ext: "tex"}
	text := `\begin{document}one \begin{align}` + far + far + `two \begin{align}x\end{align} three \[y\] four \begin{verbatim}a  b\end{verbatim}`
	if err := read(t.Context(), doc, []byte(text), Options{}); err != nil {
		t.Fatal(err)
	}
	if want := "word two\n\nthree four\n\na  b"; !strings.HasSuffix(doc.Text, want) || !strings.HasPrefix(doc.Text, "one\n\nword") {
		t.Errorf("text ends with %q, want %q", doc.Text[max(0, len(doc.Text)-60):], want)
	}
}

// TestSourceHostile reads what a careless reader would take quadratic time for.
func TestSourceHostile(t *testing.T) {
	times := need.Rounds(20_000)
	for ext, pieces := range map[string][]string{
		"tex":  {"{", `\footnote{`, `\begin{a}`, "$", `\cite[`, `\section{`, `\verb|`, `\begin{verbatim}`, `\begin{equation}`, `\(`, `\textcolor{white}{`, `\phantom{`},
		"md":   {"[", "![a](", "[a](", "*", "<a", "> ", "|", "`", "<!--", "\n```", "[^a]", "<b>"},
		"rtf":  {`{\rtf1 `, `\par `, `\'`, `{\footnote `, `\v `},
		"xml":  {"<note>", "<p>", "&amp;", "<hi style='color:white'>"},
		"html": {"<p>", "<a>", "<b", "<!--", "<style>", "<link ", "<div style='color:red'>", "<h1>", "<pre>", "<table><td>"},
	} {
		for _, piece := range pieces {
			err := within(t, "a."+ext, []byte(strings.Repeat("word "+piece, times)), Options{})
			if err != nil && !slices.ContainsFunc(known, func(k error) bool { return errors.Is(err, k) }) {
				t.Errorf("%s, %q: error %v, want one that says why", ext, piece, err)
			}
		}
	}
}

package tex_test

import (
	"strings"
	"testing"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/document/internal/readtest"
)

// TestLaTeXDrawn reads what LaTeX draws: what simple macros stand for, and text in formulas.
func TestLaTeXDrawn(t *testing.T) {
	const head = "\\documentclass{article}\n\\newcommand{\\e}{e}\n\\newcommand\\plag{plag\\arm\\xspace}\\def\\arm{iarism}\n\\newcommand{\\white}{\\color{white}}" +
		"\\newcommand{\\two}[1]{x#1}\\newcommand{\\gone}[1]{}\\newcommand{\\swap}[2]{#2#1}\\newcommand{\\or}[2][e]{#1}\\def\\pair#1#2{#2#1}\\newcommand{\\odd}[1]{x#2}\\newcommand{\\loops}{\\loops\\loops}\n\\begin{document}\n"
	for body, want := range map[string]string{
		`th\e\ copi\e d \plag{} of \plag`:                       "the copied plagiarism of plagiarism",
		`\newcommand{\f}{y}\def\g{x}th\e\f`:                     "they",
		`one \two{three} four`:                                  "one xthree four",
		`th\gone{q}e c\gone zopied`:                             "the copied",
		`\swap{iarism}{plag} \swap{b}a`:                         "plagiarism ab",
		`th\or{x} c\or[opi]{x}ed`:                               "the copied",
		`\pair{one}{two} and \odd{three}`:                       "twoone and three",
		`one \swap`:                                             "one",
		`one $\text{copied from}$ a \[\mbox{book} + x\] here`:   "one copied from a book here",
		`a \begin{equation}\text{sentence} = 1\end{equation} b`: "a\n\nsentence\n\nb",
		`plagi$a$rism and $x$ or the $n$th and $plagiarism$`:    "plagiarism and or the th and plagiarism",
		`where \(\mathrm{plagiarism}\) is \(\mathrm{d}x\) seen`: "where plagiarism is seen",
		`a $x^\text{p}_{\text{q},\text{r}}\text{s}\text{as}$ b`: "a s as b",
		`plag\kern0pt iarism and plag\hspace{0pt}iarism`:        "plagiarism and plagiarism",
		`one \scalebox{0.5}{two} \resizebox{3cm}{!}{three}`:     "one two three",
		"one \\loops two":                                       "one two",
		"\\begin{tabular}{cc}\\rowcolor{blue!50}\n\\textcolor{white}{one} & \\color{white} two \\\\ three\\end{tabular}": "one\ttwo\nthree",
		`\begin{tabular}{c}\cellcolor[HTML]{000000}\textcolor{white}{one} & two\end{tabular}`:                            "one\ttwo",
		`\begin{tcolorbox}[coltext=white]\color{white} one\end{tcolorbox}`:                                               "one",
		`\begin{center}{\color{white}}\begin{tcolorbox}\color{white} one\end{tcolorbox} two\end{center}three`:            "one\n\ntwo\n\nthree",
		"\\begin{verbatim}\nth\\e\n\\end{verbatim}":                                                                      "th\\e",
	} {
		doc := &document.Document{Ext: "tex"}
		if err := readtest.Read(t.Context(), doc, []byte(head+body+"\n\\end{document}\n"), document.Options{}); err != nil || strings.TrimSpace(doc.Text) != want {
			t.Errorf("text of %s is %q, %v, want %q", body, doc.Text, err, want)
		}
	}
	for body, why := range map[string]string{
		`plag\scalebox{0}{x}iarism`:                                                        "too small to see",
		`plag\scalebox{.01}[1]{x}iarism`:                                                   "too small to see",
		`plag\resizebox{0pt}{0pt}{x}iarism`:                                                "too small to see",
		`{one {\white x} two plagiarism}`:                                                  "white on white",
		`\begin{tabular}{c}\rowcolor{white}plag\textcolor{white}{x}iarism\end{tabular}`:    "white on white",
		`\begin{tabular}{c}\rowcolor{blue}a\\ plag\textcolor{white}{x}iarism\end{tabular}`: "white on white",
		`\begin{tabular}{c}\cellcolor{blue}a& plag\textcolor{white}{x}iarism\end{tabular}`: "white on white",
		`\begin{flushleft}one \color{white}x\end{flushleft}plagiarism`:                     "white on white",
	} {
		doc := &document.Document{Ext: "tex"}
		if err := readtest.Read(t.Context(), doc, []byte(head+body+"\n\\end{document}\n"), document.Options{}); err != nil || strings.Contains(doc.Text, "x") || len(doc.Flags) != 1 || doc.Flags[0].Detail != why {
			t.Errorf("text of %s is %q, flags %+v, %v, want %q", body, doc.Text, doc.Flags, err, why)
		}
	}
}

// TestLaTeXMacroBomb gives macros that stand for each other no more room than they may have.
func TestLaTeXMacroBomb(t *testing.T) {
	var b strings.Builder
	b.WriteString("\\documentclass{article}\n\\newcommand{\\za}{words and words }\n")
	for c := 'b'; c <= 'z'; c++ {
		b.WriteString("\\newcommand{\\z" + string(c) + "}{" + strings.Repeat("\\z"+string(c-1)+" ", 100) + "}\n")
	}
	b.WriteString("\\begin{document}\n" + strings.Repeat("\\zc \\zz ", 10_000) + "\\end{document}\n")
	doc := &document.Document{Ext: "tex"}
	if err := readtest.Read(t.Context(), doc, []byte(b.String()), document.Options{}); err != nil || len(doc.Text) > 16<<20 {
		t.Errorf("%d bytes of text, %v", len(doc.Text), err)
	}
}

package document_test

import (
	"strings"
	"testing"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/document/internal/readtest"
)

// TestUnseen checks text that source formats hide, mostly by the look of a letter between two
// words.
func TestUnseen(t *testing.T) {
	tests := []struct{ ext, text, want, why string }{
		{"md", `copied<span style="color:white">x</span>from`, "copied from", "white on white"},
		{"md", `copied [x]{style="color: white"} from`, "copied from", "white on white"},
		{"md", `one **two**<b hidden>x</b> *three*`, "one two three", "marked as hidden"},
		{"md", "<div style=\"display:none\">\nx\n</div>\n\none", "one", "marked as hidden"},
		{"md", `one <span style="color:red">two</span> | <br> three`, "one two\tthree", ""},
		{"xml", `<TEI><p>copied<hi style="color:#fff">x</hi>from</p></TEI>`, "copied from", "white on white"},
		{"xml", `<TEI><p>copied<hi rend="bold color(white)">x</hi>from</p></TEI>`, "copied from", "white on white"},
		{"xml", `<TEI><p rend="hidden">x</p><p rend="italic">one</p></TEI>`, "one", "marked as hidden"},
		{"xml", `<TEI><p style="font-size:1pt">x<hi>y</hi></p><p>one</p></TEI>`, "one", "too small to see"},
		{"tex", `copied\textcolor{white}{x}from a {\color{white} y} book`, "copied from a book", "white on white"},
		{"tex", `copied\textcolor[rgb]{1,1,1}{x}from`, "copied from", "white on white"},
		{"tex", `copied\textcolor[HTML]{FEFEFE}{x}from`, "copied from", "white on white"},
		{"tex", `copied\textcolor[gray]{0.99}{x}from`, "copied from", "white on white"},
		{"tex", "\\documentclass{a}\\definecolor{paper}{RGB}{255,255,254}\\begin{document}copied\\textcolor{paper}{x}from\\end{document}", "copied from", "white on white"},
		{"tex", `copied\phantom{x}from`, "copied from", "drawn invisibly"},
		{"tex", `copied {\transparent{0}x y} from`, "copied from", "drawn invisibly"},
		{"tex", `one{\fontsize{1}{1}\selectfont x}two`, "onetwo", "too small to see"},
		{"tex", `\colorbox{black}{\textcolor{white}{one}} \textcolor{red}{two} \textcolor{white!50!black}{three}`, "one two three", ""},
		{"tex", `copied\phantom{words} from`, "copied from", "drawn invisibly"},
		{"tex", `\underline{\phantom{aaaa}} 2017, \phantom{mm} 5 & \hphantom{-.0}6`, "2017, 5\t6", ""},
		{"tex", `one \iffalse x \fi two`, "one two", ""},
		{"tex", "one \\lstdefinestyle{DOS}\n{ backgroundcolor=\\color{white}, } two", "one two", ""},
		{"tex", `one \lstdefinelanguage{JS}[x]{keywords={` + strings.Repeat("typeof, ", 500) + `}, backgroundcolor=\color{white}} two`, "one two", ""},
		{"tex", `one \iffalse x \ifx\a\b y \else z \fi % \fi` + "\n" + `w \iff \ifthenelse{a}{b}{c} \fi two`, "one two", ""},
		{"tex", `one \iffalse x \else two \fi three`, "one two three", ""},
		{"tex", `one \iftrue two \else x \fi three`, "one two three", ""},
		{"tex", `one \iftrue \ifx\a\b two \else three \fi four \else x \ifx\a\b y \else z \fi w \fi five \else six`, "one two three four five six", ""},
		{"tex", `\newif\ifdraft one \iftrue \ifdraft two \else three \fi \iffalse x \else four \fi \else x \fi five \iftrue six`, "one two three four five six", ""},
		{"tex", `\let\ifdraft\iffalse one \let\ifdraft=\iftrue two \iffalse \ifdraft x \fi y \fi three`, "one two three", ""},
		{"tex", `one \textbf<2->{two} \only<1,3|handout:0>{three} \alert<.(2)->{four} \emph<beamer:+->{five}\uncover<2-3|alert@2>{ six} 1 \textless<3, 4> 5`, "one two three four five six 1 <<3, 4> 5", ""},
		{"tex", `\newif\ifdraft one \iffalse x \ifdraft y \fi z \fi two \iffalse three`, "one two three", ""},
	}
	for _, tt := range tests {
		doc := &document.Document{Ext: tt.ext}
		if err := readtest.Read(t.Context(), doc, []byte(tt.text), document.Options{}); err != nil || doc.Text != tt.want {
			t.Errorf("%s: text %q, %v, want %q", tt.text, doc.Text, err, tt.want)
		}
		why := ""
		if len(doc.Flags) > 0 {
			why = doc.Flags[0].Detail
		}
		if why != tt.why || len(doc.Flags) > 1 {
			t.Errorf("%s: flags %+v, want one: %q", tt.text, doc.Flags, tt.why)
		}
	}
}

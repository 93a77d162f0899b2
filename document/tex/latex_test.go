package tex_test

import (
	"strings"
	"testing"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/document/internal/readtest"
)

func TestLaTeX(t *testing.T) {
	tests := []struct{ name, tex, want string }{
		{"paragraphs", "one\ntwo % no\n  three\n\nfour\\par five", "one two three\n\nfour\n\nfive"},
		{"preamble", "\\documentclass[12pt]{article}\n\\usepackage{x}\n\\title{The \\emph{T}}\\author{Jan Nov\\'ak}\n\\begin{document}\n\\maketitle one\n\\end{document}", "one"},
		{"arguments that are not shown", `one \rotatebox[x=1]{90}{two} \textlang{cs}{three} \ruby{fo\textbf{ur}}{x} five \captionof{figure}{six} \subfloat[seven]{\includegraphics{x}} eight`, "one two three four five six seven\n\neight"},
		{"words divided at line ends", "one di-\n  vided -\nthree 4-\n5", "one di-\nvided - three 4- 5"},
		{"headings", "\\section{One}\\label{s}\ntext", "One\n\ntext"},
		{"styles", `a \textbf{bold \emph{and thin}} {\it x}`, "a bold and thin x"},
		{"accents", `p\v r\'{\i}li\v{s} \v{z}lu\v touk\'y k\r{u}\v n \"o \'\i`, "příliš žluťouký kůň ö í"},
		{"signs", "a--b---c ``d'' 5\\,\\% \\& x~y \\ldots{} \\uv{z}", "a–b—c “d” 5\u2009% & x\u00a0y … „z“"},
		{"references", `see~\ref{a} \cite[p. 3]{b}, \href{http://x}{the page}\index{i}`, "see\u00a0 , the page"},
		{"further references", `claim \cite[see][p.~5]{key}, \citeauthor*{key} and \Textcites{a}[3]{b} in \Cref{a,b} \hyperref[x]{there}`, "claim , and in there"},
		{"quotations", `\textcquote[5]{key}{one} \foreignquote{ngerman}{two} \lettrine[lines=3]{T}{he harbour}`, "one two The harbour"},
		{"spaces", `one\newline two\linebreak[4] three\hspace{1cm}four\hfill five\hspace{-1pt}six \yy seven \yy, eight` + "\n\\newcommand{\\yy}{y\\xspace}",
			"one\ntwo\nthree four fivesix y seven y, eight"},
		{"arguments of environments", `\begin{multicols}{2}one\end{multicols}\begin{wrapfigure}[3]{r}[2pt]{5cm}two\end{wrapfigure}\begin{tabularx}{\textwidth}{X}three\end{tabularx}`,
			"one\n\ntwo\n\nthree"},
		{"targets", "\\hypertarget{uvod-do-prace}{%\n\\section{Úvod \\texorpdfstring{$x$}{x}}\\label{uvod-do-prace}}\nsee \\hyperlink{a}{there}", "Úvod x\n\nsee there"},
		{"note", `one\footnote{see \emph{there}} two` + "\n\nthree", "one two\n\nsee there\n\nthree"},
		{"formulas", `let $x_1 = \$5$ be \(y\) and \[z\] so $$w$$ end \begin{equation}a\end{equation} that`, "let be and so end\n\nthat"},
		{"lone dollar", "costs $5 only\n\nnext", "costs 5 only\n\nnext"},
		{"list", "\\begin{itemize}\n\\item one\n\\item[b] two\n\\end{itemize}\nend", "one\n\ntwo\n\nend"},
		{"table", "\\begin{tabular}{ll}\na & b \\\\\nc & d\n\\end{tabular}", "a\tb\nc\td"},
		{"verbatim", "\\begin{verbatim}\n\\x{1}  %2\n\\end{verbatim}\\verb|\\y|", "\\x{1}  %2\n\n\\y"},
		{"two arguments", `\cvitem{Two}{arguments} of \emph{a}{b} and \relax{t}{o}`, "Two arguments of ab and to"},
		{"assignments", "\\baselineskip=1cm one \\parskip 0pt plus 1fil minus 2pt two \\tolerance=10000 three \\vbox to 4cm{\\vskip-.5\\textheight four} \\tikzstyle{a} = [draw, thick] five", "one two three four five"},
		{"messages", `one \typeout{two} \pgfkeys{/pgf/number format/fixed} three`, "one three"},
		{"terms", "\\newacronym{soa}{SOA}{service oriented}\n% \\newacronym{x}{X}{x}\n\\newglossaryentry{box}{name={\\emph{box}, lid}, plural=boxes,\n description={A thing, with a lid}}" +
			"\\gls{soa} \\gls{soa} \\Glspl{box} and \\gls{box} \\gls{none}\\nomenclature{RPF}{Reverse Path} \\acrlong{soa}\\printglossaries\\printnomenclature end",
			"service oriented (SOA) SOA Boxes and box, lid none service oriented\n\nSOA service oriented\n\nbox, lid A thing, with a lid\n\nRPF Reverse Path\n\nend"},
		{"addresses and programs", `see \url{http://a/b%20c\_d} and \lstinline[language=C]{x%y}, \path{/a%b} and \mintinline{c}|z%| end`, "see http://a/b%20c_d and x%y, /a%b and z% end"},
		{"xspace", "\\newcommand{\\ci}{CI\\xspace}\\newcommand{\\cd}{CD\\xspace}a \\ci\\cd, b\\xspace c\\xspace.", "a CI CD, b c."},
		{"hyphens", `self\hyp{}made and\fshyp{}or`, "self-made and/or"},
		{"defined environments", "\\newenvironment{rem}[1]{\\textbf{Remark of #1.}}{The end.}\\NewDocumentEnvironment{tale}{m}{Tale of #1:}{Once.}\\begin{rem}{Ann} One\n\\end{rem}\\begin{tale}{Eve} Two\n\\end{tale}",
			"Remark of Ann. One The end.\n\nTale of Eve: Two Once."},
		{"document commands", "\\NewDocumentCommand{\\two}{m +m}{#2 and #1}\\DeclareDocumentCommand\\one{O{x}m}{#1#2}\\NewDocumentCommand{\\three}{s m}{#2}\\two{a}{b} \\one{y} \\one[z]{y}", "b and a xy zy"},
		{"after the document", "\\begin{document}one\\end{document}two", "one"},
		{"numbers in words", `H$_2$O and CO$_{2}$ on 10 m$^2$, word$^1$ end`, "H2O and CO2 on 10 m2, word end"},
		{"lines of tables", `\begin{tabular}{ll}a & b \\ \cmidrule(lr){1-2} c & d\end{tabular}`, "a\tb\nc\td"},
		{"entries", `\begin{thebibliography}{9}\bibitem[Nov]{n1} One. \bibitem{m2} Two.\end{thebibliography}`, "One.\n\nTwo."},
		{"language of a program", "\\begin{minted}[linenos]{python}\nx\n\\end{minted}", "x"},
		{"unknown", `\mymacro[x]{text} \other more`, "text more"},
		{"not closed", `{{{ \textbf{one \footnote{two`, "one\n\ntwo"},
		{"closed too often", `}}} one`, "one"},
	}
	for _, tt := range tests {
		doc := &document.Document{Ext: "tex"}
		if err := readtest.Read(t.Context(), doc, []byte(tt.tex), document.Options{}); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		} else if doc.Text != tt.want || doc.Format != "latex" || !doc.Parted {
			t.Errorf("%s: %s text %q, want latex %q", tt.name, doc.Format, doc.Text, tt.want)
		} else if tt.name == "preamble" && (doc.Title != "The T" || doc.Author != "Jan Novák") {
			t.Errorf("%s: title %q, author %q", tt.name, doc.Title, doc.Author)
		} else if tt.name == "headings" {
			readtest.Marks(t, doc, "heading: One")
		}
	}
}

// TestLaTeXOthers reports the number of files whose text is missing: of a thesis whose
// chapters are files of their own, the main one is nearly empty.
func TestLaTeXOthers(t *testing.T) {
	doc := &document.Document{Ext: "tex"}
	text := "\\documentclass{book}\\input{settings}\\begin{document}Preface.\n\n\\include{one}\\input two\n\\import{parts/}{three}\\includepdf[pages=-]{paper.pdf}\\lstinputlisting[language=C]{main.c} End.\\end{document}"
	if err := readtest.Read(t.Context(), doc, []byte(text), document.Options{}); err != nil {
		t.Fatal(err)
	}
	if doc.Text != "Preface.\n\nEnd." || len(doc.Notes) != 2 || doc.Notes[0] != "3 included files are not read" || doc.Notes[1] != "2 included PDF files and listings are not read" {
		t.Errorf("text %q with notes %q, want the text of this file, a note of 3 source files and one of 2 others", doc.Text, doc.Notes)
	}
}

// TestLaTeXEnds finds the end of a formula although that of one before is
// missing.
func TestLaTeXEnds(t *testing.T) {
	far := strings.Repeat("word ", 10_000) // 50,000 bytes: farther than an end is looked for
	doc := &document.Document{Ext: "tex"}
	text := `\begin{document}one \begin{align}` + far + far + `two \begin{align}x\end{align} three \[y\] four \begin{verbatim}a  b\end{verbatim}`
	if err := readtest.Read(t.Context(), doc, []byte(text), document.Options{}); err != nil {
		t.Fatal(err)
	}
	if want := "word two\n\nthree four\n\na  b"; !strings.HasSuffix(doc.Text, want) || !strings.HasPrefix(doc.Text, "one\n\nword") {
		t.Errorf("text ends with %q, want %q", doc.Text[max(0, len(doc.Text)-60):], want)
	}
}

// TestShorthands: shorthands of babel are letters and signs in their languages only.
func TestShorthands(t *testing.T) {
	const end = "\\begin{document}"
	for _, tt := range []struct{ tex, want string }{
		{`\documentclass{scrartcl}\usepackage[ngerman]{babel}` + end + "B\"urger \"uber Stra\"se, Druck\"=er \"-Zucker Schi\"ffahrt \"`Zitat\"' x\"\"y", "Bürger über Straße, Druck-er Zucker Schiffahrt „Zitat“ xy"},
		{`\documentclass[german]{article}\usepackage{babel}` + end + `B"urger`, "Bürger"},
		{`\documentclass{article}\usepackage[catalan]{babel}` + end + `dia"urtic`, "diaürtic"},
		{`\documentclass[estonian]{article}\usepackage{babel}` + end + `s"o"ob`, "sööb"},
		{`\documentclass{article}\usepackage{ngerman}` + end + `B"urger`, "Bürger"},
		{`\documentclass{article}\usepackage[english,main=czech]{babel}` + end + `c"=d "a"`, `c-d "a"`},
		{`\documentclass{article}\usepackage[polish]{babel}` + end + `za"z"o"l"c`, "zażółć"},
		{`\documentclass{article}\usepackage[english]{babel}` + end + `"under the sea" 5"a`, `"under the sea" 5"a`},
		{`\section{One} B"urger und "uber "Zitat"`, "One\n\nBürger und \"uber \"Zitat\""},
		{`\documentclass{article}` + end + `\quotedblbase Zitat\textquotedblleft{} \dj ak \guillemotleft a\guillemotright`, "„Zitat“ đak «a»"},
		{`\documentclass{article}` + end + `slovo\textsuperscript{1}, m\textsuperscript{2} \textsuperscript{\emph{x}}"`, `slovo, m2 x"`},
	} {
		doc := &document.Document{Ext: "tex"}
		if err := readtest.Read(t.Context(), doc, []byte(tt.tex), document.Options{}); err != nil || doc.Text != tt.want {
			t.Errorf("%s: text %q, %v, want %q", tt.tex, doc.Text, err, tt.want)
		}
	}
}

// TestLaTeXUnread notes prose in commands that are not run, and reads the labels of items that are text.
func TestLaTeXUnread(t *testing.T) {
	prose := strings.TrimSpace(strings.Repeat("many copied words stand here ", 8))
	for _, tt := range []struct{ name, preamble, body, want, note string }{
		{"a node", "", `text \begin{tikzpicture}\node at (0,0) {` + prose + `};\end{tikzpicture}`, "text", "40 words that may be shown are not read: tikzpicture"},
		{"short nodes", "", `text \begin{tikzpicture}` + strings.Repeat(`\node at (0,0) {a few words};`, 20) + `\end{tikzpicture}`, "text", ""},
		{"text at the start", `\AtBeginDocument{` + prose + `}`, "text", "text", `40 words that may be shown are not read: \AtBeginDocument`},
		{"a box", `\newsavebox{\x}\savebox{\x}{` + prose + `}`, `text \usebox{\x}`, "text", `40 words that may be shown are not read: \savebox`},
		{"an environment", `\newenvironment{zz}{` + prose + `}{}`, "text", "text", `40 words that may be shown are not read: \newenvironment`},
		{"an acronym", `\newacronym{a}{a}{` + prose + `}`, "text", "text", `40 words that may be shown are not read: \newacronym`},
		{"a term", `\newglossaryentry{a}{name={b}, description={` + prose + `}}`, "text", "text", `40 words that may be shown are not read: \newglossaryentry`},
		{"a comment", "% {" + prose + "}\n", "text", "text", ""},
		{"keywords of a language", `\lstdefinelanguage{z}[x]{keywords={` + prose + `}, style=\b}\lstset{` + prose + `}`, "text", "text", ""},
		{"a group", strings.Repeat(" ", 200) + `{` + prose + `}`, "text", "text", "40 words that may be shown are not read: {…}"},
		{"code", `\zzz{\setlength{\a}{1pt} \b \c \d ` + strings.Repeat(`\ifx\a\b `, 20) + `}`, "text", "text", ""},
		{"a macro", `\newcommand{\zzz}{` + prose + `}`, `text \zzz`, "text " + prose, ""},
		{"a macro that is too long", `\newcommand{\zzz}{` + strings.Repeat(prose+" ", 3) + `}`, `text \zzz`, "text", `120 words that may be shown are not read: \newcommand`},
		{"the title of a box", "", `text \begin{tcolorbox}[width=1cm, title={` + prose + `}]more\end{tcolorbox}`, "text\n\n" + prose + "\n\nmore", ""},
		{"an option of a box", "", `text \begin{tcolorbox}[note={` + prose + `}]more\end{tcolorbox}`, "text\n\nmore", "40 words that may be shown are not read: tcolorbox"},
		{"names", "", `\begin{theorem}[Of \emph{Pythagoras}]text\end{theorem}\begin{lstlisting}[language=C, caption={A loop}]` + "\nx\n" + `\end{lstlisting}\begin{figure}[h!]end\end{figure}`, "Of Pythagoras\n\ntext\n\nA loop\n\nx\n\nend", ""},
		{"Arabic in Latin letters", `\usepackage{arabtex}`, `\begin{arabtext}mn rAqb\end{arabtext}`, "mn rAqb", "arabtex may show Latin letters of the file as those of another script, which are not decoded"},
		{"Cyrillic in Latin letters", `\usepackage[T1,OT2]{fontenc}`, `{\cyr Priroda}`, "Priroda", "OT2 may show Latin letters of the file as those of another script, which are not decoded"},
		{"Cyrillic", `\usepackage[OT2]{fontenc}`, `природа здесь`, "природа здесь", ""},
		{"a label of words", "", `\begin{description}\item[One two \emph{three}] four \item[Five] six\end{description}`, "One two three four\n\nsix", ""},
	} {
		doc := &document.Document{Ext: "tex"}
		err := readtest.Read(t.Context(), doc, []byte("\\documentclass{article}\n"+tt.preamble+"\n\\begin{document}\n"+tt.body+"\n\\end{document}\n"), document.Options{})
		if got := strings.Join(doc.Notes, "; "); err != nil || strings.TrimSpace(doc.Text) != tt.want || got != tt.note {
			t.Errorf("%s: text %q, notes %q, %v, want %q, %q", tt.name, doc.Text, got, err, tt.want, tt.note)
		}
	}
}

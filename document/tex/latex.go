// Package tex reads LaTeX. It does not run TeX: short macros that the document defines are
// expanded, other macros stay unknown, and included files are not opened.
package tex

import (
	"bytes"
	"cmp"
	"context"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/otisk/otisk/document/charset"
	"github.com/otisk/otisk/document/flow"
	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/lang/phrase"
)

// Looks reports whether a line of data starts with a command that only LaTeX has.
func Looks(data []byte) bool {
	head := format.Head(data)
	return bytes.HasPrefix(head, []byte(`\documentclass`)) || bytes.Contains(head, []byte("\n\\documentclass"))
}

// texDropped are commands whose arguments are not text, with the number of arguments.
// Optional arguments in brackets are always dropped.
var texDropped = map[string]int{
	"label": 1, "crefrange": 2, "Crefrange": 2, "usepackage": 1, "RequirePackage": 1, "documentclass": 1,
	"includegraphics": 1, "bibliography": 1, "bibliographystyle": 1, "addbibresource": 1, "vspace": 1, "setlength": 2,
	"addtolength": 2, "setcounter": 2, "addtocounter": 2,
	"newtheorem": 2, "pagestyle": 1, "thispagestyle": 1, "pagenumbering": 1, "graphicspath": 1, "index": 1, "glossary": 1,
	"gls": 0, "definecolor": 3, "selectlanguage": 1, "href": 1, "hypertarget": 1, "hyperlink": 1, "texorpdfstring": 1, "foreignlanguage": 1, "raisebox": 1, "foreignquote": 1, "foreigntextquote": 1,
	"foreignblockquote": 1, "hyphenquote": 1, "textcquote": 1, "blockcquote": 1,
	"parbox": 1, "hyphenation": 1, "geometry": 1, "rule": 2, "vphantom": 1,
	"DeclareMathOperator": 2, "typeout": 1, "message": 1, "wlog": 1, "addcontentsline": 3, "markboth": 2, "markright": 1, "multicolumn": 2, "multirow": 2, "cline": 1,
	"rotatebox": 1, "textlang": 1, "captionof": 1,
}

// texSettings are commands that configure packages, with the number of arguments. These are often
// longer than those of other commands.
var texSettings = map[string]int{
	"lstset": 1, "lstdefinestyle": 2, "lstdefinelanguage": 2, "lstnewenvironment": 3, "hypersetup": 1, "captionsetup": 1, "tikzset": 1,
	"pgfplotsset": 1, "usetikzlibrary": 1, "setbeamercolor": 2, "setbeamerfont": 2, "theoremstyle": 1, "linespread": 1, "setmainfont": 1,
	"pgfkeys": 1, "tikzstyle": 1,
}

// texStyles are commands whose argument has no space after it: "{\em a}{b}" and \emph{a}{b} are one word.
var texStyles = format.Names("textbf", "textit", "emph", "texttt", "textsc", "textsf", "textrm", "textsl", "textup", "textmd", "textnormal",
	"textsubscript", "mbox", "hbox", "fbox", "makebox", "framebox", "underline", "uline", "ul", "hl", "so", "st", "sout", "uppercase", "lowercase",
	"MakeUppercase", "MakeLowercase", "ensuremath", "text", "tiny", "scriptsize", "LARGE", "huge", "Huge", "em", "it", "bf", "sc", "sl", "rm", "sf",
	"tt", "bfseries", "itshape", "scshape", "slshape", "upshape", "mdseries", "ttfamily", "sffamily", "rmfamily", "relax", "empty", "null", "protect",
	"lettrine", "leavevmode", "noindent", "indent", "centering", "strut", "unskip", "ignorespaces", "nobreak", "allowbreak")

// texRegisters are lengths and numbers that TeX assigns with or without an equals sign, and boxes with a width.
var texRegisters = format.Names("kern", "hskip", "vskip", "parindent", "parskip", "baselineskip", "leftskip", "rightskip", "hangindent", "hsize",
	"vsize", "textwidth", "textheight", "topmargin", "oddsidemargin", "evensidemargin", "tolerance", "penalty", "clubpenalty", "widowpenalty",
	"hyphenpenalty", "emergencystretch", "vbox", "vtop", "hbox")

// texOthers are commands that include a source file, with the number of arguments.
var texOthers = map[string]int{
	"input": 1, "include": 1, "subfile": 1, "subfileinclude": 1, "import": 2, "subimport": 2, "inputfrom": 2, "includefrom": 2,
}

// texBeside are commands that show the pages of a PDF file, or a file as a listing, with the number
// of arguments.
var texBeside = map[string]int{"includepdf": 1, "lstinputlisting": 1, "verbatiminput": 1, "VerbatimInput": 1, "inputminted": 2}

// texSkipped are environments whose content is not text.
var texSkipped = format.Names("equation", "equation*", "align", "align*", "gather", "gather*", "multline", "multline*", "eqnarray", "eqnarray*",
	"displaymath", "math", "tikzpicture", "comment", "filecontents", "filecontents*")

// texVerbatim are environments whose content is kept unchanged.
var texVerbatim = format.Names("verbatim", "verbatim*", "lstlisting", "Verbatim", "minted")

// texArguments has the number of arguments of environments that are not text.
var texArguments = map[string]int{
	"tabular": 1, "tabular*": 2, "tabularx": 2, "tabulary": 2, "longtable": 1, "xltabular": 2, "supertabular": 1, "tabu": 1, "tblr": 1, "longtblr": 1, "array": 1,
	"minted": 1, "minipage": 1, "thebibliography": 1, "multicols": 1, "multicols*": 1, "wrapfigure": 2, "wraptable": 2, "floatingfigure": 1, "subfigure": 1, "subtable": 1,
	"otherlanguage": 1, "otherlanguage*": 1, "hyphenrules": 1, "foreigndisplayquote": 1, "spacing": 1, "adjustwidth": 2, "addmargin": 1, "changemargin": 2, "adjustbox": 1,
	"column": 1, "textblock": 1, "rotate": 1, "turn": 1, "CJK": 2, "CJK*": 2,
}

// texSections are commands whose argument is a heading.
var texSections = format.Names("part", "chapter", "section", "subsection", "subsubsection", "paragraph", "subparagraph",
	"part*", "chapter*", "section*", "subsection*", "subsubsection*", "paragraph*")

// texQuotes are environments of block quotations.
var texQuotes = format.Names("quote", "quotation", "displayquote", "quoting")

// texLists are environments of lists.
var texLists = format.Names("itemize", "enumerate", "description", "compactitem", "compactenum", "itemize*", "enumerate*")

// texText maps commands to characters.
var texText = map[string]string{
	"ldots": "…", "dots": "…", "textellipsis": "…", "textbackslash": `\`, "textasciitilde": "~", "textendash": "–", "textemdash": "—",
	"ss": "ß", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "o": "ø", "O": "Ø", "l": "ł", "L": "Ł", "aa": "å", "AA": "Å", "i": "ı", "j": "ȷ",
	"LaTeX": "LaTeX", "TeX": "TeX", "S": "§", "P": "¶", "dag": "†", "copyright": "©", "pounds": "£", "texteuro": "€", "euro": "€",
	"textquotedblleft": "“", "textquotedblright": "”", "glqq": "„", "grqq": "“", "clqq": "„", "crqq": "“", "uvz": "„", "quad": " ", "qquad": " ", "hfill": " ",
	"quotedblbase": "„", "quotesinglbase": "‚", "textquoteleft": "‘", "textquoteright": "’", "flqq": "«", "frqq": "»", "guillemotleft": "«", "guillemotright": "»",
	"guillemetleft": "«", "guillemetright": "»", "guilsinglleft": "‹", "guilsinglright": "›", "dj": "đ", "DJ": "Đ", "ng": "ŋ", "NG": "Ŋ", "th": "þ", "TH": "Þ", "dh": "ð", "DH": "Ð", "SS": "ẞ",
	"ddag": "‡", "textdegree": "°", "textregistered": "®", "texttrademark": "™", "textbar": "|", "textless": "<", "textgreater": ">", "textunderscore": "_", "textbullet": "•", "textnumero": "№", "slash": "/", "hyp": "-", "fshyp": "/", "bshyp": `\`, "dothyp": ".", "colonhyp": ":",
	"&": "&", "%": "%", "$": "$", "#": "#", "_": "_", "{": "{", "}": "}", " ": " ", "\n": " ", ",": "\u2009", ";": " ", ":": " ", "!": "", "-": "", "/": "", "@": "",
}

// texAccents maps commands to combining accents.
var texAccents = map[string]string{
	"'": "\u0301", "`": "\u0300", "^": "\u0302", `"`: "\u0308", "~": "\u0303", "=": "\u0304", ".": "\u0307",
	"v": "\u030C", "u": "\u0306", "H": "\u030B", "c": "\u0327", "k": "\u0328", "r": "\u030A", "d": "\u0323", "b": "\u0331",
}

// texEscaped matches an escaped sign in an address or a program.
var texEscaped = format.Pattern(`\\([#%&_{}~])`)

// overlay matches the slides of a presentation on which Beamer shows something: <1->, <2-3|alert@2>.
var overlay = format.Pattern(`^<(?:(?:[a-z]+[@:])?[-+.,()\d ]+\|?)+>`)

// trimmed matches the ends of a line in a table that are cut.
var trimmed = format.Pattern(`^\([^()]*\)`)

// texSymbols replaces the ligatures of TeX fonts.
var texSymbols = strings.NewReplacer("---", "—", "--", "–", "``", "“", "''", "”", ",,", "„", "~", "\u00a0", "!`", "¡", "?`", "¿")

// A latexReader parses LaTeX. The arguments of unknown commands are text.
type latexReader struct {
	*flow.Body
	title, author string
	s             string
	at            int
	ends          []func() // by open brace: called at its closing brace; nil for nothing
	look          latexLook

	endless map[string]int // end marks that do not occur before this offset

	lists   flow.Lists
	quoting string // name of the open environment of a quotation
	start   int    // offset of its start
	others  int    // included source files
	unread  format.Unread
	beside  int // included PDF files and listings

	macros map[string]macro // by name
	terms  map[string]*term // by label
	listed map[string]bool  // lists of terms that are read
	room   int              // bytes that macros may still expand to
	nested int              // depth of macro expansion
	within bool             // the last formula is within a word

	shorthands     map[string]string
	conditionals   Conditionals
	branches       []bool // for each open conditional, whether its \else starts text that TeX skips
	endlessSetting bool   // a setting without an end was met
	unclosed       bool   // an \iffalse without \fi was met
}

// LaTeX reads the text of a LaTeX file, without commands and formulas.
func LaTeX(ctx context.Context, src *format.Source) (*format.Text, error) {
	data, encoding, err := charset.Decode(ctx, src, "")
	if err != nil {
		return nil, err
	}
	text := strings.NewReplacer("\r\n", "\n", "\x00", " ").Replace(flow.AsString(bytes.TrimPrefix(data, format.BOM)))
	r := &latexReader{Body: flow.NewBody(), s: text, endless: map[string]int{}, conditionals: Conditionals{}}
	r.look.define(text)
	r.room = moreByTimes*len(text) + moreBytes
	r.defineMacros(text)
	r.defineTerms(text)
	r.conditionals.Define(text)
	r.shorthands = shorthandsOf(text)
	if at := strings.Index(text, `\begin{document}`); at >= 0 {
		r.preamble(text[:at])
		r.countProse("", text[:at])
		r.at = at + len(`\begin{document}`)
		if end := strings.LastIndex(text, `\end{document}`); end > at {
			r.s = text[:end]
		}
	}
	r.Begin()
	pulse := format.NewPulse(ctx)
	for r.at < len(r.s) {
		if err := pulse.Err(); err != nil {
			return nil, err
		}
		r.step()
	}
	t, err := r.Done()
	t.Title, t.Author, t.Encoding = r.title, r.author, encoding
	t.Note(format.Elsewhere(r.others))
	r.countTerms()
	r.unread.NoteMany(t)
	if name := transliteration(text); name != "" && strings.IndexFunc(text, foreign) < 0 {
		t.Note(phrase.Error("said.transliterated", "{name} may show Latin letters of the file as those of another script, which are not decoded", "name", name))
	}
	t.Note(phrase.Counted("said.beside-files", "{n} included PDF file or listing is not read", "{n} included PDF files and listings are not read", r.beside))
	return t, err
}

// transliterated matches a command that loads a package, or an encoding of fonts, in which Latin letters represent those of another script.
var transliterated = format.Pattern(`\\usepackage(?:(?:\[[^\]\n]*\])?\{(arabtex|arabi|cjhebrew|betababel)\}|\[[^\]\n]*\b(OT2|LAE|LFE)\b[^\]\n]*\]\{fontenc\})`)

// transliteration returns the name of the first such package or encoding outside of comments, "" if there is none.
func transliteration(text string) string {
	for line := range strings.Lines(text) {
		code, _, _ := strings.Cut(line, "%")
		if m := transliterated().FindStringSubmatch(code); m != nil {
			return cmp.Or(m[1], m[2])
		}
	}
	return ""
}

// foreign reports whether c is a letter of a script that such packages represent.
func foreign(c rune) bool {
	return unicode.In(c, unicode.Arabic, unicode.Hebrew, unicode.Cyrillic, unicode.Greek)
}

// preamble reads title and author from the preamble.
func (r *latexReader) preamble(text string) {
	for name, to := range map[string]*string{`\title`: &r.title, `\author`: &r.author} {
		if i := strings.Index(text, name+"{"); i >= 0 {
			inner := &latexReader{Body: flow.NewBody(), s: r.s, at: i + len(name)}
			inner.s = inner.argument()
			inner.at = 0
			for inner.at < len(inner.s) {
				inner.step()
			}
			*to = flow.OneLine(inner.String())
		}
	}
}

// texLetters are the letters in names of commands.
const texLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ@"

// leastProse is the number of words from which a group that is not read is prose.
const leastProse = 8

var (
	texName  = format.Pattern(`\\([A-Za-z@]+)\*?\s*(?:\\[A-Za-z@]+)?(?:\[[^\]\n]*\]|\{[^{}\n]{0,80}\}|#\d)*\s*$`)
	texAny   = format.Pattern(`\\[A-Za-z@]+`)
	texWord  = format.Pattern(`^["“„'(]?\pL+(?:[-'’]\pL+)*[.,;:!?)"”“'…]*$`)
	texPlain = strings.NewReplacer(`\\`, " ", "~", " ", "\n", " ", "\\ ", " ")
)

// countProse counts the words of the innermost groups of code that is not run, if they are prose: by the
// command before the group, or by name if it is not "".
func (r *latexReader) countProse(name, code string) {
	start := -1
	for i := 0; i < len(code); i++ {
		switch code[i] {
		case '\\':
			i = endOfSetting(code, i+1)
		case '%':
			if end := strings.IndexByte(code[i:], '\n'); end > 0 {
				i += end
			}
		case '{':
			start = i + 1
		case '}':
			if start >= 0 {
				if n := proseIn(code[start:i]); n > 0 {
					before := code[max(0, start-1-texBefore) : start-1]
					kind := name
					if m := texName().FindStringSubmatch(before); m != nil && kind == "" {
						kind = `\` + m[1]
					} else if all := texAny().FindAllString(before, -1); kind == "" && len(all) > 0 {
						kind = all[len(all)-1]
					}
					if _, known := r.macros[strings.TrimPrefix(kind, `\`)]; name != "" || !known && (!texRead[kind] || kind != `\title` && i-start > maxBody) {
						r.unread.Words(cmp.Or(kind, "{…}"), n)
					}
				}
			}
			start = -1
		}
	}
}

// endOfSetting returns the offset of the last byte of a command whose name starts at an offset of code: with its arguments if
// it configures a package, otherwise the first byte of the name.
func endOfSetting(code string, at int) int {
	n := len(code[at:]) - len(strings.TrimLeft(code[at:], texLetters))
	arguments, ok := texSettings[code[at:at+n]]
	if !ok {
		return at
	}
	r := &latexReader{s: code, at: at + n, endless: map[string]int{}}
	r.optional()
	for range arguments {
		r.setting()
		r.optional()
	}
	return r.at - 1
}

// texBefore is how many bytes before a group are searched for its command.
const texBefore = 200

// texRead lists the commands of the preamble whose text is read, either in the preamble or where
// the text is used.
var texRead = format.Names(`\title`, `\author`, `\date`, `\newcommand`, `\renewcommand`, `\providecommand`, `\def`, `\NewDocumentCommand`, `\hypersetup`, `\keywords`, `\subject`, `\PackageWarning`, `\ProvidesPackage`,
	`\newglossaryentry`, `\longnewglossaryentry`, `\newacronym`, `\newabbreviation`, `\DeclareAcronym`, `\nomenclature`)

// proseIn returns the number of words of a group, 0 if it is not prose.
func proseIn(group string) int {
	fields := strings.Fields(texPlain.Replace(group))
	words := lists.Count(fields, texWord().MatchString)
	if words < leastProse || 4*words < 3*len(fields) {
		return 0
	}
	return words
}

// step reads one character, command or run of text.
func (r *latexReader) step() {
	switch c := r.s[r.at]; c {
	case '%':
		r.comment()
	case '\\':
		r.command()
	case '{':
		r.at++
		r.ends = append(r.ends, nil)
	case '}':
		r.at++
		r.closeBrace()
	case '$':
		r.math()
	case '&':
		r.at++
		r.look.endCell(false, len(r.ends))
		r.Gap(flow.Cell)
	case '\n':
		r.newLine()
	case '"':
		r.shorthand()
	default:
		end := strings.IndexAny(r.s[r.at:], "%\\{}$&\n\"")
		if end < 0 {
			end = len(r.s) - r.at
		}
		r.show(texSymbols.Replace(r.s[r.at : r.at+end]))
		r.at += end
	}
}

func (r *latexReader) closeBrace() {
	n := len(r.ends)
	if n == 0 {
		return
	}
	end := r.ends[n-1]
	r.ends = r.ends[:n-1]
	r.look.close(n - 1)
	if end != nil {
		end()
	}
}

// comment skips to the next line, with the white space at its start.
func (r *latexReader) comment() {
	end := strings.IndexByte(r.s[r.at:], '\n')
	if end < 0 {
		r.at = len(r.s)
		return
	}
	r.at += end + 1
	for r.at < len(r.s) && (r.s[r.at] == ' ' || r.s[r.at] == '\t') {
		r.at++
	}
}

// newLine reads a line end, which is a space, or divides a word; a blank line ends the paragraph.
func (r *latexReader) newLine() {
	rest := strings.TrimLeft(r.s[r.at+1:], " \t")
	r.at = len(r.s) - len(rest)
	if strings.HasPrefix(rest, "\n") {
		r.paragraph()
		return
	}
	r.Builder.Text([]byte("\n"))
}

func (r *latexReader) paragraph() {
	r.Finish()
	r.Begin()
}

// math skips a formula.
func (r *latexReader) math() {
	mark := "$"
	if strings.HasPrefix(r.s[r.at:], "$$") {
		mark = "$$"
	}
	r.at += len(mark)
	r.skip(mark)
}

// skip skips a formula up to its end mark and adds the text in it.
func (r *latexReader) skip(mark string) {
	start := r.at
	r.skipTo(mark)
	r.within = false
	if end := r.at - len(mark); end >= start {
		r.formula(r.s[start:end])
	}
	if !r.within {
		r.Gap(flow.Space)
	}
}

// skipTo skips to after the next mark, unless the paragraph ends first: then there is no
// formula.
func (r *latexReader) skipTo(mark string) {
	rest := r.near()
	end := r.ending(mark)
	for mark == "$" && end > 0 && rest[end-1] == '\\' {
		next := strings.Index(rest[end+1:], mark)
		if next < 0 {
			end = -1
			break
		}
		end += 1 + next
	}
	if end < 0 || mark == "$" && strings.Contains(rest[:end], "\n\n") {
		return
	}
	r.at += end + len(mark)
}

// command reads and interprets a command.
func (r *latexReader) command() {
	r.at++
	if r.at >= len(r.s) {
		return
	}
	start := r.at
	for r.at < len(r.s) && unicode.IsLetter(rune(r.s[r.at])) && r.s[r.at] < utf8.RuneSelf {
		r.at++
	}
	if r.at == start {
		_, size := utf8.DecodeRuneInString(r.s[r.at:])
		r.at += size
	} else {
		if r.at < len(r.s) && r.s[r.at] == '*' {
			r.at++
		}
	}
	name := cmp.Or(strings.TrimSuffix(r.s[start:r.at], "*"), "*")
	letters := r.at-start > 1 || unicode.IsLetter(rune(r.s[start]))
	if mark, ok := texAccents[name]; ok {
		r.accent(mark)
		return
	}
	if letters {
		if _, sign := texText[name]; !sign {
			r.overlay()
		}
		r.at = len(r.s) - len(strings.TrimLeft(r.s[r.at:], " \t"))
	}
	r.run(name)
}

func (r *latexReader) run(name string) {
	switch name {
	case `\`, "newline", "linebreak":
		r.optional()
		r.look.endCell(true, len(r.ends))
		r.Gap(flow.Line)
	case "(", "[":
		r.skip(map[string]string{"(": `\)`, "[": `\]`}[name])
	case "begin":
		r.environment(r.argument())
	case "end":
		name := r.argument()
		if m := r.macros["{"+name+"}"]; r.nested < maxNested {
			r.insert(m.end)
		}
		r.look.end(name)
		if name != "" && name == r.quoting {
			r.Mark(format.Quote, r.start)
			r.quoting = ""
		}
		if texLists[name] {
			r.lists.End(r.Builder)
		}
		r.Gap(flow.Part)
	case "item":
		r.paragraph()
		start := r.at
		r.optional()
		r.lists.Item(r.Builder)
		r.label(r.s[start:r.at])
	case "bibitem":
		r.paragraph()
		r.optional()
		r.argument()
	case "cmidrule":
		r.optional()
		r.at += len(trimmed().FindString(r.near()))
		r.argument()
	case "par", "newpage", "clearpage":
		r.paragraph()
		r.optional()
	case "hspace":
		if width := r.argument(); !strings.HasPrefix(width, "-") && !strings.HasPrefix(width, "0") {
			r.Gap(flow.Space)
		}
	case "footnote", "footnotetext", "thanks":
		r.optional()
		r.note()
	case "verb", "Verb", "lstinline":
		r.optional()
		r.verb()
	case "mintinline":
		r.optional()
		r.argument()
		r.verb()
	case "url", "nolinkurl", "path":
		if strings.HasPrefix(r.s[r.at:], "{") {
			r.verb()
		}
	case "xspace":
		r.spaceBeforeWord()
	case "textsuperscript":
		r.superscript()
	case "caption", "title", "author", "date":
		r.optional()
		r.open(func() { r.Gap(flow.Part) })
	case "uv", "enquote":
		r.quote()
	case "subfloat", "subfigure", "subtable":
		if caption := r.option(); r.nested < maxNested {
			r.insert(caption)
			r.Gap(flow.Part)
		}
	case "ruby": // the reading follows its base
		r.optional()
		if strings.HasPrefix(r.s[r.at:], "{") {
			r.at++
			r.ends = append(r.ends, func() { r.argument() })
		}
	default:
		r.other(name)
	}
}

func (r *latexReader) other(name string) {
	if defines(name) {
		r.definition(name)
		return
	}
	if r.expand(name) || r.useTerm(name) || r.listTerms(name) {
		return
	}
	if termDefinitions[name] {
		r.term(name)
		return
	}
	if text, ok := texText[name]; ok {
		r.show(text)
		return
	}
	if r.style(name) || r.conditional(name) {
		return
	}
	near := r.near()
	near = near[:min(len(near), maxBody)]
	if n := len(assignment().FindString(near)); n > 0 && (texRegisters[name] || strings.Contains(near[:n], "=")) {
		r.at += n
		return
	}
	if texSections[name] {
		r.optional()
		r.Gap(flow.Part)
		start := r.Len()
		r.open(func() {
			r.Mark(format.Heading, start)
			r.Gap(flow.Part)
		})
		return
	}
	r.optional()
	r.optional()
	if n, ok := texOthers[name]; ok {
		r.elsewhere(n)
		return
	}
	if n, ok := texBeside[name]; ok {
		r.beside++
		for range n {
			r.argument()
		}
		return
	}
	if n, ok := texSettings[name]; ok {
		for range n {
			r.setting()
			r.at += len(equals().FindString(r.near()))
			r.optional()
		}
	} else if n, ok := texDropped[name]; ok {
		for range n {
			r.argument()
			r.optional()
		}
	} else if refers(name) {
		for at := -1; at < r.at && strings.HasPrefix(r.s[r.at:], "{"); r.optional() {
			at = r.at
			r.argument()
		}
	} else if !texStyles[name] {
		r.arguments()
	}
}

// refers reports whether the arguments of the command with this name are labels.
func refers(name string) bool {
	name = strings.ToLower(name)
	return strings.Contains(name, "cite") && name != "citetext" || strings.HasSuffix(name, "ref") && name != "hyperref"
}

// arguments reads the arguments of an unknown command, with a space between two.
func (r *latexReader) arguments() {
	if r.at >= len(r.s) || r.s[r.at] != '{' {
		return
	}
	r.at++
	r.ends = append(r.ends, func() {
		if r.at < len(r.s) && r.s[r.at] == '{' {
			r.Gap(flow.Space)
			r.arguments()
		}
	})
}

// setting reads and returns the next argument, up to the limit for environments. After one without an end, only
// short ones are read.
func (r *latexReader) setting() string {
	if r.endlessSetting {
		return r.argument()
	}
	at := r.at
	setting := r.braced(maxTexEnvironment)
	r.endlessSetting = r.at == at && strings.HasPrefix(strings.TrimLeft(r.s[at:], " \t\n"), "{")
	return setting
}

// elsewhere counts an included file and skips its name, which is in n arguments. In plain TeX,
// the name needs no braces.
func (r *latexReader) elsewhere(n int) {
	r.others++
	if !strings.HasPrefix(strings.TrimLeft(r.s[r.at:], " \t\n"), "{") {
		name := strings.IndexAny(r.near(), " \t\n\\%{}")
		r.at += max(name, 0)
		return
	}
	for range n {
		r.argument()
	}
}

// open starts an argument; end is called at its closing brace.
func (r *latexReader) open(end func()) {
	if r.at < len(r.s) && r.s[r.at] == '{' {
		r.at++
		r.Gap(flow.Part)
		r.ends = append(r.ends, end)
	}
}

func (r *latexReader) note() {
	if r.at < len(r.s) && r.s[r.at] == '{' {
		r.at++
		r.BeginSide(format.Footnote)
		r.Begin()
		r.ends = append(r.ends, func() {
			r.Finish()
			r.EndSide()
		})
	}
}

func (r *latexReader) quote() {
	if r.at < len(r.s) && r.s[r.at] == '{' {
		r.at++
		r.Builder.Text([]byte("„"))
		r.ends = append(r.ends, func() { r.Builder.Text([]byte("“")) })
	}
}

// superscript reads raised text, which may be the number of a note.
func (r *latexReader) superscript() {
	start := r.at
	if text := r.argument(); !strings.ContainsAny(text, "\\{}$%") {
		r.Raise(true)
		r.Builder.Text([]byte(text))
		r.Raise(false)
		return
	}
	r.at = start
}

// verb reads \verb|text| or \url{text} unchanged, except for the backslash before a sign.
func (r *latexReader) verb() {
	if r.at >= len(r.s) {
		return
	}
	if inner := r.argument(); inner != "" {
		r.show(texEscaped().ReplaceAllString(inner, "$1"))
		return
	}
	_, size := utf8.DecodeRuneInString(r.s[r.at:])
	mark := r.s[r.at : r.at+size]
	line, _, _ := strings.Cut(r.near()[size:], "\n")
	if inner, _, ok := strings.Cut(line, mark); ok {
		r.Builder.Text([]byte(inner))
		r.at += 2*size + len(inner)
	}
}

// environment starts an environment; its arguments are not text.
func (r *latexReader) environment(name string) {
	r.Gap(flow.Part)
	end := `\end{` + name + `}`
	switch {
	case texSkipped[name]:
		if i := r.ending(end); i >= 0 {
			start := r.at
			r.at += i + len(end)
			if !strings.HasPrefix(name, "tikz") && !strings.HasPrefix(name, "comment") && !strings.HasPrefix(name, "file") {
				r.formula(r.s[start : start+i])
				r.Gap(flow.Part)
			} else if strings.HasPrefix(name, "tikz") {
				r.countProse(name, r.s[start:start+i])
			}
		}
	case texVerbatim[name]:
		r.named(name)
		for range texArguments[name] {
			r.argument()
		}
		if i := r.ending(end); i >= 0 {
			r.Verbatim([]byte(strings.Trim(r.s[r.at:r.at+i], "\n")))
			r.at += i + len(end)
			r.Gap(flow.Part)
		}
	default:
		r.look.begin(name, len(r.ends))
		r.overlay()
		r.named(name)
		for range texArguments[name] {
			r.argument()
			r.optional()
		}
		if texQuotes[name] && r.quoting == "" {
			r.quoting, r.start = name, r.Len()
		}
		if texLists[name] {
			r.list(name)
		}
		r.expand("{" + name + "}")
	}
}

// named reads the options of an environment, in which its name, caption or title is text.
func (r *latexReader) named(environment string) {
	options := r.option()
	text := cmp.Or(valueOf(options, "caption"), valueOf(options, "title"))
	if text == "" && !texLists[environment] && !strings.ContainsAny(options, "=,") && strings.Contains(strings.TrimSpace(options), " ") && len(options) > len("h t b p !") {
		text = options
	}
	if text == "" {
		r.countProse(environment, options)
	} else if r.nested < maxNested {
		r.insert(text)
		r.Gap(flow.Part)
	}
}

// label adds the label of an item in brackets, if it is text.
func (r *latexReader) label(label string) {
	if len(strings.Fields(label)) < labelWords {
		return
	}
	inner := &latexReader{Body: flow.NewBody(), s: label[1 : len(label)-1], endless: map[string]int{}, conditionals: Conditionals{}}
	for inner.at < len(inner.s) {
		inner.step()
	}
	r.show(flow.OneLine(inner.String()) + " ")
}

// labelWords is the least number of words of a label that is text.
const labelWords = 3

// list starts a list. Numbered lists within one another have the labels of the class article.
func (r *latexReader) list(name string) {
	labels := ""
	if strings.HasPrefix(name, "enumerate") {
		labels = []string{"1.", "(a)", "i.", "A."}[min(r.lists.Numbered(), 3)]
	}
	r.lists.Begin(labels, 1)
}

// argument reads and returns the next argument in braces.
func (r *latexReader) argument() string { return r.braced(maxTexArgument) }

// braced is argument with a limit in bytes.
func (r *latexReader) braced(limit int) string {
	rest := strings.TrimLeft(r.s[r.at:], " \t\n")
	if !strings.HasPrefix(rest, "{") {
		return ""
	}
	start := len(r.s) - len(rest) + 1
	end := r.closing(start, '{', '}', limit)
	if end < 0 {
		return ""
	}
	r.at = end + 1
	return r.s[start:end]
}

// overlay skips the slides on which Beamer shows something.
func (r *latexReader) overlay() {
	near := r.near()
	r.at += len(overlay().FindString(near[:min(len(near), maxBody)]))
}

// optional skips an optional argument in brackets.
func (r *latexReader) optional() {
	if r.at < len(r.s) && r.s[r.at] == '[' {
		if end := r.closing(r.at+1, '[', ']', maxTexArgument); end >= 0 {
			r.at = end + 1
		}
	}
}

// Limits for the search for the end of an argument, a formula or an environment, in bytes, so
// that a file with many unclosed ones does not take quadratic time.
const (
	maxTexArgument    = 2_000
	maxTexEnvironment = 50_000
)

// near returns the following text up to the search limit.
func (r *latexReader) near() string { return r.s[r.at:min(len(r.s), r.at+maxTexEnvironment)] }

// ending returns the distance of the mark in bytes, -1 if it is not near. An unsuccessful search
// is remembered and not repeated.
func (r *latexReader) ending(mark string) int {
	from, to := max(r.at, r.endless[mark]), r.at+len(r.near())
	if from < to {
		if i := strings.Index(r.s[from:to], mark); i >= 0 {
			return from + i - r.at
		}
	}
	if r.endless != nil {
		r.endless[mark] = max(from, to-len(mark)+1)
	}
	return -1
}

// closing returns the offset of the bracket that closes the one opened before from, -1 if it is
// not within limit bytes.
func (r *latexReader) closing(from int, open, close byte, limit int) int {
	depth := 1
	for i := from; i < min(len(r.s), from+limit); i++ {
		switch r.s[i] {
		case '\\':
			i++
		case open:
			depth++
		case close:
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// accent adds a combining mark to the next letter, which may be in braces.
func (r *latexReader) accent(mark string) {
	rest := strings.TrimLeft(r.s[r.at:], " ")
	at := len(r.s) - len(rest)
	braced := strings.HasPrefix(rest, "{")
	if braced {
		rest = strings.TrimLeft(rest[1:], " ")
		at = len(r.s) - len(rest)
	}
	letter, size := utf8.DecodeRuneInString(rest)
	if after, ok := strings.CutPrefix(rest, `\i`); ok && (after == "" || !unicode.IsLetter(rune(after[0]))) {
		letter, size = 'i', len(`\i`)
		size += len(after) - len(strings.TrimLeft(after, " "))
	}
	if !unicode.IsLetter(letter) {
		return
	}
	r.at = at + size
	if braced && r.at < len(r.s) && r.s[r.at] == '}' {
		r.at++
	}
	r.show(norm.NFC.String(string(letter) + mark))
}

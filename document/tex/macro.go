package tex

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/otisk/otisk/document/flow"
)

// Macros without arguments stand for their text: \newcommand{\e}{e} lets "th\e" be read
// as "the". They are put in where they are called, one in another only so deep, and only
// so much of them: what is longer than a few words is a style, or an attack on the reader.

// Bounds of macros.
const (
	maxMacros   = 10_000
	maxBody     = 500 // bytes of one
	maxNested   = 3   // macros in macros
	moreByTimes = 2   // times the bytes of the file that all of them may be
	moreBytes   = 1 << 20
)

// definition is how a macro without arguments is defined.
var definition = regexp.MustCompile(`\\(?:newcommand|renewcommand|providecommand|DeclareRobustCommand|def|gdef|edef)\*?\s*(?:\{\s*\\([A-Za-z]+)\s*\}|\\([A-Za-z]+))\s*\{`)

// programs are commands of bodies that are more than text and looks.
var programs = regexp.MustCompile(`#|@|\\(begin|end|input|include|if|fi|else|csname|expandafter|let|def|newcommand|verb|footnote|section|chapter|title|author)`)

// defineMacros takes those that the file defines.
func (r *latexReader) defineMacros(text string) {
	for at := 0; len(r.macros) < maxMacros; {
		m := definition.FindStringSubmatchIndex(text[at:])
		if m == nil {
			return
		}
		name := ""
		for i := 2; i <= 4; i += 2 {
			if m[i] >= 0 {
				name = text[at+m[i] : at+m[i+1]]
			}
		}
		at += m[1]
		near := &latexReader{s: text[at:min(len(text), at+maxBody)]}
		end := near.closing(0, '{', '}')
		if end < 0 || programs.MatchString(near.s[:end]) {
			continue
		}
		if r.macros == nil {
			r.macros, r.room = map[string]string{}, moreByTimes*len(text)+moreBytes
		}
		r.macros[name] = strings.TrimSuffix(near.s[:end], `\xspace`)
	}
}

// expand puts in the macro of a name, and reports whether there is one.
func (r *latexReader) expand(name string) bool {
	body, ok := r.macros[name]
	if !ok || r.nested == maxNested || r.room < len(body) {
		return false
	}
	r.room -= len(body) + 1
	s, at, endless := r.s, r.at, r.endless
	r.s, r.at, r.endless = body, 0, nil
	r.nested++
	for r.at < len(r.s) {
		r.step()
	}
	r.nested--
	r.s, r.at, r.endless = s, at, endless
	return true
}

// defines goes past the definition of a macro.
func (r *latexReader) defines() {
	rest := strings.TrimLeft(r.s[r.at:], " \t\n")
	if strings.HasPrefix(rest, `\`) {
		name := strings.IndexFunc(rest[1:], func(c rune) bool { return !unicode.IsLetter(c) })
		brace := strings.IndexAny(rest[1:min(len(rest), maxBody)], "{[")
		if name < 0 || brace < 0 {
			return
		}
		r.at = len(r.s) - len(rest) + 1 + brace
	} else {
		r.argument()
	}
	r.optional()
	r.optional()
	r.argument()
}

// formulaText is what formulas have of text, or of words in the letters of formulas.
var formulaText = regexp.MustCompile(`\\(?:(?:text|textrm|textnormal|textit|textbf|textsf|mbox|intertext)\{([^{}$\\]*)|math(?:rm|it|bf|sf)\{(\pL{4,}))\}`)

// kerning is how far \kern moves what follows.
var kerning = regexp.MustCompile(`^[ =]*-?[\d.]+ *(?:pt|em|ex|mm|cm|in|sp|bp|mu) ?`)

// formula shows the text in a formula, which else is left out, and words that are set as
// formulas, within others or by themselves.
func (r *latexReader) formula(s string) {
	if strings.IndexFunc(s, func(c rune) bool { return c >= utf8.RuneSelf || !unicode.IsLetter(c) }) < 0 && s != "" {
		next, _ := utf8.DecodeRuneInString(r.s[r.at:])
		if within := r.WithinWord() && unicode.IsLetter(next); within || len(s) >= leastItalic {
			r.show(s)
			r.within = within
			return
		}
	}
	for _, m := range formulaText.FindAllStringSubmatch(s, -1) {
		r.Gap(flow.Space)
		r.show(strings.TrimSpace(m[1] + m[2]))
		r.Gap(flow.Space)
	}
}

// leastItalic is how many letters a formula has at least that is a word.
const leastItalic = 4

package tex

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/otisk/otisk/document/flow"
	"github.com/otisk/otisk/document/format"
)

// Macros can hide copied text: with \newcommand{\e}{e}, "th\e" is shown as "the", and with
// \newcommand{\x}[1]{}, "th\x{q}e" is. Short macros are therefore expanded, up to a depth and
// a total size. Longer macros define styles, or attack the reader.

// Bounds of macros.
const (
	maxMacros   = 10_000
	maxBody     = 500 // bytes of the body of a macro
	maxNested   = 3   // depth of expansion
	moreByTimes = 2   // all expansions together may have this many times the bytes of the file
	moreBytes   = 1 << 20
)

// A macro is a command defined in the document.
type macro struct {
	body     string
	spaced   bool    // it ends with \xspace: a space before a letter
	args     int     // number of arguments: #1, #2 …
	fallback *string // default of the optional first argument; nil if it is not optional
}

// definition matches the definition of a macro: its name with or without braces, the number of
// arguments and the default of the first one, or the parameter text of \def.
var definition = format.Pattern(`\\(?:newcommand|renewcommand|providecommand|DeclareRobustCommand|def|gdef|edef)\*?\s*(?:\{\s*\\([A-Za-z]+)\s*\}|\\([A-Za-z]+))\s*(?:\[(\d)\]\s*(\[[^\[\]]{0,100}\])?|((?:#\d)*))\s*\{`)

// programs matches commands in bodies that are more than text and formatting; such macros are
// not expanded.
var programs = format.Pattern(`@|\\(begin|end|input|include|if|fi|else|csname|expandafter|let|def|newcommand|verb|footnote|section|chapter|title|author)`)

// defineMacros reads the macro definitions of the file.
func (r *latexReader) defineMacros(text string) {
	for at := 0; len(r.macros) < maxMacros; {
		found := definition().FindStringSubmatchIndex(text[at:])
		if found == nil {
			return
		}
		part := func(i int) string {
			if found[2*i] < 0 {
				return ""
			}
			return text[at+found[2*i] : at+found[2*i+1]]
		}
		name, m := part(1)+part(2), macro{args: len(part(5)) / len("#1")}
		if n := part(3); n != "" {
			m.args = int(n[0] - '0')
		}
		if given := part(4); given != "" {
			given = strings.Trim(given, "[]")
			m.fallback = &given
		}
		at += found[1]
		near := &latexReader{s: text[at:min(len(text), at+maxBody)]}
		end := near.closing(0, '{', '}', maxTexArgument)
		if end < 0 || programs().MatchString(near.s[:end]) || strings.Contains(m.with(near.s[:end], make([]string, m.args)), "#") {
			continue
		}
		if r.macros == nil {
			r.macros = map[string]macro{}
		}
		m.body, m.spaced = strings.CutSuffix(near.s[:end], `\xspace`)
		r.macros[name] = m
	}
}

// with returns body with its arguments substituted.
func (m macro) with(body string, args []string) string {
	if m.args == 0 {
		return body
	}
	var pairs []string
	for i, arg := range args {
		pairs = append(pairs, "#"+strconv.Itoa(i+1), arg)
	}
	return strings.NewReplacer(pairs...).Replace(body)
}

// expand expands the macro with this name and reports whether there is one.
func (r *latexReader) expand(name string) bool {
	m, ok := r.macros[name]
	if !ok || r.nested == maxNested {
		return false
	}
	called := r.at
	args, ok := r.argumentsOf(m)
	body := ""
	if ok {
		body = m.with(m.body, args)
	}
	if !ok || r.room < len(body) {
		r.at = called
		return false
	}
	r.insert(body)
	if next, _ := utf8.DecodeRuneInString(r.s[r.at:]); m.spaced && unicode.IsLetter(next) {
		r.Gap(flow.Space)
	}
	return true
}

// insert reads text in place of a command, unless it exceeds the room for expansions.
func (r *latexReader) insert(body string) {
	if r.room < len(body) {
		return
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
}

// argumentsOf reads the arguments of a macro call; ok is false if some are missing.
func (r *latexReader) argumentsOf(m macro) (args []string, ok bool) {
	if m.args > 0 && m.fallback != nil {
		args = append(args, *m.fallback)
		if at := r.at; at < len(r.s) && r.s[at] == '[' {
			if r.optional(); r.at > at {
				args[0] = r.s[at+1 : r.at-1]
			}
		}
	}
	for len(args) < m.args {
		rest := strings.TrimLeft(r.s[r.at:], " \t\n")
		letter, size := utf8.DecodeRuneInString(rest)
		switch {
		case letter == '{':
			at := len(r.s) - len(rest)
			r.at = at
			arg := r.argument()
			if r.at == at {
				return nil, false
			}
			args = append(args, arg)
		case unicode.IsLetter(letter) || unicode.IsDigit(letter):
			r.at = len(r.s) - len(rest) + size
			args = append(args, rest[:size])
		default:
			return nil, false
		}
	}
	return args, true
}

// defines skips the definition of a macro.
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

// formulaText matches text in formulas, and words set in a formula font.
var formulaText = format.Pattern(`\\(?:(?:text|textrm|textnormal|textit|textbf|textsf|mbox|intertext)\{([^{}$\\]*)|math(?:rm|it|bf|sf)\{(\pL{4,}))\}`)

// assignment matches the value that is assigned to a register of TeX, or the width of a box, and equals the sign of a style.
var (
	assignment = format.Pattern(`^(?:[ =]*|(?:to|spread) *)-?[\d.]+ *` + texUnit + `(?:plus *-?[\d.]+ *` + texUnit + `)?(?:minus *-?[\d.]+ *` + texUnit + `)?`)
	equals     = format.Pattern(`^ *= *`)
)

const texUnit = `(?:(?:true *)?(?:pt|pc|em|ex|mm|cm|in|sp|bp|dd|cc|mu|fil{1,3})\b ?|\\[a-z]+ *)?`

// formula adds the text in a formula, and a formula that is a word or a part of a word. All other
// content of a formula is omitted.
func (r *latexReader) formula(s string) {
	if strings.IndexFunc(s, func(c rune) bool { return c >= utf8.RuneSelf || !unicode.IsLetter(c) }) < 0 && s != "" {
		next, _ := utf8.DecodeRuneInString(r.s[r.at:])
		if within := r.WithinWord() && unicode.IsLetter(next); within || len(s) >= leastItalic {
			r.show(s)
			r.within = within
			return
		}
	}
	for _, at := range formulaText().FindAllStringSubmatchIndex(s, -1) {
		text := ""
		for i := 2; i < len(at); i += 2 {
			if at[i] >= 0 {
				text += s[at[i]:at[i+1]]
			}
		}
		if text = strings.TrimSpace(text); isIndex(s[:at[0]], text) {
			continue
		}
		r.Gap(flow.Space)
		r.show(text)
		r.Gap(flow.Space)
	}
}

// isIndex reports whether text in a formula is a letter above or below the line, or in a list of such letters.
func isIndex(before, text string) bool {
	before = strings.TrimRight(before, " ")
	return utf8.RuneCountInString(text) == 1 && before != "" && strings.ContainsRune("^_{,;", rune(before[len(before)-1]))
}

// leastItalic is the minimum number of letters of a formula that counts as a word.
const leastItalic = 4

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
	end      string  // the code at the end of an environment
	spaced   bool    // it ends with \xspace: a space before a letter
	args     int     // number of arguments: #1, #2 …
	fallback *string // default of the optional first argument; nil if it is not optional
}

// definer matches a command that defines a macro or an environment; documentArguments are the letters that
// \NewDocumentCommand has for arguments.
var (
	definer           = format.Pattern(`\\(newcommand|renewcommand|providecommand|DeclareRobustCommand|[ge]?def|(?:re)?newenvironment|(?:New|Renew|Provide|Declare)(?:Expandable)?Document(?:Command|Environment))\*?\s*[{\\]`)
	documentArguments = format.Pattern(`^(?:o|O\{([^{}]*)\})?(m*)$`)
	parameterText     = format.Pattern(`^(?:#\d)+`)
)

// programs matches commands in bodies that are more than text and formatting; such macros are
// not expanded.
var programs = format.Pattern(`@|\\(begin|end|input|include|if|fi|else|csname|expandafter|let|def|newcommand|verb|footnote|section|chapter|title|author|If)`)

// defineMacros reads the macro definitions of the file.
func (r *latexReader) defineMacros(text string) {
	r.macros = map[string]macro{}
	d := &latexReader{s: text}
	for _, at := range definer().FindAllStringSubmatchIndex(text, maxMacros) {
		d.at = at[1] - 1
		name, m := d.definition(text[at[2]:at[3]])
		used := m.with(m.body, make([]string, m.args)) + m.end
		if name != "" && len(m.body) < maxBody && !programs().MatchString(used) && !strings.Contains(used, "#") {
			r.macros[name] = m
		}
	}
}

// defines reports whether a command defines a macro or an environment. Most do not even end like one, which takes a fraction of the
// time of a pattern.
func defines(name string) bool {
	ends := func(end string) bool { return strings.HasSuffix(name, end) }
	return (ends("def") || ends("ommand") || ends("nvironment")) && definer().MatchString(`\`+name+`{`)
}

// definition reads the arguments of a command that defines a macro. The name is "" if they are not all known; that of
// an environment is in braces.
func (r *latexReader) definition(command string) (name string, m macro) {
	name = strings.TrimSpace(r.argument())
	if rest := r.s[r.at:]; name == "" && strings.HasPrefix(rest, `\`) {
		name = rest[:len(rest)-len(strings.TrimLeft(rest[1:], texLetters))]
		r.at += len(name)
	}
	name = strings.TrimPrefix(name, `\`)
	environment := strings.HasSuffix(strings.ToLower(command), "environment")
	if environment {
		name = "{" + name + "}"
	}
	if strings.Contains(command, "Document") {
		found := documentArguments().FindStringSubmatch(strings.NewReplacer("+", "", " ", "").Replace(r.argument()))
		if found == nil {
			name = ""
		} else if m.args = len(found[2]); m.args < len(found[0]) {
			m.args++
			m.fallback = &found[1]
		}
	} else if n, err := strconv.Atoi(r.option()); err == nil {
		m.args = n
		if at := r.at; strings.HasPrefix(r.s[at:], "[") {
			given := r.option()
			m.fallback = &given
		}
	} else {
		parameters := parameterText().FindString(r.s[r.at:])
		m.args = len(parameters) / len("#1")
		r.at += len(parameters)
	}
	at := r.at
	m.body, m.spaced = strings.CutSuffix(r.argument(), `\xspace`)
	if r.at == at {
		name = ""
	}
	if environment {
		m.end = r.argument()
	}
	return name, m
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
	if m.spaced {
		r.spaceBeforeWord()
	}
	return true
}

// spaceBeforeWord reads \xspace: a space before a word, which may be a macro.
func (r *latexReader) spaceBeforeWord() {
	next, _ := utf8.DecodeRuneInString(strings.TrimPrefix(r.s[r.at:], `\`))
	if unicode.IsLetter(next) && !strings.HasPrefix(r.s[r.at:], `\footnote`) {
		r.Gap(flow.Space)
	}
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

// formulaText matches text in formulas, and words set in a formula font.
var formulaText = format.Pattern(`\\(?:(?:text|textrm|textnormal|textit|textbf|textsf|mbox|intertext)\{([^{}$\\]*)|math(?:rm|it|bf|sf)\{(\pL{4,}))\}`)

// indexed matches a formula that is a number below or above the line, as in H$_2$O.
var indexed = format.Pattern(`^\s*([_^])\s*(?:\{\s*)?(\d{1,3})\s*\}?\s*$`)

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
	if index := indexed().FindStringSubmatch(s); index != nil && r.WithinWord() {
		r.Raise(index[1] == "^")
		r.Builder.Text([]byte(index[2]))
		r.Raise(false)
		r.within = true
		return
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

package tex

import (
	"strings"

	"github.com/otisk/otisk/document/format"
)

// conditionals are the commands of TeX that start a conditional: not commands of packages that take
// their branches as arguments, such as \ifthenelse, and not the arrow \iff.
var conditionals = format.Names("if", "ifcat", "ifnum", "ifdim", "ifodd", "ifvmode", "ifhmode", "ifmmode", "ifinner", "ifvoid", "ifhbox",
	"ifvbox", "ifx", "ifeof", "iftrue", "iffalse", "ifcase", "ifdefined", "ifcsname", "iffontchar", "ifpdf", "ifxetex", "ifluatex", "ifincsname")

var newConditional = format.Pattern(`\\(?:newif|let)\s*\\(if[A-Za-z@]+)`)

// assigned matches the arguments of \let and of \ifx.
var assigned = format.Pattern(`^\s*\\[A-Za-z@]+\s*=?\s*\\[A-Za-z@]+`)

// Conditionals has the names of the conditionals that a document defines.
type Conditionals map[string]bool

// Define adds the definitions in a text.
func (c Conditionals) Define(text string) {
	for _, m := range newConditional().FindAllStringSubmatch(text, maxMacros) {
		c[m[1]] = true
	}
}

func (c Conditionals) opens(name string) bool {
	return conditionals[name] || c[name] || strings.HasPrefix(name, "if@")
}

// EndFalse returns the offset after the text that TeX skips at \iffalse, which precedes text: after
// its \else, otherwise after its \fi. Conditionals in the skipped text are skipped with their own
// \fi. It returns -1 if there is no \fi.
func (c Conditionals) EndFalse(text string) int {
	depth := 0
	for at := 0; at < len(text); {
		next := strings.IndexAny(text[at:], `\%`)
		if next < 0 {
			break
		}
		if at += next; text[at] == '%' {
			line := strings.IndexByte(text[at:], '\n')
			if line < 0 {
				break
			}
			at += line + 1
			continue
		}
		start := at + 1
		for at = start; at < len(text) && isCommandLetter(text[at]); at++ {
		}
		switch name := text[start:at]; {
		case name == "":
			at++ // an escaped character
		case c.opens(name):
			depth++
		case depth == 0 && (name == "else" || name == "fi"):
			return at
		case name == "fi":
			depth--
		}
	}
	return -1
}

// conditional reads the branch that TeX reads of \iftrue and \iffalse, and both branches of other
// conditionals. It reports whether the command is a part of one, or assigns one.
func (r *latexReader) conditional(name string) bool {
	n := len(r.branches)
	switch {
	case name == "iffalse":
		if r.skipFalse() {
			r.branches = append(r.branches, false)
		}
	case r.conditionals.opens(name):
		r.branches = append(r.branches, name == "iftrue")
		if name == "ifx" {
			r.at += len(assigned().FindString(r.near()))
		}
	case name == "else" && n > 0 && r.branches[n-1]:
		r.skipFalse()
		r.branches = r.branches[:n-1]
	case name == "fi":
		r.branches = r.branches[:max(n-1, 0)]
	case name == "let":
		r.at += len(assigned().FindString(r.near()))
	case name == "newif":
		r.at += len(texAny().FindString(r.near()))
	default:
		return false
	}
	return true
}

// skipFalse skips a branch that TeX does not read, and reports whether an \else ends it.
func (r *latexReader) skipFalse() bool {
	if r.unclosed {
		return false
	}
	end := r.conditionals.EndFalse(r.s[r.at:])
	if end < 0 {
		r.unclosed = true
		return false
	}
	r.at += end
	return strings.HasSuffix(r.s[:r.at], "else")
}

func isCommandLetter(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '@'
}

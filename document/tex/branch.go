package tex

import (
	"strings"

	"github.com/otisk/otisk/document/format"
)

// conditionals are the commands of TeX that start a conditional: not commands of packages that take
// their branches as arguments, such as \ifthenelse, and not the arrow \iff.
var conditionals = format.Names("if", "ifcat", "ifnum", "ifdim", "ifodd", "ifvmode", "ifhmode", "ifmmode", "ifinner", "ifvoid", "ifhbox",
	"ifvbox", "ifx", "ifeof", "iftrue", "iffalse", "ifcase", "ifdefined", "ifcsname", "iffontchar", "ifpdf", "ifxetex", "ifluatex", "ifincsname")

var newConditional = format.Pattern(`\\newif\s*\\(if[A-Za-z@]+)`)

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

func isCommandLetter(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '@'
}

package office

import (
	"strings"

	"golang.org/x/text/unicode/norm"
)

// Word sets the letters of formulas as signs of mathematics: those of a word in a formula
// are the letters that they show.

// fromFormula returns the text of a formula in plain letters.
func fromFormula(s []byte) []byte {
	var b strings.Builder
	for _, r := range string(s) {
		if 0x1D400 <= r && r <= 0x1D7FF || r == 'ℎ' {
			b.WriteString(norm.NFKC.String(string(r)))
		} else {
			b.WriteRune(r)
		}
	}
	return []byte(b.String())
}

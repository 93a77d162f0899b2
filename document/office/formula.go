package office

import (
	"strings"

	"golang.org/x/text/unicode/norm"
)

// Word stores letters in formulas as mathematical alphanumeric symbols. A word in a formula is read
// as plain letters.

// fromFormula returns the text of a formula with plain letters.
func fromFormula(s []byte) []byte {
	var b strings.Builder
	for _, r := range string(s) {
		if r == '\u200b' || 0x2061 <= r && r <= 0x2064 {
			continue // pandoc fills empty limits with the first, and Word puts operators that are not seen after names of functions
		}
		if 0x1D400 <= r && r <= 0x1D7FF || r == 'ℎ' {
			b.WriteString(norm.NFKC.String(string(r)))
		} else {
			b.WriteRune(r)
		}
	}
	return []byte(b.String())
}

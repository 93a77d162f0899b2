package roll

import (
	_ "embed"
	"strconv"
	"strings"
)

// onionText has the numbers of onion 1.2 from its file buzhash.c, below their terms.
//
//go:embed onion.txt
var onionText string

// onionTable has the number that onion has for each byte: without just these, no other program has its
// hashes, and so its output. It has none for the byte 255, and reads whatever follows the table; this
// one has 0.
var onionTable = parseOnion(onionText)

func parseOnion(text string) (table [256]uint64) {
	i := 0
	for field := range strings.FieldsSeq(text) {
		if n, err := strconv.ParseUint(field, 0, 64); err == nil { // a word of the terms is no number
			table[i] = n
			i++
		}
	}
	return table
}

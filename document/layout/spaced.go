package layout

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// leastSpaced is the least number of single letters in a line of spaced words.
const leastSpaced = 10

// isSpaced reports whether most of a line, including its end, consists of single letters.
func isSpaced(line string) bool {
	line = strings.TrimRight(line, " ")
	if r, size := utf8.DecodeLastRuneInString(line); !unicode.IsLetter(r) || !strings.HasSuffix(line[:len(line)-size], " ") {
		return false
	}
	alone, words := 0, 0
	for w := range strings.FieldsSeq(line) {
		if words++; isAlone(w) {
			alone++
		}
	}
	return alone >= leastSpaced && 2*alone > words
}

// startsAlone reports whether a line starts with a single letter.
func startsAlone(line string) bool {
	first, _, _ := strings.Cut(line, " ")
	return isAlone(first)
}

func isAlone(word string) bool {
	r, size := utf8.DecodeRuneInString(word)
	return size == len(word) && unicode.IsLetter(r)
}

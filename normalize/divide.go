package normalize

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// divides reports whether a character divides a word if it is the last of a line: a soft hyphen,
// the signs that old typesetting and text recognition write for one, or a hyphen, if the rules
// delete hyphens inside words. Its class is by the rules.
func divides(char string, class func(rune) class) bool {
	switch char {
	case "-", "‐":
		r, _ := utf8.DecodeRuneInString(char)
		return class(r) == gone
	case "\u00ad", "¬", "⸗":
		r, _ := utf8.DecodeRuneInString(char)
		return class(r) != keep
	}
	return false
}

// wordStart reports whether a character may precede or follow a division.
func wordStart(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// endsInHyphen reports whether a text ends in a hyphen. Another one after it makes a dash of both,
// as typewriters and plain text write it, and a dash divides no word.
func endsInHyphen(text string) bool {
	return strings.HasSuffix(text, "-") || strings.HasSuffix(text, "‐")
}

// Suspends reports whether the line after a hyphen shows that the hyphen replaces a part of a word
// that comes later, as in pre- and postwar: the line starts with a conjunction and a space. Words
// that are also the last syllables of others, such as or, are not among the conjunctions.
func Suspends(next string) bool {
	end := strings.IndexAny(next[:min(len(next), longestConjunction+1)], " \n")
	return end > 0 && conjunctions[next[:end]]
}

const longestConjunction = 5

var conjunctions = map[string]bool{
	"and": true, "und": true, "oder": true, "sowie": true, "och": true, "og": true, "eller": true, "nebo": true, "oraz": true,
	"a": true, "e": true, "i": true, "o": true, "u": true, "y": true,
}

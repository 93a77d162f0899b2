package exclude

import (
	_ "embed"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/otisk/otisk/normalize"
)

// headingTable lists the headings of some 40 languages; its first lines describe the format.
//
//go:embed headings.txt
var headingTable string

// headings returns the phrases of the tables of headings and of citations, folded, by kind, and by kind and language with a space between.
var headings = sync.OnceValue(func() map[string]phrases { return parseHeadings(headingTable + "\n" + citationTable) })

// Phrases have, by their words, whether these are a phrase or only its first word.
type phrases map[string]bool

// mostPhrase is the largest number of words of a phrase of the table.
const mostPhrase = 5

// leastSpaced is the least number of letters of a heading that is known with spaces between them.
const leastSpaced = 8

func parseHeadings(table string) map[string]phrases {
	kinds := map[string]phrases{}
	for line := range strings.Lines(table) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if strings.HasPrefix(line, "#") || len(f) != 3 {
			continue
		}
		for _, kind := range []string{f[1], f[1] + " " + f[0]} {
			known := kinds[kind]
			if known == nil {
				known = phrases{}
				kinds[kind] = known
			}
			for phrase := range strings.SplitSeq(f[2], ", ") {
				words := wordsIn(fold(phrase))
				known[words[0]] = known[words[0]] || len(words) == 1
				known[strings.Join(words, " ")] = true
			}
		}
	}
	return kinds
}

// fold returns s in lower case, without diacritics and invisible characters, in compatibility form
// and with digits of all scripts as ASCII digits.
func fold(s string) string {
	if isPlain(s) {
		return strings.ToLower(s)
	}
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Cf, r):
			return -1
		case unicode.Is(unicode.Nd, r):
			return normalize.Digit(r)
		case r == 'ı': // the dotless i of Turkish
			return 'i'
		case r == 'ς':
			return 'σ'
		}
		return unicode.ToLower(r)
	}, norm.NFKD.String(s))
}

// isPlain reports whether s is ASCII.
func isPlain(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// wordsIn returns the words of a folded text. Single Chinese characters between spaces, as a
// heading that is set wide has them, are one word.
func wordsIn(s string) []string {
	words := strings.FieldsFunc(s, func(r rune) bool {
		if r < utf8.RuneSelf {
			return !isASCIIWord(byte(r))
		}
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	})
	for _, w := range words {
		if r, size := utf8.DecodeRuneInString(w); size < len(w) || !unicode.Is(unicode.Han, r) {
			return words
		}
	}
	if len(words) > 1 {
		return []string{strings.Join(words, "")}
	}
	return words
}

// named reports whether a folded line is the name of a bibliography: a phrase of kind "list",
// and words that may accompany one.
func named(s string) bool {
	words := wordsIn(s)
	if len(words) > mostHeading || strings.ContainsAny(strings.TrimRight(s, " \t.:"), ".!?;=\"[]|") {
		return false
	}
	found := false
	for len(words) > 0 {
		n := longest("list", words)
		switch {
		case n > 0:
			found = true
		case headings()["beside"][words[0]]:
			n = 1
		default:
			return false
		}
		words = words[n:]
	}
	return found
}

// spaced reports whether a folded line is the heading of a bibliography with spaces between its
// letters, as some PDFs have it.
func spaced(s string) bool {
	whole := strings.ReplaceAll(s, " ", "")
	return len(whole) < len(s) && utf8.RuneCountInString(whole) >= leastSpaced && headings()["list"][whole]
}

// longest returns how many words the longest phrase of a kind has that words start with, or 0.
func longest(kind string, words []string) int {
	known := headings()[kind]
	if len(words) == 0 {
		return 0
	}
	alone, begins := known[words[0]]
	if !begins { // of nearly all words
		return 0
	}
	for n := min(len(words), mostPhrase); n > 1; n-- {
		if known[strings.Join(words[:n], " ")] {
			return n
		}
	}
	if alone {
		return 1
	}
	return 0
}

// startsWith reports whether a folded line starts with a phrase of a kind. In a script without
// spaces, the phrase may be the beginning of a word.
func startsWith(kind, s string) bool {
	words := wordsIn(s)
	return len(words) > 0 && (longest(kind, words) > 0 || isUnspacedStart(kind, words[0]))
}

// isUnspacedStart reports whether a word of a script without spaces starts with a phrase of a kind.
func isUnspacedStart(kind, word string) bool {
	for i, r := range word {
		if !normalize.Unspaced(r) {
			break
		}
		if headings()[kind][word[:i+utf8.RuneLen(r)]] {
			return true
		}
	}
	return false
}

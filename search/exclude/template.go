package exclude

import (
	"strings"
	"unicode"
)

const (
	// templateRun is the least number of words in a row that a text has from
	// a template.
	templateRun = 5
	// templateGap is how many other words may be between two such runs: a
	// name, a date, a field that was filled in.
	templateGap = 4
)

// A word is a word in lower case and its place.
type word struct {
	text       string
	start, end int
}

// templates returns the parts of text that are word for word in template,
// which is text that everyone was given. Case and punctuation do not count.
func templates(text, template string) []Range {
	given := map[string]bool{}
	words := wordsOf(template)
	for i := 0; i+templateRun <= len(words); i++ {
		given[key(words[i:i+templateRun])] = true
	}
	if len(given) == 0 {
		return nil
	}
	words = wordsOf(text)
	var list []Range
	last := 0 // word after the last one that is in list
	for i := 0; i+templateRun <= len(words); i++ {
		if !given[key(words[i:i+templateRun])] {
			continue
		}
		end := words[i+templateRun-1].end
		if len(list) > 0 && i-last <= templateGap {
			list[len(list)-1].End = end
		} else {
			list = append(list, Range{Template, words[i].start, end})
		}
		last = i + templateRun
	}
	return list
}

func key(words []word) string {
	var b strings.Builder
	for _, w := range words {
		b.WriteString(w.text)
		b.WriteByte(' ')
	}
	return b.String()
}

func wordsOf(text string) []word {
	var words []word
	start := -1
	for i, r := range text + " " {
		inside := unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
		if inside && start < 0 {
			start = i
		} else if !inside && start >= 0 {
			words = append(words, word{strings.ToLower(text[start:i]), start, i})
			start = -1
		}
	}
	return words
}

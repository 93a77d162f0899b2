package lexicon

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/otisk/otisk/language"
)

// brackets enclose grammar, pronunciation and fields of use, which are not part of a word.
var brackets = map[rune]rune{'<': '>', '(': ')', '[': ']', '{': '}', '/': '/'}

// plain returns a line of a dictionary without anything in brackets or between slashes. A
// bracket without its counterpart is kept.
func plain(line string) string {
	if !strings.ContainsAny(line, "<([{/") {
		return line
	}
	var b strings.Builder
	for i := 0; i < len(line); {
		r, size := utf8.DecodeRuneInString(line[i:])
		if end, ok := brackets[r]; ok {
			if j := strings.IndexRune(line[i+size:], end); j >= 0 {
				i += size + j + utf8.RuneLen(end)
				continue
			}
		}
		b.WriteString(line[i : i+size])
		i += size
	}
	return b.String()
}

// alternatives splits a line without brackets at commas and semicolons.
func alternatives(line string) []string {
	return strings.FieldsFunc(plain(line), func(r rune) bool { return r == ',' || r == ';' })
}

type reducer struct{ language *language.Language } // nil if its rules are unknown

// single returns the only word of s, in lower case. Articles and reflexive pronouns that
// dictionaries add to a base form do not count as words. It reports false if s has no word,
// several, or one with a digit, hyphen or apostrophe.
func (r reducer) single(s string) (string, bool) {
	word := ""
	for f := range strings.FieldsSeq(s) {
		f = strings.ToLower(strings.TrimFunc(f, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) }))
		if f == "" || r.language != nil && r.language.Particle(f) {
			continue
		}
		if word != "" {
			return "", false
		}
		word = f
	}
	inner := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) }
	if word == "" || len(word) > mostWord || !utf8.ValidString(word) || strings.ContainsFunc(word, inner) {
		return "", false
	}
	return strings.Clone(word), true
}

package tex

import (
	"maps"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/otisk/otisk/document/format"
)

// Languages of the package babel make the quotation mark active: with the next character it is a
// letter or a sign.

// commonShorthands are those of most languages.
var commonShorthands = map[string]string{"=": "-", "-": "", "~": "\u2011", "|": "", "\"": "", "/": "/", "`": "„", "'": "“", "<": "«", ">": "»"}

// germanShorthands are letters of German; doubled consonants are those of hyphenation.
var germanShorthands = map[string]string{"a": "ä", "o": "ö", "u": "ü", "A": "Ä", "O": "Ö", "U": "Ü", "e": "ë", "i": "ï", "E": "Ë", "I": "Ï", "s": "ß", "z": "ß", "S": "SS", "Z": "SZ",
	"c": "c", "f": "f", "l": "l", "m": "m", "n": "n", "p": "p", "r": "r", "t": "t"}

var diaereses = map[string]string{"a": "ä", "e": "ë", "i": "ï", "o": "ö", "u": "ü", "A": "Ä", "E": "Ë", "I": "Ï", "O": "Ö", "U": "Ü"}

// letterShorthands are the letters of languages, by their names as options of babel.
var letterShorthands = map[string]map[string]string{
	"german": germanShorthands, "ngerman": germanShorthands, "austrian": germanShorthands, "naustrian": germanShorthands, "swissgerman": germanShorthands, "nswissgerman": germanShorthands,
	"dutch": diaereses, "estonian": diaereses,
	"spanish": {"i": "ï", "u": "ü", "I": "Ï", "U": "Ü", "a": "ª", "o": "º"}, "catalan": {"i": "ï", "u": "ü", "I": "Ï", "U": "Ü"},
	"polish": {"a": "ą", "c": "ć", "e": "ę", "l": "ł", "n": "ń", "o": "ó", "s": "ś", "x": "ź", "z": "ż", "A": "Ą", "C": "Ć", "E": "Ę", "L": "Ł", "N": "Ń", "O": "Ó", "S": "Ś", "X": "Ź", "Z": "Ż"},
	"czech":  {}, "slovak": {}, "croatian": {}, "portuguese": {}, "brazil": {}, "brazilian": {}, "danish": {}, "norsk": {}, "nynorsk": {}, "swedish": {}, "finnish": {}, "russian": {}, "ukrainian": {}, "italian": {}, "slovene": {},
}

var (
	babelOptions  = format.Pattern(`\\usepackage\s*\[([^\]]*)\]\s*\{[^}]*babel[^}]*\}`)
	classOptions  = format.Pattern(`\\documentclass\s*\[([^\]]*)\]`)
	germanPackage = format.Pattern(`\\usepackage\s*(?:\[[^\]]*\])?\s*\{n?german\}`)
)

// shorthandsOf returns the shorthands that the languages of a document define. A file that is a
// part of a document states none and gets nil.
func shorthandsOf(text string) map[string]string {
	head := text[:min(len(text), maxTexEnvironment)]
	options := ""
	for _, m := range babelOptions().FindAllStringSubmatch(head, -1) {
		options += "," + m[1]
	}
	if strings.Contains(head, "babel") {
		for _, m := range classOptions().FindAllStringSubmatch(head, -1) {
			options += "," + m[1]
		}
	}
	if germanPackage().MatchString(head) {
		options += ",german"
	}
	var found map[string]string
	for option := range strings.SplitSeq(options, ",") {
		name := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(option), "main="))
		if letters, ok := letterShorthands[name]; ok {
			if found == nil {
				found = maps.Clone(commonShorthands)
			}
			maps.Copy(found, letters)
		}
	}
	return found
}

// shorthand reads a quotation mark, with the character after it if both are a shorthand. In a part
// of a document, only a letter of German within a word is one.
func (r *latexReader) shorthand() {
	rest := r.s[r.at+1:]
	_, size := utf8.DecodeRuneInString(rest)
	text, ok := r.shorthands[rest[:size]]
	if r.shorthands == nil {
		before, _ := utf8.DecodeLastRuneInString(r.s[:r.at])
		if text, ok = germanShorthands[rest[:size]]; ok {
			ok = unicode.IsLetter(before) && strings.ContainsAny(rest[:size], "aousAOU") && !strings.Contains(r.s, `\documentclass`)
		}
	}
	if ok {
		r.at += 1 + size
		r.show(text)
		return
	}
	r.at++
	r.show(`"`)
}

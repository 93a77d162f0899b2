package flow

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/otisk/otisk/document/format"
)

// A raised number after a word refers to a note. It is not part of the word, so it is left out,
// as the numbers of notes that the format knows are.

// raised is where raised text started.
type raised struct {
	on  bool
	at  int // length of the text
	gap Gap // pending at that time
}

// Raise starts or ends raised text. A number that refers to a note is removed when it ends.
func (f *Builder) Raise(on bool) {
	if on && f.raised.on && f.pending >= Cell {
		f.Raise(false) // the number of another paragraph
	}
	if on == f.raised.on {
		return
	}
	start := f.raised
	f.raised = raised{on, len(f.buf), f.pending}
	if on || start.gap != None || start.at == 0 || !RefersToNote(string(f.buf[start.at:]), string(f.buf[max(0, start.at-wordBefore):start.at])) {
		return
	}
	if n := len(f.marks); n > 0 && f.marks[n-1].End > start.at {
		return
	}
	if n := len(f.flags); n > 0 && f.flags[n-1].Start > start.at {
		return
	}
	number := strings.Trim(string(f.buf[start.at:]), "[]() .,;")
	f.buf = f.buf[:start.at]
	f.NoteMark(number)
}

// wordBefore is the number of bytes before raised text that are examined.
const wordBefore = 64

// noteNumber matches the reference to one or more notes.
var noteNumber = format.Pattern(`^[[(]?(\d{1,3}(\s?[,;–-]\s?\d{1,3})*|\*{1,4}|[†‡§¶]{1,2}|[a-dfgh](,\s?[a-dfgh])*)[\])]?[.,;)]?$`)

// exponents are short words whose raised number is an exponent: units and functions.
var exponents = format.Names("cm", "mm", "dm", "km", "nm", "pm", "hm", "ha", "in", "ft", "yd", "mi", "kg", "mg", "ms", "kw", "hz", "sec", "min", "mol", "rad",
	"sin", "cos", "tan", "tg", "ctg", "cot", "log", "ln", "lg", "exp", "chi", "eta", "sinh", "cosh", "tanh", "cotg", "кг", "см", "мм", "км", "дм", "сек")

// leastNoted is the number of letters from which a word is none of a formula.
const leastNoted = 4

// WithoutNotes removes the raised numbers that refer to notes from text, in which match finds
// raised text with its marks; the first group is the text without them, which replaces others.
func WithoutNotes(text string, match *regexp.Regexp) string {
	var b strings.Builder
	at := 0
	for _, m := range match.FindAllStringSubmatchIndex(text, -1) {
		b.WriteString(text[at:m[0]])
		if raised := text[m[2]:m[3]]; !RefersToNote(raised, text[:m[0]]) {
			b.WriteString(raised)
		}
		at = m[1]
	}
	return b.String() + text[at:]
}

// RefersToNote reports whether raised text after before refers to a note, and is not an exponent.
func RefersToNote(text, before string) bool {
	before = before[max(0, len(before)-wordBefore):]
	if !noteNumber().MatchString(strings.TrimSpace(text)) {
		return false
	}
	word := strings.TrimRightFunc(before, unicode.IsPunct)
	marks := before[len(word):]
	start := strings.LastIndexFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) }) + 1
	letters := word[start:]
	count := utf8.RuneCountInString(letters)
	last, _ := utf8.DecodeLastRuneInString(word)
	switch {
	case word == "", count < leastNoted && strings.ContainsFunc(text, unicode.IsLetter): // ordinals and old abbreviations
		return false
	case unicode.IsDigit(last): // the end of a sentence, but not a power
		return strings.ContainsAny(marks, ".,;:!?”“\"’»") || strings.HasSuffix(marks, ")") && endsYear(word)
	case strings.HasSuffix(marks, ")") || strings.HasSuffix(marks, "]"):
		return count >= leastNoted
	case marks != "":
		return count > 0
	case count >= leastNoted:
		return !exponents[strings.ToLower(letters)]
	}
	return count >= 2 && letters == strings.ToLower(letters) && !exponents[letters] && !afterNumber(word[:start])
}

// endsYear reports whether s ends with four digits.
func endsYear(s string) bool {
	digits := len(s) - len(strings.TrimRight(s, "0123456789"))
	return digits == len("1999")
}

// afterNumber reports whether the word before a unit is a number.
func afterNumber(before string) bool {
	r, _ := utf8.DecodeLastRuneInString(strings.TrimRightFunc(before, unicode.IsSpace))
	return unicode.IsDigit(r)
}

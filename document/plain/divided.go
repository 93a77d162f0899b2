package plain

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/otisk/otisk/normalize"
)

// joined returns text whose words divided by a hyphen go on in the next line, where the comparison joins
// them: not after the quotation marks of mail, nor after blank lines, as between pages.
func joined(text string) string {
	if !strings.Contains(text, "-\n") && !strings.Contains(text, "-\r\n") {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	lines := strings.SplitAfter(text, "\n")
	for i := 0; i < len(lines); i++ {
		line, at := lines[i], i+1
		if !dividesWord(line) {
			b.WriteString(line)
			continue
		}
		for at < len(lines) && strings.TrimSpace(lines[at]) == "" {
			at++
		}
		if at == len(lines) {
			b.WriteString(line)
			continue
		}
		mark, next := quotationMark(lines[at]), lines[at]
		rest := strings.TrimPrefix(next[len(mark):], "\f")
		switch {
		case !startsPart(rest) || quotationMark(line) != mark:
			b.WriteString(line)
		case mark == "":
			b.WriteString(line)
			i, lines[at] = at-1, rest
		case at == i+1 && !normalize.Suspends(rest):
			first := rest[:len(rest)-len(strings.TrimLeftFunc(rest, func(r rune) bool { return !unicode.IsSpace(r) }))]
			before := strings.TrimRight(line, "\r\n")
			b.WriteString(before + first + line[len(before):])
			lines[at] = mark + strings.TrimLeft(rest[len(first):], " ")
		default:
			b.WriteString(line)
		}
	}
	return b.String()
}

// quotationMark returns the signs and spaces at the start of a line that quote it in mail.
func quotationMark(line string) string {
	n := len(line) - len(strings.TrimLeft(line, "> "))
	if !strings.HasPrefix(line, ">") {
		n = 0
	}
	return line[:n]
}

// dividesWord reports whether a line ends in two letters and a hyphen.
func dividesWord(line string) bool {
	before, ok := strings.CutSuffix(strings.TrimRight(line, "\r\n"), "-")
	last, size := utf8.DecodeLastRuneInString(before)
	other, _ := utf8.DecodeLastRuneInString(before[:len(before)-size])
	return ok && unicode.IsLetter(last) && unicode.IsLetter(other)
}

// startsPart reports whether a line starts with two small letters.
func startsPart(line string) bool {
	first, size := utf8.DecodeRuneInString(line)
	second, _ := utf8.DecodeRuneInString(line[size:])
	return unicode.IsLower(first) && unicode.IsLower(second)
}

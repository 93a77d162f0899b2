package exclude

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/normalize"
)

// closers are the marks that end a quotation, by the one that starts it. „ is
// ended by “ in Czech, Slovak and German, by ” in Polish, and by the mark of
// typewriters where somebody typed it so; in PDFs that old TeX made, “ reads as
// ÿ, and „ as ”. Two apostrophes end „ and “, as TeX types them. ‘…’ is missing: its end looks like an apostrophe. What “ starts and
// none of its own marks ends may be ended by that of typewriters, too.
var closers = map[rune]string{
	'„': "“”\"ÿ",
	'“': "”“",
	'”': "”“",
	'"': "\"",
	'«': "»",
	'»': "«",
	'‚': "‘",
	'「': "」",
	'『': "』",
}

// quotations returns what is in quotation marks, marks included, and
// blocks of lines that start with >. A quotation ends in the paragraph it
// starts in, at the first mark that can end it; a mark without a partner there
// quotes nothing.
func quotations(text string, lines bool) []Range {
	var list []Range
	for _, p := range paragraphsOf(text, lines) {
		list = quotationsIn(text[p.Start:p.End], p.Start, list)
	}
	return union(append(list, quotedLines(text)...))
}

// quotationsIn adds those of one paragraph, which starts at offset.
func quotationsIn(s string, offset int, list []Range) []Range {
	hopeless := map[rune]bool{} // marks that nothing ends from here on: each is looked for once
	for i := 0; i < len(s); {
		if s[i] < utf8.RuneSelf && s[i] != '"' {
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if closers[r] != "" && !hopeless[r] && opens(s, i, r, size) {
			if end := closed(s, i+size, r); end > 0 {
				if isLongEnough(s[i:end]) && !isCode(s, i, end, r) && !isListed(s[i:end], r) {
					list = append(list, Range{Quotation, offset + i, offset + end})
				}
				i = end
				continue
			}
			hopeless[r] = true
		}
		i += size
	}
	return list
}

// leastWords is how many words a quotation has: fewer are terms, titles and irony, which
// no score is about.
const leastWords = 3

// isLongEnough reports whether s has enough words. Two letters of a script without spaces are one.
func isLongEnough(s string) bool {
	words, letters := 0, 0
	for w := range strings.FieldsSeq(s) {
		n := lists.Runes(w, normalize.Unspaced)
		if letters += n; n == 0 && strings.IndexFunc(w, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) >= 0 {
			words++
		}
	}
	return words+letters/2 >= leastWords
}

// codeNear is how many bytes around a string are looked at for signs of code.
const codeNear = 30

// isCode reports whether typewriter's marks enclose a string of a program: what is around
// it has signs that prose has not, or what is in it.
func isCode(s string, from, to int, mark rune) bool {
	if mark != '"' {
		return false
	}
	before, behind := s[max(from-codeNear, 0):from], s[to:min(to+codeNear, len(s))]
	if i := strings.LastIndexByte(before, '\n'); i >= 0 {
		before = before[i:]
	}
	if i := strings.IndexByte(behind, '\n'); i >= 0 {
		behind = behind[:i]
	}
	if strings.ContainsAny(before+behind, "{}=<>_\\|$#@") || strings.ContainsAny(s[from:to], "{}=<>\\|$") {
		return true
	}
	called := len(before) > 1 && before[len(before)-1] == '(' && isASCIIWord(before[len(before)-2])
	return called || keyed().MatchString(before) || strings.HasPrefix(behind, ");") || behind == ";"
}

// isListed reports whether ”…” is a string of a listing, in which TeX made such marks of
// those of typewriters: they are alone on both sides, or signs of code are between them.
func isListed(s string, mark rune) bool {
	inner, closed := strings.CutSuffix(strings.TrimPrefix(s, "”"), "”")
	if mark != '”' || !closed {
		return false
	}
	first, _ := utf8.DecodeRuneInString(inner)
	last, _ := utf8.DecodeLastRuneInString(inner)
	return unicode.IsSpace(first) && unicode.IsSpace(last) || strings.ContainsAny(inner, "{}=<>\\|$@")
}

// keyed is what is before a value in a list of names and values, as JSON has it.
var keyed = format.Pattern(`"\s*:\s*$`)

func isASCIIWord(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9'
}

// opens says whether the mark at i can start a quotation: it must not follow a
// letter or digit, as the mark of inches does, and a word must follow. Marks
// that can also end one need a space or bracket before them, and that of
// typewriters no sign after it with which code joins strings.
func opens(s string, i int, mark rune, size int) bool {
	before, _ := utf8.DecodeLastRuneInString(s[:i])
	after, _ := utf8.DecodeRuneInString(s[i+size:])
	switch {
	case (unicode.IsLetter(before) || unicode.IsDigit(before)) && (!joins(before) || mark == '"'):
		return false
	case before == '=': // an attribute, whichever marks a word processor made of its own
		return false
	case i+size == len(s):
		return false
	case mark == '«': // French and others put a space inside
		return true
	case mark == '”':
		return opening(before, i) // and the PDFs where it replaces „ have a space after it
	case mark == '"' && (!opening(before, i) || strings.ContainsRune(")]};:,+", after)):
		return false
	}
	return !unicode.IsSpace(after)
}

// joins reports whether a letter may touch a quotation mark from outside: in scripts without spaces, and in Korean,
// whose particles follow the closing mark.
func joins(r rune) bool { return normalize.Unspaced(r) || unicode.Is(unicode.Hangul, r) }

// opening says whether a rune, that before offset i, can be before what
// opens: none, a space, a bracket, a dash, or another opening mark.
func opening(before rune, i int) bool {
	return i == 0 || unicode.IsSpace(before) || strings.ContainsRune("([{–—-/„“‚‘", before)
}

// closed returns the offset after the mark that ends a quotation which mark
// started before from, or 0. TeX eats the space after a command, so that the next word
// may follow a mark at once: that mark ends the quotation if another one starts before
// any mark that surely ends it, or if there is none.
func closed(s string, from int, mark rune) int {
	maybe := 0
	for i, r := range s[from:] {
		at, next := from+i, from+i+utf8.RuneLen(r)
		switch {
		case r == mark && maybe > 0 && opens(s, at, r, next-at):
			return maybe
		case strings.ContainsRune(closers[mark], r) && ends(s, at, r):
			return next
		case r == '’' && (mark == '„' || mark == '“') && strings.HasPrefix(s[next:], "’") && ends(s, next, r):
			return next + len("’")
		case maybe == 0 && mayEnd(s, at, mark, r):
			maybe = next
		}
	}
	return maybe
}

// ends says whether the mark at i can end a quotation: no letter follows it,
// and those that can also start one do not follow a space.
func ends(s string, i int, mark rune) bool {
	before, _ := utf8.DecodeLastRuneInString(s[:i])
	after, _ := utf8.DecodeRuneInString(s[i+utf8.RuneLen(mark):])
	if unicode.IsLetter(after) && !joins(after) {
		return false
	}
	return mark != '"' && mark != '“' && mark != 'ÿ' || !unicode.IsSpace(before)
}

// mayEnd says whether the mark r at i, which surely ends no quotation that mark started,
// may do so all the same: something is right before it, and the next word right after
// it; or it is the mark of typewriters.
func mayEnd(s string, i int, mark, r rune) bool {
	before, _ := utf8.DecodeLastRuneInString(s[:i])
	switch {
	case opening(before, i):
		return false
	case r == '"':
		return mark == '“' && ends(s, i, r)
	}
	return mark != '‚' && strings.ContainsRune(closers[mark], r)
}

// paragraphsOf returns the stretches between blank lines, or the lines. A blank line
// within a sentence ends none: that of a PDF in which lines are indented.
func paragraphsOf(text string, lines bool) []Range {
	var list []Range
	open := false
	for _, l := range linesOf(text, nil) {
		switch {
		case l.text == "":
			open = false
		case (open || len(list) > 0 && goesOn(text[:list[len(list)-1].End], l.text)) && !lines:
			open = true
			list[len(list)-1].End = l.end
		default:
			list = append(list, Range{Start: l.start, End: l.end})
			open = true
		}
	}
	return list
}

// goesOn reports whether a line begins within the sentence that the text before it ends in.
func goesOn(before, line string) bool {
	last, _ := utf8.DecodeLastRuneInString(strings.TrimRightFunc(before, unicode.IsSpace))
	first, _ := utf8.DecodeRuneInString(line)
	return unicode.IsLower(first) && (unicode.IsLower(last) || last == ',')
}

// quotedLines returns blocks of lines that start with >, the quotation mark of mail and
// Markdown. It skips commands typed at a prompt that ends with >.
func quotedLines(text string) []Range {
	var list []Range
	open := false
	for _, l := range linesOf(text, nil) {
		quoted := strings.HasPrefix(l.text, "> ") && !typed().MatchString(l.text)
		if quoted && open {
			list[len(list)-1].End = l.end
		} else if quoted {
			list = append(list, Range{Quotation, l.start, l.end})
		}
		open = quoted
	}
	return list
}

// typed matches the end or a characteristic part of a command or statement.
var typed = format.Pattern(`\w\.\w+\(.*\);?$|\);$|\{$|\s:?=\s`)

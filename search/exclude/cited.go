package exclude

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Cited returns the sentences that have citations, and the bibliographies, by place and apart. found are the ranges that Find
// returned for the text. A quotation is a part of the sentence that it ends or that introduces it, and a citation after the
// end of a sentence is a part of it.
func Cited(text string, o Options, found []Range) []Range {
	var lists, quotes []Range
	for _, r := range found {
		switch r.Kind {
		case Bibliography:
			lists = append(lists, r)
		case Quotation:
			quotes = append(quotes, r)
		}
	}
	citations := newCitationFinder(text, lists).citations()
	places := citingMarks(text, o)
	for _, r := range citations {
		places = append(places, r.Start)
	}
	slices.Sort(places)
	cited := lists
	if len(places) > 0 {
		for _, s := range sentences(text, o.Lines, quotes, citations) {
			i, _ := slices.BinarySearch(places, s.Start)
			if i < len(places) && places[i] < s.End {
				cited = append(cited, s)
			}
		}
	}
	return union(cited)
}

// citingMarks returns the places, a byte before them, of the references to notes that name a source. The note of a number is
// the first line after it that starts with that number, such as one at the foot of the page or in a bibliography.
func citingMarks(text string, o Options) []int {
	var list []int
	var numbered map[string][]line
	for _, m := range o.Notes {
		note := text[m.Text.Start:m.Text.End]
		if m.Number != "" {
			if numbered == nil {
				numbered = numberedLines(text, o.Pages)
			}
			number, _, _ := strings.Cut(m.Number, ",")
			lines := numbered[number]
			i, _ := slices.BinarySearchFunc(lines, m.At, func(l line, at int) int { return l.start - at })
			if i == len(lines) {
				continue
			}
			note = lines[i].text
		}
		if m.At > 0 && namesSource(note) {
			list = append(list, m.At-1)
		}
	}
	return list
}

// namesSource reports whether a note is an entry of a bibliography, or has a citation, in brackets or not.
func namesSource(note string) bool {
	note = note[:min(len(note), mostBracket)]
	c := newCitationFinder(note, nil)
	return slices.ContainsFunc(strings.Split(note, ";"), c.isReference) || shows(note) || len(c.citations()) > 0
}

// numberedLines returns the lines that start with a number, by it.
func numberedLines(text string, pages []int) map[string][]line {
	notes := map[string][]line{}
	for _, l := range linesOf(text, pages) {
		s := strings.TrimLeft(l.text, "[(")
		digits := len(s) - len(strings.TrimLeft(s, "0123456789"))
		if n, err := strconv.Atoi(s[:digits]); err == nil && digits <= 3 {
			l.text = strings.TrimLeft(s[digits:], ".)] \t")
			notes[strconv.Itoa(n)] = append(notes[strconv.Itoa(n)], l)
		}
	}
	return notes
}

// sentences returns the sentences of a text, by place. None ends within a quotation or citation.
func sentences(text string, lines bool, quotes, citations []Range) []Range {
	var list []Range
	start, seen := 0, 0
	following := citations // that may be after the end of a sentence
	for i, r := range text {
		at := i + utf8.RuneLen(r)
		if i < seen || r == utf8.RuneError {
			continue
		}
		paragraph := r == '\n' && (lines || isBlank(text[at:]))
		if !paragraph {
			if r != '…' && !unicode.Is(unicode.Sentence_Terminal, r) {
				continue
			}
			at += closing(text[at:])
		}
		next := len(text) - len(strings.TrimLeftFunc(text[at:], unicode.IsSpace))
		seen = next
		quotes, citations, following = from(quotes, at), from(citations, at), from(following, next+1)
		switch {
		case startsBefore(quotes, at) || startsBefore(citations, at):
			continue
		case paragraph && strings.HasSuffix(strings.TrimSpace(text[start:at]), ":") && startsBefore(quotes, next+1):
			continue
		case !paragraph && !endsAt(text[start:i], r, next > at || startsBefore(following, next+1), text[next:]):
			continue
		}
		for ; startsBefore(following, next+1) && isBehind(text[following[0].End:], paragraph); following = following[1:] {
			at = following[0].End
			at += len(text[at:]) - len(strings.TrimLeft(text[at:], ".;, \t"))
			next = len(text) - len(strings.TrimLeftFunc(text[at:], unicode.IsSpace))
		}
		list = append(list, Range{Start: start, End: at})
		start, seen = at, max(seen, next)
	}
	return append(list, Range{Start: start, End: len(text)})
}

// from returns those of ranges that end at an offset or after it.
func from(ranges []Range, at int) []Range {
	for len(ranges) > 0 && ranges[0].End <= at {
		ranges = ranges[1:]
	}
	return ranges
}

func startsBefore(ranges []Range, at int) bool { return len(ranges) > 0 && ranges[0].Start < at }

// isBlank reports whether a text starts with a blank line, or is white space.
func isBlank(s string) bool {
	s = strings.TrimLeft(s, " \t\r")
	return s == "" || s[0] == '\n'
}

// closing returns the number of bytes of marks that close quotations and brackets at the start of s.
func closing(s string) int { return len(s) - len(strings.TrimLeft(s, "\"'”“’»«)]…!?.")) }

// endsAt reports whether a sentence ends with the mark r: after before, and with or without white space before what follows.
func endsAt(before string, r rune, spaced bool, follows string) bool {
	next, _ := utf8.DecodeRuneInString(follows)
	if follows == "" || r > unicode.MaxLatin1 && r != '…' {
		return true
	}
	if !spaced || unicode.IsLower(next) {
		return false
	}
	if r != '.' {
		return true
	}
	word := before[strings.LastIndexFunc(before, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) })+1:]
	letters := utf8.RuneCountInString(word)
	if unicode.IsDigit(next) {
		return letters == 0 || letters >= leastBeforeDigit
	}
	return letters != 1 && !isShort(before, fold(word))
}

// leastBeforeDigit is the number of letters of a word that ends a sentence before a digit; shorter ones are abbreviations.
const leastBeforeDigit = 5

// isShort reports whether a full stop shortens the last word of a text.
func isShort(before, word string) bool {
	for _, kind := range []string{"short", "see", "page", "ibid"} {
		if headings()[kind][word] {
			return true
		}
	}
	words := wordsIn(fold(before[max(0, len(before)-len(word)-leastBeforeDigit):]))
	return headings()["others"][word] || len(words) > 1 && headings()["others"][strings.Join(words[len(words)-2:], " ")]
}

// isBehind reports whether a citation before s, after the end of a sentence, is a part of that sentence: the next one
// does not go on in lower case. After a paragraph it must be alone.
func isBehind(s string, paragraph bool) bool {
	s = strings.TrimLeft(s, ".;, \t")
	next, _ := utf8.DecodeRuneInString(s)
	return isBlank(s) || !paragraph && !unicode.IsLower(next)
}

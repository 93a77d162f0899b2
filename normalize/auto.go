package normalize

import (
	"encoding/binary"
	"strings"
	"unicode"
	"unicode/utf8"
)

// What Auto looks at, and what it takes for one-line paragraphs.
const (
	autoSample  = 256 << 10 // bytes from the start of the text
	minPairs    = 12        // lines that follow another without a blank one between
	minWords    = 12        // words on a line, in the mean
	minComplete = 80        // percent of the pairs split between two sentences
	maxLower    = 15        // percent of the pairs whose second line begins in lower case
)

const (
	sentenceEnds = ".!?…:;。！？؟।"
	quoteMarks   = "\"'`“”„‟‘’‚«»‹›()[]{}*_–—- \t"
)

// Resolve returns m, with Auto decided by the text: Line where each line is a
// paragraph, Blank where lines are wrapped.
//
// It looks at pairs of lines without a blank one between them, in the first
// 256 KiB. One-line paragraphs are split between two sentences, wrapped ones
// seldom. So a text is Line if it has 12 pairs, 12 words on a line in the mean,
// in 80 % of the pairs the first line ends as a sentence does and the second
// does not begin in lower case, and in 15 % at most it does. All else is Blank:
// too large a paragraph loses no n-gram, a paragraph cut in two does. That is
// why short lines, as in poems, lists and programs, are Blank.
//
// Of 100 Czech novels with a paragraph a line all are Line (85 to 100 % of the
// pairs between sentences, 0 to 10 % in lower case), and so is a Bible with a
// verse a line (97 and 0 %). The same novels are Blank when wrapped at 60, 72 or
// 150 columns, with blank lines or without (1 to 78 and 21 to 96 %), or at
// random (3 to 15 and 82 to 94 %). Blank are also 11 scanned tracts and statutes
// (at most 13 and at least 70 %), the collections of poems, and 1,822 of the
// 1,827 suspects of PAN 2013, whose lines are long but few.
func (m Mode) Resolve(text string) Mode {
	if m != Auto {
		return m
	}
	if c := countLines(text); c.oneLineParagraphs() {
		return Line
	}
	return Blank
}

// lineCount is what Auto knows of a text.
type lineCount struct {
	lines, words    int
	pairs           int // of lines with no blank one between
	complete, lower int // pairs split between sentences, and within one
}

func (c lineCount) oneLineParagraphs() bool {
	return c.pairs >= minPairs && c.words >= minWords*c.lines &&
		c.complete*100 >= minComplete*c.pairs && c.lower*100 <= maxLower*c.pairs
}

// countLines counts the whole lines in the sample. How lines end makes no
// difference to its size.
func countLines(text string) lineCount {
	var c lineCount
	previous := ""
	for left := autoSample; text != ""; {
		end, next := lineEnd(text, left)
		if next == 0 {
			break
		}
		line := strings.TrimSpace(text[:end])
		text, left = text[next:], left-end-1
		c.add(previous, line)
		previous = line
	}
	return c
}

// lineEnd returns where the first line of s ends and where the next one starts:
// 0 if it has more than limit bytes.
func lineEnd(s string, limit int) (end, next int) {
	for i := 0; i < len(s) && i <= limit; i++ {
		for i+8 <= min(len(s), limit) && endless(s[i:i+8]) {
			i += 8
		}
		if i == len(s) {
			break
		}
		switch b := s[i]; {
		case b > '\r' && b < 0xC2:
			continue
		case b == '\r' && strings.HasPrefix(s[i+1:], "\n"):
			return i, i + 2
		case b == '\n', b == '\r':
			return i, i + 1
		case b == 0xC2 && strings.HasPrefix(s[i:], "\u0085"):
			return i, i + 2
		case b == 0xE2 && (strings.HasPrefix(s[i:], "\u2028") || strings.HasPrefix(s[i:], "\u2029")):
			return i, i + 3
		}
	}
	if len(s) <= limit {
		return len(s), len(s)
	}
	return 0, 0
}

// endless reports whether no line ends in eight bytes: none is a control
// character of white space or the first byte of what else ends lines. All are
// looked at together: in a difference, a byte that is too small borrows.
func endless(eight string) bool {
	const lows, highs = 0x0101010101010101, 0x8080808080808080
	w := binary.LittleEndian.Uint64([]byte(eight))
	next, separator := w^0xC2*lows, w^0xE2*lows // where these are, zero
	return ((w-0x0E*lows)&^w|(next-lows)&^next|(separator-lows)&^separator)&highs == 0
}

// add counts a line and the pair that it makes with the one before it.
func (c *lineCount) add(previous, line string) {
	if line == "" {
		return
	}
	c.lines++
	c.words += 1 + strings.Count(line, " ")
	if previous == "" {
		return
	}
	c.pairs++
	first, _ := utf8.DecodeRuneInString(strings.TrimLeft(line, quoteMarks))
	last, _ := utf8.DecodeLastRuneInString(strings.TrimRight(previous, quoteMarks))
	if unicode.IsLower(first) {
		c.lower++
	} else if strings.ContainsRune(sentenceEnds, last) {
		c.complete++
	}
}

package normalize

import (
	"encoding/binary"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The sample that Auto reads, and its thresholds for one-line paragraphs.
const (
	autoSample  = 256 << 10 // bytes from the start of the text
	minPairs    = 12        // pairs of adjacent lines that are not blank
	minWords    = 12        // mean number of words per line
	minComplete = 80        // percent of the pairs that are split between two sentences
	maxLower    = 15        // percent of the pairs whose second line starts in lower case
)

const (
	sentenceEnds = ".!?…:;。！？؟।"
	quoteMarks   = "\"'`“”„‟‘’‚«»‹›()[]{}*_–—- \t"
)

// Resolve returns m, unless m is Auto. For Auto, it returns Line if each line of
// the text is a paragraph, and Blank if lines are wrapped.
//
// It examines pairs of adjacent lines that are not blank, in the first 256 KiB.
// Between one-line paragraphs, one sentence ends and another begins; between
// wrapped lines, this is rare. A text is Line if it has at least 12 pairs and a
// mean of at least 12 words per line; if in at least 80 % of the pairs the first
// line ends like a sentence and the second does not start in lower case; and if
// in at most 15 % the second line starts in lower case. Every other text is
// Blank: a paragraph that is too large loses no n-gram, but a paragraph that is
// cut in two does. For the same reason, short lines, as in poems, lists and
// programs, are Blank.
//
// All of 100 Czech novels with one paragraph per line are Line (85 to 100 % of
// the pairs are split between sentences, 0 to 10 % start in lower case), and so is
// a Bible with one verse per line (97 and 0 %). The same novels are Blank if they
// are wrapped at 60, 72 or 150 columns, with or without blank lines (1 to 78 and
// 21 to 96 %), or at random (3 to 15 and 82 to 94 %). Also Blank are 11 scanned
// tracts and statutes (at most 13 and at least 70 %), the collections of poems,
// and 1,822 of the 1,827 suspects of PAN 2013, whose lines are long but few.
func (m Mode) Resolve(text string) Mode {
	if m != Auto {
		return m
	}
	if c := countLines(text); c.oneLineParagraphs() {
		return Line
	}
	return Blank
}

// A lineCount has the counts by which Auto decides.
type lineCount struct {
	lines, words    int
	pairs           int // pairs of adjacent lines that are not blank
	complete, lower int // pairs split between two sentences, and within a sentence
}

func (c lineCount) oneLineParagraphs() bool {
	return c.pairs >= minPairs && c.words >= minWords*c.lines &&
		c.complete*100 >= minComplete*c.pairs && c.lower*100 <= maxLower*c.pairs
}

// countLines counts the complete lines in the sample. A line end counts as one
// byte in any style, so the sample does not depend on it.
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

// lineEnd returns the offset of the end of the first line of s and the offset of
// the next line. Both are 0 if the line has more than limit bytes.
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

// endless reports whether eight bytes contain no line end: none of them is an
// ASCII control character up to carriage return, or the first byte of another
// line separator. It tests all bytes in one word: in a subtraction, a byte that is
// too small borrows.
func endless(eight string) bool {
	const lows, highs = 0x0101010101010101, 0x8080808080808080
	w := binary.LittleEndian.Uint64([]byte(eight))
	next, separator := w^0xC2*lows, w^0xE2*lows // zero at bytes 0xC2 and 0xE2
	return ((w-0x0E*lows)&^w|(next-lows)&^next|(separator-lows)&^separator)&highs == 0
}

// add counts a line and its pair with the previous line.
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
	if first, _ := utf8.DecodeRuneInString(strings.TrimLeft(line, quoteMarks)); unicode.IsLower(first) {
		c.lower++
	} else if last, _ := utf8.DecodeLastRuneInString(strings.TrimRight(previous, quoteMarks)); strings.ContainsRune(sentenceEnds, last) {
		c.complete++
	}
}

package store

import (
	"github.com/otisk/otisk/lang/phrase"
)

// A MarkChecker compares the marks of a text with its words, one word at a time. It does
// not depend on how a [Marker] counts and divides the text.
type MarkChecker struct {
	marks  *Marks
	text   string
	next   int   // index of the next mark
	at     Mark  // counts up to the next word
	inside int64 // words of the current paragraph so far
	wrong  int   // number of wrong marks
	first  error // the first of them
}

// NewMarkChecker returns a checker for the marks of text.
func NewMarkChecker(text string, marks *Marks) *MarkChecker {
	c := &MarkChecker{marks: marks, text: text}
	c.at.Grams = make([]int64, len(marks.Sizes))
	return c
}

// Word adds the next word: its range of bytes, whether it begins a paragraph, and whether a
// pair ends with it.
func (c *MarkChecker) Word(start, end int, begins, pair bool) {
	if begins {
		c.inside = 0
	}
	for c.next < len(c.marks.Blocks)-1 && c.marks.Blocks[c.next].Byte < int64(end) {
		c.compare(c.inside, c.marks.Blocks[c.next].Byte > int64(start))
	}
	c.at.Word++
	c.inside++
	if pair {
		c.at.Pairs++
	}
	for i, n := range c.marks.Sizes {
		if c.inside >= int64(n) {
			c.at.Grams[i]++
		}
	}
}

// Wrong compares the remaining marks after the last word, and returns an error if marks are wrong.
func (c *MarkChecker) Wrong() error {
	for c.next < len(c.marks.Blocks) {
		c.compare(0, false)
	}
	if c.wrong == 0 {
		return nil
	}
	return phrase.Error("damage.marks-wrong", "{count} of the {all} marks of its text are wrong, the first at {first}", "count", c.wrong, "all", len(c.marks.Blocks), "first", c.first)
}

// compare compares the next mark with the counts so far. inside is the number of words of
// the paragraph that continues over it.
func (c *MarkChecker) compare(inside int64, within bool) {
	m := &c.marks.Blocks[c.next]
	if to := min(m.Byte, int64(len(c.text))); to > c.at.Byte {
		c.at.Rune += int64(runes(c.text[c.at.Byte:to]))
		c.at.Byte = to
	}
	c.at.Inside = min(inside, maxInside)
	var what error
	switch {
	case m.Byte != c.at.Byte:
		what = phrase.Error("damage.mark-order", "is before the one before it, or past the end")
	case within:
		what = phrase.Error("damage.mark-within", "is within a word")
	default:
		what = c.differs(m)
	}
	c.next++
	if what == nil {
		return
	}
	if c.wrong++; c.wrong == 1 {
		c.first = phrase.Error("damage.mark", "byte {byte}: it {problem}", "byte", m.Byte, "problem", what)
	}
}

// differs returns how a mark differs from the counts, nil for not at all.
func (c *MarkChecker) differs(m *Mark) error {
	for _, count := range []struct {
		name      phrase.Fixed
		says, has int64
	}{
		{"words", m.Word, c.at.Word}, {"characters", m.Rune, c.at.Rune},
		{"words of the paragraph that continues", m.Inside, c.at.Inside}, {"pairs", m.Pairs, c.at.Pairs},
	} {
		if count.says != count.has {
			return phrase.Error("damage.mark-counts", "counts {says} {what}, there are {has}", "says", count.says, "what", count.name, "has", count.has)
		}
	}
	for i, n := range c.marks.Sizes {
		if m.Grams[i] != c.at.Grams[i] {
			return phrase.Error("damage.mark-counts", "counts {says} {what}, there are {has}", "says", m.Grams[i], "what", phrase.Error("damage.grams-list", "{size}-grams", "size", n), "has", c.at.Grams[i])
		}
	}
	return nil
}

package store

import "fmt"

// A MarkChecker compares the marks of a text with its words, one word at a time. It does
// not depend on how a [Marker] counts and divides the text.
type MarkChecker struct {
	marks  *Marks
	text   string
	next   int   // index of the next mark
	at     Mark  // counts up to the next word
	inside int64 // words of the current paragraph so far
	wrong  int   // number of wrong marks
	first  string
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

// Wrong compares the remaining marks after the last word, and returns a description of the
// errors, "" for none.
func (c *MarkChecker) Wrong() string {
	for c.next < len(c.marks.Blocks) {
		c.compare(0, false)
	}
	if c.wrong == 0 {
		return ""
	}
	return fmt.Sprintf("%d of the %d marks of its text are wrong, the first at %s", c.wrong, len(c.marks.Blocks), c.first)
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
	what := ""
	switch {
	case m.Byte != c.at.Byte:
		what = "is before the one before it, or past the end"
	case within:
		what = "is within a word"
	default:
		what = c.differs(m)
	}
	c.next++
	if what == "" {
		return
	}
	if c.wrong++; c.wrong == 1 {
		c.first = fmt.Sprintf("byte %d: it %s", m.Byte, what)
	}
}

// differs returns how a mark differs from the counts, "" for not at all.
func (c *MarkChecker) differs(m *Mark) string {
	for _, count := range []struct {
		name      string
		says, has int64
	}{
		{"words", m.Word, c.at.Word}, {"characters", m.Rune, c.at.Rune},
		{"words of the paragraph that continues", m.Inside, c.at.Inside}, {"pairs", m.Pairs, c.at.Pairs},
	} {
		if count.says != count.has {
			return fmt.Sprintf("counts %d %s, there are %d", count.says, count.name, count.has)
		}
	}
	for i, n := range c.marks.Sizes {
		if m.Grams[i] != c.at.Grams[i] {
			return fmt.Sprintf("counts %d %d-grams, there are %d", m.Grams[i], n, c.at.Grams[i])
		}
	}
	return ""
}

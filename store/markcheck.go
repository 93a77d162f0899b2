package store

import "fmt"

// A MarkChecker compares the marks of a text with its words, which pass by one
// at a time. It needs nothing of how a [Marker] counts, nor that the text is cut
// where that cuts it.
type MarkChecker struct {
	marks  *Marks
	text   string
	next   int   // of marks, the one to be compared next
	at     Mark  // what lies before the next word
	inside int64 // words of the paragraph so far
	wrong  int   // marks
	first  string
}

// NewMarkChecker returns a checker for the marks of text.
func NewMarkChecker(text string, marks *Marks) *MarkChecker {
	c := &MarkChecker{marks: marks, text: text}
	c.at.Grams = make([]int64, len(marks.Sizes))
	return c
}

// Word takes the next word: its bytes, whether it begins a paragraph, and
// whether a pair ends with it.
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

// Wrong compares what is left, once all words have passed, and says what is
// wrong, or nothing.
func (c *MarkChecker) Wrong() string {
	for c.next < len(c.marks.Blocks) {
		c.compare(0, false)
	}
	if c.wrong == 0 {
		return ""
	}
	return fmt.Sprintf("%d of the %d marks of its text are wrong, the first at %s", c.wrong, len(c.marks.Blocks), c.first)
}

// compare compares the next mark with what lies before it: inside is that many
// words of the paragraph that goes on after it.
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

// differs says in what a mark is not what lies before it.
func (c *MarkChecker) differs(m *Mark) string {
	for _, count := range []struct {
		name      string
		says, has int64
	}{
		{"words", m.Word, c.at.Word}, {"characters", m.Rune, c.at.Rune},
		{"words of the paragraph that goes on", m.Inside, c.at.Inside}, {"pairs", m.Pairs, c.at.Pairs},
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

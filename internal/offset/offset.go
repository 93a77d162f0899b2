// Package offset converts byte offsets of a text to code points or UTF-16 units.
package offset

// step is the distance of two entries of an Index in bytes.
const step = 1024

// An Index converts the byte offsets of one text.
type Index struct {
	text   string
	before []int // number of units before byte i*step
	count  func(string) int
}

// Runes returns an index that counts Unicode code points.
func Runes(text string) Index { return newIndex(text, runesIn) }

// UTF16 returns an index that counts UTF-16 units.
func UTF16(text string) Index { return newIndex(text, unitsIn) }

func newIndex(text string, count func(string) int) Index {
	x := Index{text: text, count: count, before: make([]int, 0, len(text)/step+1)}
	sum := 0
	for at := 0; at < len(text); at += step {
		x.before = append(x.before, sum)
		sum += count(text[at:min(at+step, len(text))])
	}
	return x
}

// At returns the number of units before a byte offset, which must be the start of a
// code point. An offset past the end is treated as the end.
func (x *Index) At(offset int) int {
	if len(x.text) == 0 {
		return 0
	}
	offset = min(max(offset, 0), len(x.text))
	n := min(offset/step, len(x.before)-1)
	return x.before[n] + x.count(x.text[n*step:offset])
}

// runesIn counts the bytes of s that start a code point, so that a code point
// cut by the end of a step counts where it starts.
func runesIn(s string) int {
	n := 0
	for i := range len(s) {
		if s[i] < 0x80 || s[i] >= 0xC0 {
			n++
		}
	}
	return n
}

// unitsIn counts the units of the code points that start in s: two for those
// of four bytes.
func unitsIn(s string) int {
	n := 0
	for i := range len(s) {
		switch {
		case s[i] >= 0xF0:
			n += 2
		case s[i] < 0x80 || s[i] >= 0xC0:
			n++
		}
	}
	return n
}

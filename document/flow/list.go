package flow

import (
	"strconv"
	"strings"

	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/internal/lists"
)

// Lists follows the nested lists of a document and marks their items. The zero value is outside all lists.
type Lists struct{ open []openList }

// An openList is a list that has not ended.
type openList struct {
	labels string // pattern of the labels, "" for bullets
	next   int    // number of the next item
	start  int    // offset of the open item, -1 for none
	label  string // of the open item
}

// Begin starts a list inside the open ones. labels is the pattern of its labels, in which the first of the characters 1, a, A,
// i and I stands for the number in that style, such as "1." or "(a)"; "" is for bullets. first is the number of the first item.
func (l *Lists) Begin(labels string, first int) {
	l.open = append(l.open, openList{labels: labels, next: first, start: -1})
}

// Item starts an item of the innermost list and ends the one before it. Outside of lists, it does nothing.
func (l *Lists) Item(b *Builder) {
	if len(l.open) == 0 {
		return
	}
	l.EndItem(b)
	in := &l.open[len(l.open)-1]
	in.start, in.label = b.Len(), Label(in.labels, in.next)
	in.next++
}

// Numbered returns the number of open lists that have numbers.
func (l *Lists) Numbered() int {
	return lists.Count(l.open, func(o openList) bool { return o.labels != "" })
}

// Number sets the number of the open item.
func (l *Lists) Number(n int) {
	if len(l.open) > 0 {
		in := &l.open[len(l.open)-1]
		in.label, in.next = Label(in.labels, n), n+1
	}
}

// EndItem ends and marks the open item of the innermost list.
func (l *Lists) EndItem(b *Builder) {
	if len(l.open) == 0 {
		return
	}
	if in := &l.open[len(l.open)-1]; in.start >= 0 {
		b.Item(in.start, len(l.open), in.label)
		in.start = -1
	}
}

// End ends the innermost list with its open item.
func (l *Lists) End(b *Builder) {
	l.EndItem(b)
	l.open = l.open[:max(len(l.open)-1, 0)]
}

// Item marks the text from start to the end as an item of a list at a level, from 1, with its label, "" for a bullet.
func (f *Builder) Item(start, level int, label string) {
	n := len(f.marks)
	f.Mark(format.Item, start)
	if len(f.marks) > n {
		f.marks[n].Level, f.marks[n].Label = level, label
	}
}

// Label returns the label of an item by a pattern: see [Lists.Begin].
func Label(labels string, n int) string {
	at := strings.IndexAny(labels, "1aAiI")
	if at < 0 {
		return labels
	}
	return labels[:at] + ordinal(labels[at], n) + labels[at+1:]
}

// mostRoman is the highest number written in Roman numerals.
const mostRoman = 3999

// ordinal returns a number in a style: 1 decimal, a letters, i Roman numerals, A and I the same in capitals. Numbers without
// such a form are decimal.
func ordinal(style byte, n int) string {
	switch {
	case style == 'A', style == 'I':
		return strings.ToUpper(ordinal(style|0x20, n))
	case style == 'a' && n > 0:
		s := ""
		for ; n > 0; n = (n - 1) / 26 {
			s = string(rune('a'+(n-1)%26)) + s
		}
		return s
	case style == 'i' && 0 < n && n <= mostRoman:
		return roman(n)
	}
	return strconv.Itoa(n)
}

func roman(n int) string {
	var b strings.Builder
	values := []int{1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1}
	for i, sign := range []string{"m", "cm", "d", "cd", "c", "xc", "l", "xl", "x", "ix", "v", "iv", "i"} {
		for ; n >= values[i]; n -= values[i] {
			b.WriteString(sign)
		}
	}
	return b.String()
}

package layout

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/document/pdf"
	"github.com/otisk/otisk/lang/phrase"
)

// Numbers of lines are in a margin, below each other, and count the lines one by one or every few.
const (
	leastNumbers = 5   // on a page
	numbersShare = 0.6 // least share of the lines that have one, or would if each were numbered
	numbersSteps = 0.8 // least share of equal steps between neighbours
	numbersAlign = 3   // most distance of their edges, in points
)

// A lineNumber is a number that may number a line.
type lineNumber struct {
	line, value int
	left, edge  float64
	base        float64
	end         int // bytes of the line that are the number, -1 for all
}

// omitLineNumbers removes the numbers of lines in the margins of pages from the lines, marks lines that are
// nothing else as heads, and returns the number of pages with them.
func omitLineNumbers(pages []pdf.Page, heads [][]bool) (found int) {
	for i := range pages {
		p := &pages[i]
		list := lineNumbers(p.Lines, heads[i])
		for _, n := range list {
			if n.end < 0 {
				heads[i][n.line] = true
				continue
			}
			l := &p.Lines[n.line]
			l.Text, l.Left, l.Gaps = l.Text[n.end:], l.Gaps[0].Right, l.Gaps[1:]
			for j := range l.Gaps {
				l.Gaps[j].At -= n.end
			}
			for j, h := range p.Hidden {
				if h.Line == n.line {
					p.Hidden[j].At = max(0, h.At-n.end)
				}
			}
		}
		if len(list) > 0 {
			found++
		}
	}
	return found
}

// noteLineNumbers notes that numbers of lines are omitted.
func noteLineNumbers(t *format.Text, pages, all int) {
	if pages > 0 {
		t.Note(phrase.Error("said.line-numbers", "numbers of lines in the margin of {pages} of {all} pages are omitted", "pages", pages, "all", all))
	}
}

// lineNumbers returns the numbers of lines on a page.
func lineNumbers(lines []pdf.Line, heads []bool) []lineNumber {
	var list []lineNumber
	texts := 0
	for i, l := range lines {
		text := strings.TrimSpace(l.Text)
		switch n, ok := marginNumber(text); {
		case heads[i]:
		case ok:
			list = append(list, lineNumber{i, n, l.Left, l.Right, l.Base, -1})
		default:
			texts++
			if len(l.Gaps) == 0 || len(l.Doubts) > 0 || l.Gaps[0].Right < l.Gaps[0].Left || l.Gaps[0].At > len(l.Text) {
				continue
			}
			if n, ok := marginNumber(strings.TrimSpace(l.Text[:l.Gaps[0].At])); ok {
				list = append(list, lineNumber{i, n, l.Left, l.Gaps[0].Left, l.Base, l.Gaps[0].At})
			}
		}
	}
	if len(list) < leastNumbers {
		return nil
	}
	byLeft := aligned(list, func(n lineNumber) float64 { return n.left })
	if list = aligned(list, func(n lineNumber) float64 { return n.edge }); len(byLeft) > len(list) {
		list = byLeft
	}
	slices.SortStableFunc(list, func(a, b lineNumber) int { return cmp.Compare(b.base, a.base) })
	if len(list) < leastNumbers {
		return nil
	}
	steps := map[int]int{}
	for i := 1; i < len(list); i++ {
		steps[list[i].value-list[i-1].value]++
	}
	for _, step := range []int{1, 2, 5, 10} {
		if float64(steps[step]) >= numbersSteps*float64(len(list)-1) && float64(len(list)*step) >= numbersShare*float64(texts) && beyond(lines, heads, list) {
			return list
		}
	}
	return nil
}

// aligned returns the numbers below each other by one of their edges.
func aligned(list []lineNumber, edge func(lineNumber) float64) []lineNumber {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b lineNumber) int { return cmp.Compare(edge(a), edge(b)) })
	middle := edge(list[len(list)/2])
	return slices.DeleteFunc(list, func(n lineNumber) bool { return math.Abs(edge(n)-middle) > numbersAlign })
}

// beyond reports whether the numbers are to the left or to the right of nearly all text.
func beyond(lines []pdf.Line, heads []bool, list []lineNumber) bool {
	numbered := map[int]bool{}
	for _, n := range list {
		numbered[n.line] = true
	}
	left, right, all := 0, 0, 0
	for i, l := range lines {
		if heads[i] || numbered[i] {
			continue
		}
		all++
		if l.Left > list[0].edge {
			left++
		} else if l.Right < list[0].edge {
			right++
		}
	}
	return float64(max(left, right)) >= numbersSteps*float64(all)
}

// marginNumber returns the value of a text of up to four digits.
func marginNumber(s string) (n int, ok bool) {
	n, err := strconv.Atoi(s)
	return n, err == nil && n > 0 && len(s) <= 4 && s[0] != '+'
}

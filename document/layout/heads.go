package layout

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/otisk/otisk/document/pdf"
	"github.com/otisk/otisk/internal/lists"
)

// A line is a running head, a footer or a page number if it is at the edge of the page and
// other pages have the same line at that height. Its numbers must be equal there, or differ as
// the page numbers do, except if it is only a number, as some pages have none or are missing. Thus
// notes of a book that repeat at the foot of many pages stay.
const (
	headZone   = 0.14 // share of the page height at top and bottom that may have running heads
	numberZone = 0.2  // the same for page numbers alone
	headRepeat = 3    // least pages on which a line must be equal
	pageRepeat = 5    // least pages on which a line at the top may differ in the page number only
	maxHead    = 200  // maximum characters of a running head
	maxSlots   = 3    // maximum numbers in it that may be the page number
)

// A headKey identifies a running head.
type headKey struct {
	text string // words, with numbers absolute or relative to the page
	y    int    // height in steps of 4 points
}

// A headTally counts the pages with a line.
type headTally struct{ pages, last int }

// runningHeads returns which lines of each page are running heads, footers or page numbers.
func runningHeads(pages []pdf.Page) [][]bool {
	count, once := map[headKey]headTally{}, map[headKey]headTally{} // once counts a built-up slide as one page
	step := make([]bool, len(pages))                                // the page is a later step of a slide
	for i, p := range pages {
		step[i] = i > 0 && isBuiltUp(pages[i-1], p)
		for _, l := range p.Lines {
			for _, k := range keysOf(p, l, i) {
				if t := count[k]; t.pages == 0 || t.last != i {
					count[k] = headTally{t.pages + 1, i}
				}
				if t := once[k]; !step[i] && (t.pages == 0 || t.last != i) {
					once[k] = headTally{t.pages + 1, i}
				}
			}
		}
	}
	heads := make([][]bool, len(pages))
	for i, p := range pages {
		heads[i] = make([]bool, len(p.Lines))
		counts := once
		if step[i] {
			counts = count
		}
		for j, l := range p.Lines {
			heads[i][j] = slices.ContainsFunc(keysOf(p, l, i), func(k headKey) bool { return repeats(counts, k) })
		}
		outermost(p, heads[i])
	}
	return heads
}

// builtLines is the least number of lines away from the edges that two steps of a slide share.
const builtLines = 3

// isBuiltUp reports whether a page is the next step of a slide: it has most of its lines at the same place.
func isBuiltUp(before, p pdf.Page) bool {
	all, shared := 0, 0
	for _, l := range before.Lines {
		if min(l.Base, before.Height-l.Base) <= headZone*before.Height {
			continue
		}
		all++
		if slices.ContainsFunc(p.Lines, func(o pdf.Line) bool { return math.Abs(o.Base-l.Base) <= 1 && o.Text == l.Text }) {
			shared++
		}
	}
	return shared >= builtLines && 2*shared > all
}

// repeats reports whether enough pages have a line with key k. It also counts neighbouring
// heights, as rounding may separate equal ones.
func repeats(count map[headKey]headTally, k headKey) bool {
	n := lists.Sum([]int{-1, 0, 1}, func(shift int) int { return count[headKey{k.text, k.y + shift}].pages })
	if strings.HasPrefix(k.text, anyText) {
		return n >= pageRepeat
	}
	return n >= headRepeat
}

// outermost unmarks heads with other lines between them and the edge.
func outermost(p pdf.Page, heads []bool) {
	order := make([]int, len(p.Lines))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p.Lines[a].Base, p.Lines[b].Base) })
	keep := map[int]bool{}
	follow := func(order []int) {
		edge, body := 0.0, false
		for _, i := range order {
			base := p.Lines[i].Base
			if body && math.Abs(base-edge) > 3 {
				return
			}
			// Lines side by side are one: a head also covers pieces beside it that are not
			// heads.
			if heads[i] {
				keep[i] = true
			} else if !headBeside(p, heads, i) {
				body = true
			}
			edge = base
		}
	}
	follow(order)
	slices.Reverse(order)
	follow(order)
	for i := range heads {
		heads[i] = keep[i]
	}
}

// headBeside reports whether a head is at the height of line i.
func headBeside(p pdf.Page, heads []bool, i int) bool {
	for j := range heads {
		if heads[j] && math.Abs(p.Lines[j].Base-p.Lines[i].Base) <= 3 {
			return true
		}
	}
	return false
}

// anyText starts the key of a line with any words and a page number.
const anyText = "*"

// anyNumber is the key of a line that is only a number.
const anyNumber = "#"

// keysOf returns the keys of a line, none for a line away from the edges: its words with each
// number absolute or relative to the page number.
func keysOf(p pdf.Page, l pdf.Line, page int) []headKey {
	if p.Height <= 0 || utf8.RuneCountInString(l.Text) > maxHead {
		return nil
	}
	words := strings.FieldsFunc(strings.ToLower(l.Text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	values := make([]int, len(words)) // -1 if not a number
	var slots []int
	for i, w := range words {
		if values[i] = numberOf(w, len(words) == 1); values[i] >= 0 {
			slots = append(slots, i)
		}
	}
	edge := min(l.Base, p.Height-l.Base) / p.Height
	alone := len(words) == 1 && len(slots) == 1
	if edge > headZone && !(alone && edge <= numberZone) {
		return nil
	}
	y := int(math.Round(l.Base / 4))
	var keys []headKey
	for _, relative := range choices(slots) {
		var b strings.Builder
		for i, w := range words {
			switch {
			case relative[i]:
				fmt.Fprintf(&b, " page%+d", values[i]-page)
			default:
				b.WriteString(" " + w)
			}
		}
		if !alone || edge <= headZone || relative[0] {
			keys = append(keys, headKey{b.String(), y})
		}
	}
	if alone && edge <= headZone {
		keys = append(keys, headKey{anyNumber, y})
	}
	if last := len(words) - 1; last > 0 && l.Base > p.Height/2 {
		for _, i := range []int{0, last} {
			if values[i] >= 0 {
				keys = append(keys, headKey{fmt.Sprintf("%s%t%+d", anyText, i == 0, values[i]-page), y})
			}
		}
	}
	return keys
}

// choices returns which numbers may be the page number: none, or one of the first and last
// few.
func choices(slots []int) []map[int]bool {
	all := []map[int]bool{{}}
	for i, s := range slots {
		if i < maxSlots || i == len(slots)-1 {
			all = append(all, map[int]bool{s: true})
		}
	}
	return all
}

// numberOf returns the value of a number, or of a Roman number if it is alone; otherwise -1.
func numberOf(w string, alone bool) int {
	if n, err := strconv.Atoi(w); err == nil && len(w) < 6 {
		return n
	}
	if alone && strings.Trim(w, "ivxlc") == "" {
		return roman(w)
	}
	return -1
}

var romanDigits = map[byte]int{'i': 1, 'v': 5, 'x': 10, 'l': 50, 'c': 100}

func roman(w string) int {
	sum := 0
	for i := range len(w) {
		d := romanDigits[w[i]]
		if i+1 < len(w) && d < romanDigits[w[i+1]] {
			d = -d
		}
		sum += d
	}
	return sum
}

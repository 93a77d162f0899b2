package layout

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/otisk/otisk/document/pdf"
	"github.com/otisk/otisk/internal/lists"
)

// Some programs, and some that recognise scans, write a page with columns row by row. Its lines are
// reordered by a recursive XY-cut (Nagy and Seth 1984) that first sets the lines across the columns
// aside (XY-cut++, 2025): they divide the page into bands, and each band is read column by column.
// Within a column of a band, the order of the file stays.

// A piece is a part of a line.
type piece struct {
	pdf.Line
	from  int // index of its line
	start int // first byte in the line
	block int // index of its block, in reading order
}

// Thresholds for columns.
const (
	columnLines = 8    // least lines of a column
	columnRows  = 5    // least lines beside one of the next column
	columnText  = 20   // least letters of the median line of a column
	columnFill  = 0.7  // least share of its column that the median line takes
	acrossShare = 0.2  // least share of a line in each column that it is across
	longShare   = 0.1  // most lines that are slightly longer than their column, relative to all
	mixedShare  = 0.2  // least share of the lines that follow a line of another block
	mostColumns = 3    // depth of the recursion
	widestPage  = 5000 // in points, which is also the resolution
)

// order puts the lines of pages into reading order if they are mixed with those of other columns. It
// returns the pages whose words were in another order.
func order(pages []pdf.Page) (gathered []int) {
	for i := range pages {
		if p := &pages[i]; !p.Recognized && len(p.Lines) >= columnLines {
			if gather(p) {
				gathered = append(gathered, i)
			}
			reorder(p)
		}
	}
	return gathered
}

// reorder puts the lines of a page into reading order.
func reorder(p *pdf.Page) {
	blocks := cut(pieces(p.Lines), 0)
	if !mixed(blocks) {
		return
	}
	list := slices.Concat(blocks...)
	p.Lines = p.Lines[:0:0]
	for _, f := range list {
		for i := range f.Gaps {
			f.Gaps[i].At -= f.start
		}
		p.Lines = append(p.Lines, f.Line)
	}
	for i, h := range p.Hidden {
		p.Hidden[i].Line, p.Hidden[i].At = moved(list, h)
	}
	slices.SortStableFunc(p.Hidden, func(a, b pdf.Hidden) int { return a.Line - b.Line })
}

// moved returns the position of hidden text after the lines were split and reordered.
func moved(list []*piece, h pdf.Hidden) (line, at int) {
	line = len(list)
	for i, f := range list {
		if f.from == h.Line && f.start <= h.At && (line == len(list) || f.start > list[line].start) {
			line, at = i, min(h.At-f.start, len(f.Text))
		}
	}
	return line, at
}

// pieces returns the parts of lines between which the text jumps back to the left.
func pieces(lines []pdf.Line) []*piece {
	var list []*piece
	for i, l := range lines {
		f := &piece{Line: l, from: i}
		for at := 0; at < len(f.Gaps); {
			if g := f.Gaps[at]; g.Right >= g.Left {
				at++
				continue
			}
			var before *piece
			before, f = f.split(at)
			list, at = append(list, before), 0
		}
		list = append(list, f)
	}
	return list
}

// split splits a piece at a gap.
func (f *piece) split(at int) (before, after *piece) {
	g, a, b := f.Gaps[at], *f, *f
	a.Text, a.Right, a.Gaps, a.Hyphen = strings.TrimSpace(f.Text[:g.At-f.start]), g.Left, f.Gaps[:at], false
	b.Text, b.Left, b.Gaps, b.start = f.Text[g.At-f.start:], g.Right, f.Gaps[at+1:], g.At
	return &a, &b
}

// cut returns the blocks of pieces in reading order.
func cut(pieces []*piece, depth int) [][]*piece {
	at, ok := gutter(pieces)
	if !ok || depth == mostColumns {
		return [][]*piece{pieces}
	}
	across, left, right := divide(pieces, at)
	slices.SortStableFunc(across, func(a, b *piece) int { return cmp.Compare(b.Base, a.Base) })
	var blocks [][]*piece
	joins := false // the last block is of lines across the columns
	band := func(top, bottom float64) {
		for _, column := range [][]*piece{between(left, bottom, top), between(right, bottom, top)} {
			if len(column) > 0 {
				blocks, joins = append(blocks, cut(column, depth+1)...), false
			}
		}
	}
	top := math.Inf(1)
	for _, f := range across {
		if band(top, f.Base); !joins {
			blocks, joins = append(blocks, nil), true
		}
		last := &blocks[len(blocks)-1]
		*last, top = append(*last, f), f.Base
	}
	band(top, math.Inf(-1))
	return blocks
}

// between returns the pieces whose baselines are above bottom and at most at top.
func between(pieces []*piece, bottom, top float64) []*piece {
	return lists.Filter(pieces, func(f *piece) bool { return f.Base > bottom && f.Base <= top })
}

// divide splits pieces at a gutter, and returns those across it, to the left of it, and to the
// right. A line that is slightly too long for its column does not count as across.
func divide(pieces []*piece, at float64) (across, left, right []*piece) {
	for _, f := range pieces {
		if i := slices.IndexFunc(f.Gaps, func(g pdf.Gap) bool { return g.Left <= at && at <= g.Right }); i >= 0 {
			a, b := f.split(i)
			left, right = append(left, a), append(right, b)
			continue
		}
		switch before := (at - f.Left) / max(f.Right-f.Left, 1); {
		case before > 1-acrossShare:
			left = append(left, f)
		case before < acrossShare:
			right = append(right, f)
		default:
			across = append(across, f)
		}
	}
	return across, left, right
}

// gutter returns the position of the widest vertical strip that the fewest lines cross, if it
// separates columns of text.
func gutter(pieces []*piece) (at float64, ok bool) {
	from, to := extentOf(pieces)
	if len(pieces) < columnLines || !(to > from && to-from < widestPage) {
		return 0, false
	}
	crossing := make([]int, int(to-from)+2) // lines that cross a position, in steps
	for _, f := range pieces {
		left := f.Left
		for _, g := range f.Gaps {
			crossing[int(left-from)]++
			crossing[int(max(g.Left, left)-from)+1]--
			left = g.Right
		}
		crossing[int(left-from)]++
		crossing[int(max(f.Right, left)-from)+1]--
	}
	at = from + widest(crossing)
	across, left, right := divide(pieces, at)
	long := lists.Count(slices.Concat(left, right), func(f *piece) bool { return f.Left < at && at < f.Right })
	return at, float64(long) < longShare*float64(len(pieces)) && isColumn(left) && isColumn(right) &&
		beside(left, right) >= max(columnRows, 2*len(across)) // in one column, spaces of some lines are below each other
}

// extentOf returns the horizontal extent of pieces.
func extentOf(pieces []*piece) (from, to float64) {
	from, to = math.Inf(1), math.Inf(-1)
	for _, f := range pieces {
		from, to = min(from, f.Left, f.Right), max(to, f.Left, f.Right) // a line set from right to left ends on its left
		for _, g := range f.Gaps {
			from, to = min(from, g.Left, g.Right), max(to, g.Left, g.Right)
		}
	}
	return from, to
}

// widest returns the middle of the widest strip that the fewest lines cross, not at the margins.
// steps are the numbers of lines that start minus those that end at each position.
func widest(steps []int) float64 {
	least, width, at := math.MaxInt, 0, 0.0
	crossed, start := 0, 0
	for x, step := range steps {
		crossed += step
		if step != 0 {
			start = x
		}
		inside := x > len(steps)/5 && x < len(steps)*4/5
		if inside && (crossed < least || crossed == least && x-start > width) {
			least, width, at = crossed, x-start, float64(start+x+1)/2
		}
	}
	return at
}

// isColumn reports whether pieces are lines of running text.
func isColumn(pieces []*piece) bool {
	if len(pieces) < columnLines {
		return false
	}
	var widths []float64
	var letters []int
	for _, f := range pieces {
		widths, letters = append(widths, f.Right-f.Left), append(letters, utf8.RuneCountInString(f.Text))
	}
	slices.Sort(widths)
	slices.Sort(letters)
	from, to := extentOf(pieces)
	half := len(pieces) / 2
	return letters[half] >= columnText && widths[half] >= columnFill*(to-from)
}

// beside counts the pieces of left that are at the height of one of right.
func beside(left, right []*piece) int {
	bases := lists.Map(right, func(f *piece) float64 { return f.Base })
	slices.Sort(bases)
	count := 0
	for _, f := range left {
		if i, _ := slices.BinarySearch(bases, f.Base-f.Size/2); i < len(bases) && bases[i] < f.Base+f.Size/2 {
			count++
		}
	}
	return count
}

// mixed reports whether, in the order of the file, pieces of different blocks follow each other much
// more often than blocks end.
func mixed(blocks [][]*piece) bool {
	if len(blocks) < 2 {
		return false
	}
	for i, b := range blocks {
		for _, f := range b {
			f.block = i
		}
	}
	list := slices.Concat(blocks...)
	slices.SortStableFunc(list, func(a, b *piece) int { return cmp.Or(a.from-b.from, a.start-b.start) })
	changes := 1 - len(blocks)
	for i := 1; i < len(list); i++ {
		if list[i].block != list[i-1].block {
			changes++
		}
	}
	return changes >= columnLines && float64(changes) >= mixedShare*float64(len(list))
}

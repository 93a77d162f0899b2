package layout

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/document/pdf"
	"github.com/otisk/otisk/lang/phrase"
)

// A file can draw its words in any order, for example column by column of a paragraph. People read them
// in the order of their places, in which this file puts them.

// Thresholds for words that are drawn in another order, distances relative to the font size.
const (
	gatherLeast = 20   // least neighbours on a line that do not follow each other in the file
	gatherShare = 0.5  // the same relative to the pieces of the page
	gatherWords = 4    // most words of the median piece, unlike lines of columns
	wordGap     = 0.8  // most distance of neighbours
	letterGap   = 0.15 // most distance of letters of a word
	wordOverlap = 0.3  // most overlap of neighbours
	baseline    = 0.3  // most difference in height of neighbours
)

// gather puts the words of a page into the order of their places if the file draws them in another one, and
// reports whether it does.
func gather(p *pdf.Page) bool {
	list := fragments(p.Lines)
	if len(list) < gatherLeast || !isLeftToRight(list) {
		return false
	}
	for i, f := range list {
		f.block = i // its place in the file
	}
	rows := rowsOf(list)
	broken := 0
	for _, row := range rows {
		for i := 1; i < len(row); i++ {
			if d := row[i].block - row[i-1].block; d != 1 && d != -1 && touches(row[i-1], row[i]) {
				broken++
			}
		}
	}
	if broken < gatherLeast || float64(broken) < gatherShare*float64(len(list)) {
		return false
	}
	p.Lines = p.Lines[:0:0]
	starts := make([][2]int, 0, len(list)) // line and byte of each piece
	for _, row := range rows {
		var l pdf.Line
		for i, f := range row {
			at := 0
			if i == 0 {
				l = f.Line
				l.Text, l.Gaps, l.Hyphen = strings.TrimSpace(f.Text), nil, false
			} else {
				at = join(&l, row[i-1], f)
			}
			starts = append(starts, [2]int{len(p.Lines), at})
		}
		l.Hyphen = row[len(row)-1].Hyphen
		p.Lines = append(p.Lines, l)
	}
	sorted := slices.Concat(rows...)
	for i, h := range p.Hidden {
		piece, at := moved(sorted, h)
		if p.Hidden[i].Line, p.Hidden[i].At = len(p.Lines), 0; piece < len(starts) {
			p.Hidden[i].Line, p.Hidden[i].At = starts[piece][0], min(starts[piece][1]+at, len(p.Lines[starts[piece][0]].Text))
		}
	}
	slices.SortStableFunc(p.Hidden, func(a, b pdf.Hidden) int { return cmp.Or(a.Line-b.Line, a.At-b.At) })
	return true
}

// join adds f to the line l, which ends with the piece before, and returns the byte where f starts.
func join(l *pdf.Line, before, f *piece) int {
	gap, size := f.Left-before.Right, max(f.Size, before.Size)
	text := strings.TrimSpace(f.Text)
	if gap >= letterGap*size || strings.HasSuffix(before.Text, " ") || strings.HasPrefix(f.Text, " ") {
		l.Text += " "
	}
	at := len(l.Text)
	if gap >= wordGap*size {
		l.Gaps = append(l.Gaps, pdf.Gap{At: at, Left: before.Right, Right: f.Left})
	}
	l.Text, l.Right = l.Text+text, f.Right
	return at
}

// fragments returns the parts of lines between wide spaces.
func fragments(lines []pdf.Line) []*piece {
	var list []*piece
	for i, l := range lines {
		f := &piece{Line: l, from: i}
		for len(f.Gaps) > 0 {
			var before *piece
			before, f = f.split(0)
			list = append(list, before)
		}
		list = append(list, f)
	}
	return list
}

// isLeftToRight reports whether the text of pieces is of words that are read from left to right and are short,
// unlike lines.
func isLeftToRight(list []*piece) bool {
	var words []int
	letters, other := 0, 0
	for _, f := range list {
		words = append(words, strings.Count(strings.TrimSpace(f.Text), " ")+1)
		for _, r := range f.Text {
			if unicode.IsLetter(r) {
				if letters++; r >= firstOther {
					other++
				}
			}
		}
	}
	slices.Sort(words)
	return words[len(words)/2] <= gatherWords && 2*other < letters
}

// firstOther is the first letter of the scripts that are written from right to left or in columns; some
// others follow.
const firstOther = 0x590

// rowsOf returns the pieces on each baseline from left to right, from top to bottom.
func rowsOf(list []*piece) (rows [][]*piece) {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b *piece) int { return cmp.Compare(b.Base, a.Base) })
	for i, f := range list {
		if i == 0 || list[i-1].Base-f.Base > baseline*max(f.Size, list[i-1].Size) {
			rows = append(rows, nil)
		}
		last := &rows[len(rows)-1]
		*last = append(*last, f)
	}
	for _, row := range rows {
		slices.SortStableFunc(row, func(a, b *piece) int { return cmp.Compare(a.Left, b.Left) })
	}
	return rows
}

// touches reports whether b follows a as the next word or letter.
func touches(a, b *piece) bool {
	size := max(a.Size, b.Size)
	gap := b.Left - a.Right
	return gap < wordGap*size && gap > -wordOverlap*size
}

// noteGathered notes the pages whose words are in another order in the file.
func noteGathered(t *format.Text, gathered []int, pages int) {
	if n := len(gathered); n > 0 {
		t.Note(phrase.Error("said.drawn-order", "the words of {pages} of {all} pages are drawn in another order than that of reading, and are read in the order of their places: {list}", "pages", n, "all", pages, "list", numbers(gathered)))
	}
}

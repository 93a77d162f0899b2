package report

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/otisk/otisk/internal/disjoint"
)

// A Beside is two texts of a run, each in pieces: a reader sees the stretches that are in both.
type Beside struct {
	A, B []Piece
	Both Pair // equal words
}

// A Piece is a part of a text.
type Piece struct {
	Text   string
	Place  int  // number of the stretch that both texts have, from 1 in the order of the first text; 0 for none
	First  bool // the piece is the first of its place
	Common bool // most texts of the run, or most documents, have it
}

// A shared stretch is one that both texts have, by bytes of each.
type sharedStretch struct{ a, b [2]int }

// BesideOf returns the texts of two reports of a run with the stretches that count in either report. With
// most, stretches that most documents have are among them.
func BesideOf(a, b *Report, most bool) *Beside {
	found := append(stretchesWith(a, b, false), stretchesWith(b, a, true)...)
	slices.SortFunc(found, func(x, y sharedStretch) int {
		return cmp.Or(cmp.Compare(x.a[0], y.a[0]), cmp.Compare(x.a[1], y.a[1]), cmp.Compare(x.b[0], y.b[0]))
	})
	commonA, commonB := commonIn(a), commonIn(b)
	if !most {
		found = slices.DeleteFunc(found, func(s sharedStretch) bool { return commonA.cover(s.a) || commonB.cover(s.b) })
	}
	numbers := placeNumbers(found)
	s := &Beside{}
	for _, p := range PairsOf([]Sharing{SharingOf(a), SharingOf(b)}) {
		s.Both = p
	}
	sides := [2][]numbered{}
	for i, f := range found {
		sides[0], sides[1] = append(sides[0], numbered{f.a, numbers[i]}), append(sides[1], numbered{f.b, numbers[i]})
	}
	s.A, s.B = piecesOf(a.Suspect.Text, sides[0], commonA, most), piecesOf(b.Suspect.Text, sides[1], commonB, most)
	return s
}

// stretchesWith returns the stretches that count in the report on a text as shared with another one.
func stretchesWith(r, other *Report, swap bool) (list []sharedStretch) {
	total := inputOf(r).Count(choiceOf(r))
	for i, p := range r.Passages {
		s := sharedStretch{[2]int{p.Suspect.Start, p.Suspect.End}, [2]int{p.Origin.Start, p.Origin.End}}
		if source := &r.Sources[p.Source]; !source.Among || source.ID != other.Suspect.ID || total.Passages[i].Out || !isPart(r.Suspect.Text, s.a) || !isPart(other.Suspect.Text, s.b) {
			continue
		}
		if swap {
			s.a, s.b = s.b, s.a
		}
		list = append(list, s)
	}
	return list
}

// isPart reports whether a place is one of the text, between its characters.
func isPart(text string, place [2]int) bool {
	start := func(i int) bool { return i == len(text) || utf8.RuneStart(text[i]) }
	return 0 <= place[0] && place[0] < place[1] && place[1] <= len(text) && start(place[0]) && start(place[1])
}

// spans are places of a text that do not overlap, in order.
type spans [][2]int

// commonIn returns the places of a text that most documents have.
func commonIn(r *Report) (list spans) {
	for _, s := range everybodyHas(r) {
		if isPart(r.Suspect.Text, s.place) {
			list = append(list, s.place)
		}
	}
	return list
}

// cover reports whether a place is in one of the spans.
func (list spans) cover(place [2]int) bool {
	return slices.ContainsFunc(list, func(s [2]int) bool { return s[0] <= place[0] && place[1] <= s[1] })
}

// placeNumbers returns the number of the place of each stretch: stretches that overlap in either text are at
// one place.
func placeNumbers(list []sharedStretch) []int {
	places := disjoint.New(len(list))
	for _, side := range []func(sharedStretch) [2]int{func(s sharedStretch) [2]int { return s.a }, func(s sharedStretch) [2]int { return s.b }} {
		order := make([]int, len(list))
		for i := range order {
			order[i] = i
		}
		slices.SortFunc(order, func(i, j int) int { return cmp.Or(cmp.Compare(side(list[i])[0], side(list[j])[0]), i-j) })
		last := -1 // the stretch that reaches furthest
		for _, i := range order {
			if last >= 0 && side(list[i])[0] < side(list[last])[1] {
				places.Join(i, last)
			}
			if last < 0 || side(list[i])[1] > side(list[last])[1] {
				last = i
			}
		}
	}
	numbers, of := make([]int, len(list)), map[int]int{} // of has the number of each root
	for i := range list {
		root := places.Root(i)
		if of[root] == 0 {
			of[root] = len(of) + 1
		}
		numbers[i] = of[root]
	}
	return numbers
}

// A numbered place is a place of a text with the number of its stretch.
type numbered struct {
	place  [2]int
	number int
}

// piecesOf divides a text. If most is set, no piece is marked as common.
func piecesOf(text string, list []numbered, common spans, most bool) (pieces []Piece) {
	if most {
		common = nil
	}
	cuts := []int{0, len(text)}
	for _, n := range list {
		cuts = append(cuts, n.place[:]...)
	}
	for _, s := range common {
		cuts = append(cuts, s[:]...)
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	slices.SortStableFunc(list, func(x, y numbered) int { return cmp.Compare(x.place[0], y.place[0]) })
	seen := map[int]bool{}
	reach, number, next := 0, 0, 0
	for i := range cuts[1:] {
		from, to := cuts[i], cuts[i+1]
		if from >= reach {
			number = 0
		}
		for ; next < len(list) && list[next].place[0] <= from; next++ { // those that overlap have one number
			reach, number = max(reach, list[next].place[1]), list[next].number
		}
		p := Piece{Text: safeLines(text[from:to]), Common: common.cover([2]int{from, to})}
		if !p.Common {
			p.Place = number
		}
		p.First = p.Place > 0 && !seen[p.Place]
		seen[p.Place] = true
		if n := len(pieces) - 1; n >= 0 && pieces[n].Place == p.Place && pieces[n].Common == p.Common {
			pieces[n].Text += p.Text
			continue
		}
		pieces = append(pieces, p)
	}
	return pieces
}

// safeLines is [safe] for a text of several lines.
func safeLines(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = safe(lines[i])
	}
	return strings.Join(lines, "\n")
}

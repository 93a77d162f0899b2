package pages

import (
	"slices"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/otisk/otisk/report"
)

// A letter is a letter of the text in the form that is compared, with its byte range.
type letter struct {
	letter   rune
	from, to int
}

// A spot is a letter of a page, as it is compared, and its box on the sheet.
type spot struct {
	letter rune
	page   int32
	box
}

type box struct{ left, top, right, bottom float32 }

// fold returns the letters and digits of a character without case, accents and
// ligatures: files draw accents apart, and fonts name them in several ways.
func fold(r rune) []rune {
	if r < utf8.RuneSelf {
		if r >= 'A' && r <= 'Z' {
			r += 'a' - 'A'
		} else if (r < 'a' || r > 'z') && (r < '0' || r > '9') {
			return nil
		}
		return []rune{r}
	}
	if r == 'ı' || r == 'ȷ' {
		r -= 'ı' - 'i'
		if r != 'i' {
			r = 'j'
		}
	}
	var letters []rune
	for _, c := range norm.NFKD.String(string(r)) {
		accent := c >= 0x02B0 && c <= 0x02FF // drawn apart from its letter
		if !accent && (unicode.IsLetter(c) || unicode.IsDigit(c)) {
			letters = append(letters, unicode.ToLower(c))
		}
	}
	return letters
}

// lettersOf returns the letters of a text.
func lettersOf(text string) []letter {
	list := make([]letter, 0, len(text))
	for i, r := range text {
		for _, l := range fold(r) {
			list = append(list, letter{l, i, i + utf8.RuneLen(r)})
		}
	}
	return list
}

// Numbers of consecutive equal letters that resume a match after a difference: a few
// nearby, more farther away, where the order of the page differs from that of the text.
const (
	seed     = 12
	nearby   = 7
	window   = 120 // maximum letters of a page number or a note number
	distant  = 24
	farthest = 4000 // letters, beyond which distant must be equal
)

// A matcher finds letters of a text on pages.
type matcher struct {
	text  []letter
	spots []spot
	seeds map[uint64][]int32 // places in spots, by hash of the seed letters that start there
	used  []bool             // of spots
}

// match returns the index in spots of each letter of the text, or -1. No spot is
// returned twice. Both sequences are compared letter by letter; at a difference, the
// comparison continues at the nearest place with enough equal letters. So running
// heads and page numbers, which only pages have, are skipped, and notes are found
// wherever they are on the page.
func match(text []letter, spots []spot) []int32 {
	m := &matcher{text: text, spots: spots, seeds: map[uint64][]int32{}, used: make([]bool, len(spots))}
	for j := 0; j+seed <= len(spots); j++ {
		h := hash(func(k int) rune { return spots[j+k].letter })
		m.seeds[h] = append(m.seeds[h], int32(j))
	}
	found := make([]int32, len(text))
	j, running := 0, true
	for i := range text {
		found[i] = -1
		if !running || !m.equal(i, j) {
			next := m.next(i, j)
			if running = next >= 0; !running {
				continue
			}
			j = next
		}
		found[i], m.used[j] = int32(j), true
		j++
	}
	return found
}

func (m *matcher) equal(i, j int) bool {
	return j < len(m.spots) && i < len(m.text) && !m.used[j] && m.text[i].letter == m.spots[j].letter
}

// agree returns how many letters from i and from j are equal, up to most.
func (m *matcher) agree(i, j, most int) int {
	n := 0
	for n < most && m.equal(i+n, j+n) {
		n++
	}
	return n
}

// next returns the index in spots at which the match resumes with letter i of the text,
// or -1; j is the expected index.
func (m *matcher) next(i, j int) int {
	need := min(nearby, len(m.text)-i)
	for d := range window {
		for _, at := range []int{j + d, j - d} {
			if at >= 0 && m.agree(i, at, need) == need {
				return at
			}
		}
	}
	if i+seed > len(m.text) {
		return -1
	}
	best := -1
	for _, at := range m.seeds[hash(func(k int) rune { return m.text[i+k].letter })] {
		off := distance(int(at), j)
		need := seed
		if off > farthest {
			need = distant
		}
		if (best < 0 || off < distance(best, j)) && m.agree(i, int(at), need) == need {
			best = int(at)
		}
	}
	return best
}

// distance returns how far at is from j: going on is nearer than going back.
func distance(at, j int) int {
	if at >= j {
		return at - j
	}
	return 2 * (j - at)
}

// hash returns the FNV-1a hash of seed letters.
func hash(letter func(k int) rune) uint64 {
	h := uint64(14695981039346656037)
	for k := range seed {
		h = (h ^ uint64(letter(k))) * 1099511628211
	}
	return h
}

// A word is a word of the text, or the part of it on one line, and its box on the
// sheet of a page.
type word struct {
	from, to                 int // byte range in the text
	page                     int // from 0
	left, top, right, bottom float64
}

// wordsIn returns the words of the report's passages that are on the pages.
func wordsIn(r *report.Report, spots []spot) (words []word) {
	text := lettersOf(r.Suspect.Text)
	found := match(text, spots)
	for _, at := range covered(r) {
		i, _ := slices.BinarySearchFunc(text, at[0], func(l letter, b int) int { return l.from - b })
		for i < len(text) && text[i].from < at[1] {
			end := i + 1
			for end < len(text) && text[end].from < at[1] && text[end].from <= text[end-1].to {
				end++
			}
			words = append(words, pieces(text[i:end], found[i:end], spots)...)
			i = end
		}
	}
	return words
}

// covered returns the bytes of the text that passages cover, in order and apart. They
// are cut where a passage or an exclusion starts or ends.
func covered(r *report.Report) (list [][2]int) {
	var cuts []int
	for _, p := range r.Passages {
		cuts = append(cuts, p.Suspect.Start, p.Suspect.End)
		list = append(list, [2]int{p.Suspect.Start, p.Suspect.End})
	}
	list = joined(list)
	for _, e := range r.Exclusions {
		cuts = append(cuts, e.Place.Start, e.Place.End)
	}
	slices.Sort(cuts)
	var parts [][2]int
	for _, at := range list {
		from := at[0]
		k, _ := slices.BinarySearch(cuts, from+1)
		for ; k < len(cuts) && cuts[k] < at[1]; k++ {
			if cuts[k] > from {
				parts = append(parts, [2]int{from, cuts[k]})
				from = cuts[k]
			}
		}
		parts = append(parts, [2]int{from, at[1]})
	}
	return parts
}

// joined returns ranges in order, those that meet as one.
func joined(list [][2]int) (all [][2]int) {
	slices.SortFunc(list, func(a, b [2]int) int { return a[0] - b[0] })
	for _, at := range list {
		if n := len(all); n > 0 && at[0] <= all[n-1][1] {
			all[n-1][1] = max(all[n-1][1], at[1])
			continue
		}
		all = append(all, at)
	}
	return all
}

// pieces returns the boxes of the letters of one word, one for each line. A word of
// which most letters were not found has none.
func pieces(text []letter, found []int32, spots []spot) (list []word) {
	n := 0
	for i := range text {
		if found[i] < 0 {
			continue
		}
		n++
		s := &spots[found[i]]
		if k := len(list); k > 0 && list[k-1].holds(s) {
			w := &list[k-1]
			w.to = text[i].to
			w.left, w.right = min(w.left, float64(s.left)), max(w.right, float64(s.right))
			w.top, w.bottom = min(w.top, float64(s.top)), max(w.bottom, float64(s.bottom))
			continue
		}
		list = append(list, word{text[i].from, text[i].to, int(s.page), float64(s.left), float64(s.top), float64(s.right), float64(s.bottom)})
	}
	if 2*n <= len(text) {
		return nil
	}
	list[0].from, list[len(list)-1].to = text[0].from, text[len(text)-1].to
	return list
}

// holds reports whether a letter is on the line of w.
func (w *word) holds(s *spot) bool {
	middle := float64(s.top+s.bottom) / 2
	return int(s.page) == w.page && middle > w.top && middle < w.bottom && float64(s.right) > w.left
}

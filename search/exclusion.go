package search

import (
	"slices"
	"sort"
	"strings"
	"unicode"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/search/exclude"
)

// exclusions returns the stretches of the suspect that a reader may leave out. It omits
// stretches without words.
func (s *suspect) exclusions() []Exclusion {
	list := []Exclusion{}
	for _, r := range s.excluded() {
		from, to := s.wordAt(r.Start), s.wordAt(r.End)
		if from < to {
			list = append(list, Exclusion{Kind: r.Kind, Place: spanOf(&s.runes, r.Start, r.End), Word: from, Words: to - from})
		}
	}
	return list
}

// optionsOf returns what the format of a document states, for package exclude.
func optionsOf(doc *document.Document, mode normalize.Mode, templates []string) exclude.Options {
	known := exclude.Options{Lines: mode == normalize.Line, Pages: doc.Pages, Templates: templates}
	var unmarked []int // references to notes that the format states, by index in known.Notes
	for _, m := range doc.Marks {
		switch at := (exclude.Range{Kind: exclude.Quotation, Start: m.Start, End: m.End}); m.Kind {
		case document.Quote:
			known.Quotes = append(known.Quotes, at)
		case document.Contents:
			known.Contents = append(known.Contents, m.Start)
		case document.NoteMark:
			if m.Label == "" {
				unmarked = append(unmarked, len(known.Notes))
			}
			known.Notes = append(known.Notes, exclude.Note{At: m.Start, Number: m.Label})
		case document.Footnote:
			if len(unmarked) > 0 {
				known.Notes[unmarked[0]].Text = at
				unmarked = unmarked[1:]
			}
		}
	}
	return known
}

// mostThanks is the number of words of acknowledgements between two parts of the front matter at most.
const mostThanks = 100

// findLists returns the value of s.lists: the title page, the stretches of listKinds, and acknowledgements between them. These
// resemble each other in all theses, so only unchanged words show that they are copied.
func (s *suspect) findLists() (list []stretch) {
	ranges := s.excluded()
	title := exclude.TitlePage(s.doc.Text, s.doc.Pages, ranges)
	front := title > 0 // no abstract or other text since the title page
	if front {
		list = append(list, stretch{0, s.wordAt(title)})
	}
	for _, r := range ranges {
		if !slices.Contains(listKinds, r.Kind) {
			front = front && r.Kind != exclude.Abstract
			continue
		}
		x := stretch{s.wordAt(r.Start), s.wordAt(r.End)}
		if n := len(list); front && r.Kind != exclude.Bibliography && x.from-list[n-1].to <= mostThanks {
			list[n-1].to = x.to
			continue
		}
		list, front = append(list, x), false
	}
	return list
}

// outsideLists returns what is left of some stretches without those of s.lists.
func (s *suspect) outsideLists(of []stretch) (left []stretch) {
	for _, x := range of {
		left = append(left, x.besides(slices.Clone(s.lists()))...)
	}
	return left
}

// cutShare is the share of the words of a passage in s.lists from which it is cut: the contents of a copied book are copied, too.
const cutShare = 0.25

// apartFromLists returns passages of a source, with doubtful ones cut where s.lists begin and end: an introduction that follows a
// table of contents is judged by itself.
func (s *suspect) apartFromLists(src *source, passages []found) (list []found) {
	for i := range passages {
		p := &passages[i]
		whole := stretch{p.from, p.to}
		outside := s.outsideLists([]stretch{whole})
		inside := whole.besides(slices.Clone(outside))
		if words := total(inside); p.origin == nil || float64(words) < cutShare*float64(whole.len()) || len(outside) == 0 || !isDoubtful(p) {
			list = append(list, *p)
			continue
		}
		list = append(append(list, src.remainder(p, p.mask(inside))...), src.remainder(p, p.mask(outside))...)
	}
	return list
}

// leastLetters is the least share of words of letters, of all that is between spaces, in prose.
const leastLetters = 0.5

// isProse reports whether some stretches of the suspect are prose, and not formulas, code, numbers or leaders.
func (s *suspect) isProse(list []stretch) bool {
	letters, all := 0, 0
	for _, x := range list {
		for w := range strings.FieldsSeq(s.doc.Text[s.words[x.from].Start:s.words[x.to-1].End]) {
			all++
			if isOfLetters(strings.TrimFunc(w, unicode.IsPunct)) {
				letters++
			}
		}
	}
	return float64(letters) >= leastLetters*float64(all)
}

// isOfLetters reports whether s has at least two letters, and one sign of another kind in five at most.
func isOfLetters(s string) bool {
	letters, all := 0, 0
	for _, r := range s {
		if all++; unicode.IsLetter(r) || unicode.IsMark(r) {
			letters++
		}
	}
	return letters > 1 && 5*letters >= 4*all
}

// leastShown is how many equal words with a letter a passage needs. Instead of one, it may have numbersEach different numbers,
// without zeros at their ends: the axes of two diagrams have the same few numbers.
const leastShown, numbersEach = 3, 8

// isNumbers reports whether the equal words of a passage are little more than numbers, which are no evidence.
func (s *suspect) isNumbers(p found) bool {
	lettered, numbers := 0, map[string]bool{}
	for _, r := range p.equalRuns() {
		for _, w := range s.words[r.Suspect : r.Suspect+r.Len] {
			if strings.IndexFunc(w.Text, unicode.IsLetter) >= 0 {
				lettered++
			} else {
				numbers[strings.Trim(w.Text, "0")] = true
			}
			if lettered+len(numbers)/numbersEach >= leastShown {
				return false
			}
		}
	}
	return true
}

// mostly returns the kinds of ranges that cover at least half of the bytes [start, end).
func mostly(ranges []exclude.Range, start, end int) (kinds []string) {
	for _, kind := range exclude.Kinds() {
		in := 0
		for _, r := range ranges {
			if r.Kind == kind {
				in += max(0, min(r.End, end)-max(r.Start, start))
			}
		}
		if 2*in >= end-start {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// wordAt returns the first word that starts at the offset or after it.
func (s *suspect) wordAt(offset int) int {
	return sort.Search(len(s.words), func(i int) bool { return s.words[i].Start >= offset })
}

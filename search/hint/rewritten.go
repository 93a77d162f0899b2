package hint

import (
	"cmp"
	"context"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/otisk/otisk/search/join"
)

// Params are the thresholds of [Rewritten].
type Params struct {
	Least               float64 // cosine of two units
	Times               float64 // how many times the level of the rest the cosine is
	Strong, StrongTimes float64 // the same of a strong hint

	LeastOrdered, TimesOrdered float64 // the same of units that have words in the same order
	Order                      float64 // of these words: 1 if all are in order, 0 on average by chance
	Ordered                    int     // words that both units have once

	Shared   int     // different forms that both units have
	Mass     float64 // their weights, where 1 is the weight of a form that one unit has
	Others   int     // units of both texts beside the two: with fewer, the level of the rest is unknown
	Compared int     // words of a unit that are compared
}

// DefaultParams returns the thresholds, which bench/rewritten chose.
func DefaultParams() Params {
	return Params{Least: .28, Times: 2, Strong: .33, StrongTimes: 3, LeastOrdered: .2, TimesOrdered: 1.7, Order: .5, Ordered: 8,
		Shared: 8, Mass: 4, Others: 5, Compared: 12}
}

// Rewritten finds paragraphs with the same content in other words.
//
// Language models and people who reword a paragraph keep most of its rare words. Each paragraph is a vector: its words, by
// their first six letters, with weights (1 + ln tf) · ln(1 + N/df), where df counts the paragraphs of both texts that
// have the word and N is their number, at least 40 (Salton and Buckley 1988). A paragraph of the suspect and the most similar paragraph
// of the source are a hint if their cosine is high, and a multiple of what nearly all other pairs of these paragraphs reach: so a
// source on the same subject raises its own bar.
type Rewritten struct {
	params Params
}

// NewRewritten returns a finder with these thresholds.
func NewRewritten(p Params) *Rewritten { return &Rewritten{p} }

// Kind returns KindRewritten.
func (*Rewritten) Kind() string { return KindRewritten }

// leastDocuments is the least N of the weights: in a few paragraphs, each word would be frequent.
const leastDocuments = 40

// rewriting searches for the paragraphs of one suspect.
type rewriting struct {
	Params
	text *Text
	inverted
	numbers numbering
}

// Prepare cuts the suspect into units.
func (f *Rewritten) Prepare(suspect *Text) Search {
	s := &rewriting{Params: f.params, text: suspect}
	s.set(suspect, &s.numbers)
	s.invert()
	return s
}

// A comparison holds the buffers for comparing a text with one source.
type comparison struct {
	numbers numbering
	theirs  paragraphs
	cosines cosines
}

// comparisons are not in use.
var comparisons = sync.Pool{New: func() any { return new(comparison) }}

// Find compares each unit of the suspect with each of the source.
func (s *rewriting) Find(ctx context.Context, source *Text) ([]Found, error) {
	with := comparisons.Get().(*comparison)
	defer comparisons.Put(with)
	theirs, c := &with.theirs, &with.cosines
	with.numbers.extend(&s.numbers)
	theirs.set(source, &with.numbers)
	if len(s.units)+len(theirs.units)-2 < s.Others {
		return nil, ctx.Err()
	}
	c.set(&s.inverted, theirs)
	best, err := c.best(ctx, s.LeastOrdered)
	if err != nil {
		return nil, err
	}
	rare := func(form string) bool { return c.isRare(with.numbers.of(keyOfForm(form))) }
	var found []Found
	for i, n := range best {
		h, ok := s.judge(c, i, n)
		if ok && (h.Figure >= max(s.Least, s.Times*h.Level) || s.inOrder(source, h, rare)) {
			h.Links = links(s.text, source, h.Suspect, h.Origin, rare)
			if ordinary(s.text, h.Links) < leastOrdinary {
				h.Strength = Weak
			}
			found = append(found, h)
		}
	}
	return together(found), nil
}

// judge returns unit i of the suspect and the unit of the source that is nearest to it as a hint, if they are one.
func (s *rewriting) judge(c *cosines, i int, n nearest) (Found, bool) {
	if n.cosine == 0 {
		return Found{}, false
	}
	a, b := &c.ours.units[i], &c.theirs.units[n.unit]
	if min(a.compared, b.compared) < s.Compared {
		return Found{}, false
	}
	if shared, mass := c.common(i, n.unit); shared < s.Shared || mass < s.Mass {
		return Found{}, false
	}
	level, ok := c.level(i, n.unit, n.cosine/s.TimesOrdered)
	if !ok {
		return Found{}, false
	}
	strength := Weak
	if n.cosine >= s.Strong && n.cosine >= s.StrongTimes*level {
		strength = Strong
	}
	return Found{Suspect: a.Range, Origin: b.Range, Figure: n.cosine, Level: level, Strength: strength}, true
}

// inOrder reports whether the rare words that both paragraphs of a hint have once are in much the same order: whether
// Kendall's rank correlation of their places is at least s.Order. Words that occur more often do not count: lists and headers of
// messages repeat theirs.
func (s *rewriting) inOrder(source *Text, h Found, rare func(form string) bool) bool {
	here, there := single(s.text, h.Suspect), single(source, h.Origin)
	var places []int
	for i := h.Suspect.From; i < h.Suspect.To; i++ {
		f := form(s.text.Words[i].Text)
		if at, ok := there[f]; ok && here[f] == i && rare(f) {
			places = append(places, at)
		}
	}
	if len(places) < s.Ordered {
		return false
	}
	sum := 0
	for i, a := range places {
		for _, b := range places[:i] {
			sum += cmp.Compare(a, b)
		}
	}
	return float64(2*sum) >= s.Order*float64(len(places)*(len(places)-1))
}

// single returns the places of the forms that a range has once.
func single(t *Text, r Range) map[string]int {
	places, seen := map[string]int{}, map[string]bool{}
	for i := r.From; i < r.To; i++ {
		switch f := form(t.Words[i].Text); {
		case f == "":
		case seen[f]:
			delete(places, f)
		default:
			places[f], seen[f] = i, true
		}
	}
	return places
}

// together joins hints that follow each other in both texts, as parts of passages are.
func together(list []Found) []Found {
	places := make([]join.Passage, len(list))
	for i, h := range list {
		places[i] = join.Passage{From: h.Suspect.From, To: h.Suspect.To, OriginFrom: h.Origin.From, OriginTo: h.Origin.To}
	}
	drop := make([]bool, len(list))
	for _, chain := range join.Chains(places) {
		first := &list[chain[0]]
		for _, i := range chain[1:] {
			h := &list[i]
			drop[i] = true
			first.Suspect.To, first.Origin.To = h.Suspect.To, h.Origin.To
			first.Links = append(first.Links, h.Links...)
			first.Level = max(first.Level, h.Level)
			if h.Figure > first.Figure {
				first.Figure, first.Strength = h.Figure, h.Strength
			}
		}
	}
	out := list[:0]
	for i, h := range list {
		if !drop[i] {
			out = append(out, h)
		}
	}
	return out
}

// leastOrdinary is the least number of links of a strong hint that are neither capitalised nor numbers: names, titles and dates
// alone do not show that two paragraphs, such as news of different events, have the same content.
const leastOrdinary = 4

// ordinary returns the number of links whose words in a text begin with a small letter, or with a letter of a script without capitals.
func ordinary(t *Text, links []Link) (n int) {
	for _, l := range links {
		r, _ := utf8.DecodeRuneInString(t.Original[t.Words[l.Suspect.From].Start:])
		if unicode.IsLetter(r) && !unicode.IsUpper(r) && !unicode.IsTitle(r) {
			n++
		}
	}
	return n
}

// links returns the words of two ranges that have the same form, if that is rare. Of a form, the words are paired in order.
func links(suspect, source *Text, here, there Range, rare func(form string) bool) []Link {
	places := map[string][]int{}
	for i := there.From; i < there.To; i++ {
		if f := form(source.Words[i].Text); f != "" && rare(f) {
			places[f] = append(places[f], i)
		}
	}
	var list []Link
	for i := here.From; i < here.To; i++ {
		f := form(suspect.Words[i].Text)
		if at := places[f]; f != "" && len(at) > 0 {
			list = append(list, Link{Kind: LinkEqual, Suspect: Range{i, i + 1}, Origin: Range{at[0], at[0] + 1}})
			places[f] = at[1:]
		}
	}
	return list
}

package hint

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/otisk/otisk/normalize"
)

// textOf returns paragraphs as finders get them.
func textOf(t *testing.T, paragraphs ...string) *Text {
	t.Helper()
	norm, err := normalize.New(normalize.DefaultRules())
	if err != nil {
		t.Fatal(err)
	}
	text := &Text{Original: strings.Join(paragraphs, "\n\n")}
	for _, p := range norm.Paragraphs(text.Original, normalize.Blank) {
		text.Breaks = append(text.Breaks, len(text.Words))
		text.Words = append(text.Words, p.Words...)
	}
	return text
}

// madeUp returns sentences of made-up words. The words of two subjects differ; those of small are in every text.
func madeUp(r *rand.Rand, subject string, words int) string {
	var b strings.Builder
	for i := range words {
		if r.IntN(3) == 0 {
			fmt.Fprintf(&b, "small%d", r.IntN(20))
		} else {
			fmt.Fprintf(&b, "%s%c%c%c", subject, 'a'+r.IntN(12), 'a'+r.IntN(12), 'a'+r.IntN(12))
		}
		if i%15 == 14 {
			b.WriteByte('.')
		}
		b.WriteByte(' ')
	}
	return b.String()
}

// reworded returns a paragraph with its words in another order, and some replaced.
func reworded(r *rand.Rand, paragraph string) string {
	words := strings.Fields(paragraph)
	r.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
	for i := range words {
		if r.IntN(3) == 0 {
			words[i] = madeUp(r, "new", 1)
		}
	}
	return strings.Join(words, " ")
}

func find(t *testing.T, suspect, source *Text) []Found {
	t.Helper()
	list, err := NewRewritten(DefaultParams()).Prepare(suspect).Find(t.Context(), source)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestRewrittenParagraph: one of nine paragraphs has the words of one of the source, in another order and a third of them replaced; it is the hint, and its links
// are equal words.
func TestRewrittenParagraph(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	var own, source []string
	for range 8 {
		own = append(own, madeUp(r, "x", 80))
		source = append(source, madeUp(r, "x", 80))
	}
	own = slices.Insert(own, 4, reworded(r, source[2]))
	a, b := textOf(t, own...), textOf(t, source...)
	list := find(t, a, b)
	if len(list) != 1 || list[0].Suspect != (Range{320, 400}) || list[0].Origin != (Range{160, 240}) {
		t.Fatalf("hints %+v, want words 320 to 400 and 160 to 240", list)
	}
	h := list[0]
	if h.Figure < 2*h.Level || len(h.Links) < 15 {
		t.Errorf("figure %v, level %v, %d links", h.Figure, h.Level, len(h.Links))
	}
	for _, l := range h.Links {
		if x, y := a.Words[l.Suspect.From].Text, b.Words[l.Origin.From].Text; form(x) != form(y) || l.Suspect.Common(h.Suspect) != 1 || l.Origin.Common(h.Origin) != 1 {
			t.Errorf("link of %s and %s, outside the hint or of different words", x, y)
		}
	}
}

// TestNamesAloneAreNoStrongHint: a paragraph that shares ordinary words is a strong hint, and one whose shared words are all
// capitalised, as names and titles are, a weak one.
func TestNamesAloneAreNoStrongHint(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	var own, source []string
	for range 8 {
		own = append(own, madeUp(r, "x", 80))
		source = append(source, madeUp(r, "x", 80))
	}
	own = slices.Insert(own, 4, reworded(r, source[2]))
	if list := find(t, textOf(t, own...), textOf(t, source...)); len(list) != 1 || list[0].Strength != Strong {
		t.Fatalf("hints %+v, want a strong one", list)
	}
	own[4] = strings.ReplaceAll(own[4], " x", " X")
	if list := find(t, textOf(t, own...), textOf(t, source...)); len(list) != 1 || list[0].Strength != Weak {
		t.Errorf("with names alone, hints %+v, want a weak one", list)
	}
}

// TestNoHint: texts on one subject, and texts too short for the level of the rest to be known, give no hint; nor do empty ones.
func TestNoHint(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	paragraph := madeUp(r, "x", 80)
	many := func(subject string) (list []string) {
		for range 10 {
			list = append(list, madeUp(r, subject, 80))
		}
		return list
	}
	for name, pair := range map[string][2]*Text{
		"one subject": {textOf(t, many("x")...), textOf(t, many("x")...)},
		"too short":   {textOf(t, paragraph), textOf(t, reworded(r, paragraph))},
		"nothing":     {textOf(t), textOf(t)},
		"no source":   {textOf(t, many("x")...), textOf(t)},
		"numbers":     {textOf(t, many("1")...), textOf(t, many("1")...)},
	} {
		if list := find(t, pair[0], pair[1]); len(list) > 0 {
			t.Errorf("%s: hints %+v", name, list)
		}
	}
}

// naive returns the hints by the definition: cosines of all pairs of units, each computed from maps.
func naive(p Params, suspect, source *Text) (list []Found) {
	vectors := func(t *Text) (list []map[string]float64, ranges []Range) {
		for _, u := range units(t) {
			v := map[string]float64{}
			for _, w := range t.Words[u.From:u.To] {
				if f := form(w.Text); f != "" {
					v[f]++
				}
			}
			list, ranges = append(list, v), append(ranges, u)
		}
		return list, ranges
	}
	a, here := vectors(suspect)
	b, there := vectors(source)
	if len(a)+len(b)-2 < p.Others {
		return nil
	}
	all := slices.Concat(a, b)
	n := float64(max(len(all), 40))
	idf := func(f string) float64 {
		df := 0.0
		for _, v := range all {
			if v[f] > 0 {
				df++
			}
		}
		return math.Log(1 + n/df)
	}
	rare := func(f string) bool {
		df := 0
		for _, v := range all {
			if v[f] > 0 {
				df++
			}
		}
		return df <= max(3, len(all)/6)
	}
	cosine := func(x, y map[string]float64) float64 {
		dot, xx, yy := 0.0, 0.0, 0.0
		weight := func(v map[string]float64, f string) float64 {
			if v[f] == 0 {
				return 0
			}
			return (1 + math.Log(v[f])) * idf(f)
		}
		for f := range x {
			xx += weight(x, f) * weight(x, f)
			dot += weight(x, f) * weight(y, f)
		}
		for f := range y {
			yy += weight(y, f) * weight(y, f)
		}
		if xx == 0 || yy == 0 {
			return 0
		}
		return dot / math.Sqrt(xx*yy)
	}
	sum := func(v map[string]float64) (n float64) {
		for _, c := range v {
			n += c
		}
		return n
	}
	for i := range a {
		best := 0
		for j := range b {
			if cosine(a[i], b[j]) > cosine(a[i], b[best])+1e-12 {
				best = j
			}
		}
		if len(b) == 0 {
			continue
		}
		figure := cosine(a[i], b[best])
		var row, column []float64
		for j := range b {
			if j < best-1 || j > best+1 {
				row = append(row, cosine(a[i], b[j]))
			}
		}
		for k := range a {
			if k < i-1 || k > i+1 {
				column = append(column, cosine(a[k], b[best]))
			}
		}
		level := max(naiveLevel(row), naiveLevel(column))
		shared, mass := 0, 0.0
		for f := range a[i] {
			if b[best][f] > 0 {
				shared++
				mass += min(1, idf(f)/math.Log(41))
			}
		}
		plain := figure >= p.Least && figure >= p.Times*level
		ordered := figure >= p.LeastOrdered && figure >= p.TimesOrdered*level && naiveOrder(p, suspect, source, here[i], there[best], rare)
		if !plain && !ordered || shared < p.Shared || mass < p.Mass || sum(a[i]) < float64(p.Compared) || sum(b[best]) < float64(p.Compared) {
			continue
		}
		h := Found{Suspect: here[i], Origin: there[best], Figure: figure, Level: level, Strength: Weak, Links: links(suspect, source, here[i], there[best], rare)}
		if figure >= p.Strong && figure >= p.StrongTimes*level {
			h.Strength = Strong
		}
		list = append(list, h)
	}
	return together(list)
}

// naiveLevel returns the value that 95 % of the list do not exceed.
func naiveLevel(list []float64) float64 {
	if len(list) == 0 {
		return 0
	}
	slices.Sort(list)
	return list[len(list)-1-len(list)/20]
}

// naiveOrder compares the order of each two of the words that both ranges have once.
func naiveOrder(p Params, suspect, source *Text, here, there Range, rare func(string) bool) bool {
	places := func(t *Text, r Range, f string) (list []int) {
		for i := r.From; i < r.To; i++ {
			if form(t.Words[i].Text) == f {
				list = append(list, i)
			}
		}
		return list
	}
	var pairs [][2]int
	for i := here.From; i < here.To; i++ {
		f := form(suspect.Words[i].Text)
		if a, b := places(suspect, here, f), places(source, there, f); f != "" && rare(f) && len(a) == 1 && len(b) == 1 {
			pairs = append(pairs, [2]int{a[0], b[0]})
		}
	}
	same, other := 0.0, 0.0
	for i, x := range pairs {
		for _, y := range pairs[:i] {
			if (x[0] < y[0]) == (x[1] < y[1]) {
				same++
			} else {
				other++
			}
		}
	}
	return len(pairs) >= p.Ordered && same-other >= p.Order*(same+other)
}

// TestOrder: a paragraph of which two words in three are replaced is a hint if the rest is in order, and none if it is shuffled.
func TestOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	var own, source []string
	for range 8 {
		own = append(own, madeUp(r, "x", 80))
		source = append(source, madeUp(r, "x", 80))
	}
	kept := replaced(r, source[2], 3)
	if list := find(t, textOf(t, slices.Insert(slices.Clone(own), 4, kept)...), textOf(t, source...)); len(list) != 1 || list[0].Figure >= DefaultParams().Least {
		t.Errorf("in order: hints %+v, want one of a lower cosine than %v", list, DefaultParams().Least)
	}
	words := strings.Fields(kept)
	r.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
	if list := find(t, textOf(t, slices.Insert(own, 4, strings.Join(words, " "))...), textOf(t, source...)); len(list) > 0 {
		t.Errorf("shuffled: hints %+v", list)
	}
}

// replaced returns a paragraph of which one word of each few is kept, in its place.
func replaced(r *rand.Rand, paragraph string, each int) string {
	words := strings.Fields(paragraph)
	for i := range words {
		if i%each > 0 {
			words[i] = madeUp(r, "new", 1)
		}
	}
	return strings.Join(words, " ")
}

// TestAsNaive compares the finder with the definition, for words of one byte a letter and of two.
func TestAsNaive(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	hints := 0
	for n := range 20 {
		subject := []string{"x", "жжжж"}[n%2]
		var own, source []string
		for range 3 + r.IntN(6) {
			source = append(source, madeUp(r, subject, 5+r.IntN(260)))
		}
		for range 3 + r.IntN(6) {
			p := madeUp(r, subject, 5+r.IntN(100))
			switch r.IntN(4) {
			case 0, 1:
				p = reworded(r, source[r.IntN(len(source))])
			case 2:
				p = replaced(r, source[r.IntN(len(source))], 3)
			}
			own = append(own, p)
		}
		a, b := textOf(t, own...), textOf(t, source...)
		got, want := find(t, a, b), naive(DefaultParams(), a, b)
		hints += len(got)
		if len(got) != len(want) {
			t.Fatalf("%d hints, want %d", len(got), len(want))
		}
		for i := range got {
			if math.Abs(got[i].Figure-want[i].Figure) > 1e-9 || math.Abs(got[i].Level-want[i].Level) > 1e-9 {
				t.Fatalf("figure %v, level %v, want %v, %v", got[i].Figure, got[i].Level, want[i].Figure, want[i].Level)
			}
			got[i].Figure, got[i].Level, want[i].Figure, want[i].Level = 0, 0, 0, 0
		}
		if len(got) > 0 && !reflect.DeepEqual(got, want) {
			t.Fatalf("hints\n%+v, want\n%+v", got, want)
		}
	}
	if hints < 8 {
		t.Errorf("only %d hints were compared", hints)
	}
}

// TestTogether: searches of two suspects in several sources at the same time, whose memory is used again, find the same hints as one after another.
func TestTogether(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 12))
	var searches []Search
	var sources []*Text
	for n := range 4 {
		var own, source []string
		for range 5 + 3*n {
			source = append(source, madeUp(r, "x", 40+r.IntN(90)))
			own = append(own, madeUp(r, "x", 60), reworded(r, source[len(source)-1]))
		}
		sources = append(sources, textOf(t, source...))
		if n < 2 {
			searches = append(searches, NewRewritten(DefaultParams()).Prepare(textOf(t, own...)))
		}
	}
	var want, got [8][]Found
	find := func(list *[8][]Found, i int) { list[i], _ = searches[i%2].Find(t.Context(), sources[i/2]) }
	for i := range want {
		find(&want, i)
	}
	if len(want[0]) == 0 || len(want[3]) == 0 {
		t.Fatalf("hints %v, want some for each suspect", want)
	}
	for range 10 {
		var group sync.WaitGroup
		for i := range got {
			group.Go(func() { find(&got, i) })
		}
		if group.Wait(); !reflect.DeepEqual(got, want) {
			t.Fatalf("at the same time: hints %v, want %v", got, want)
		}
	}
}

// TestStops: a search that is called off returns the error of its context.
func TestStops(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	var list []string
	for range 10 {
		list = append(list, madeUp(r, "x", 60))
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	text := textOf(t, list...)
	if _, err := NewRewritten(DefaultParams()).Prepare(text).Find(ctx, text); err != context.Canceled {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
}

// TestUnits: short paragraphs are joined, long ones cut at ends of sentences; no word is lost.
func TestUnits(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	text := textOf(t, "A heading of five words", madeUp(r, "x", 500), madeUp(r, "x", 15), madeUp(r, "x", 30), "The last four words")
	list := units(text)
	at := 0
	for i, u := range list {
		if u.From != at || u.Len() > mostUnit+leastUnit || u.Len() < leastUnit && i < len(list)-1 {
			t.Errorf("unit %v after word %d", u, at)
		}
		at = u.To
	}
	if at != len(text.Words) {
		t.Errorf("the units end at word %d of %d", at, len(text.Words))
	}
	if !endsSentence(text, list[0].To) {
		t.Errorf("the first unit, of words %v, does not end with a sentence", list[0])
	}
}

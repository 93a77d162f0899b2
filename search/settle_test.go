package search

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/memory"
)

func TestOrderOfSources(t *testing.T) {
	long := strings.Join(strings.Fields(original)[:20], " ")
	short := strings.Join(strings.Fields(original)[30:45], " ")
	set := normSet(t, normalize.Line)
	s := index(t, set, 5, map[string]string{
		"/c-long": long, "/b-short": short, "/a-short": short,
		"/d-phrase": "nothing but " + strings.Join(strings.Fields(original)[50:57], " ") + " is shared",
		"/e-phrase": "nothing but " + strings.Join(strings.Fields(original)[50:56], " ") + " again",
	})
	text := strings.Join(strings.Fields(original), " ")
	r := search(t, s, set, text, Options{N: 5})
	var got []string
	for _, src := range r.Sources {
		got = append(got, fmt.Sprintf("%s %d %d", src.Name, src.Covered, src.Match.Matched))
	}
	want := "/c-long 20 16, /a-short 15 11, /b-short 15 11, /d-phrase 0 3, /e-phrase 0 2"
	if strings.Join(got, ", ") != want {
		t.Errorf("sources %s, want %s: by covered words, n-grams, name", strings.Join(got, ", "), want)
	}
}

// TestWordsComeBeforeGrams has four short runs, which cover more words than one
// long run and share fewer n-grams.
func TestWordsComeBeforeGrams(t *testing.T) {
	words := strings.Fields(original)
	run := func(from, to int) string { return strings.Join(words[from:to], " ") }
	set := normSet(t, normalize.Line)
	s := index(t, set, 5, map[string]string{
		"/long": run(0, 15), "/short": strings.Join([]string{run(20, 25), run(30, 35), run(40, 45), run(50, 55)}, "\n"),
	})
	r := search(t, s, set, strings.Join(words, " "), Options{N: 5, Exact: true})
	if len(r.Sources) != 2 || r.Sources[0].Name != "/short" || r.Sources[0].Covered != 20 || r.Sources[0].Match.Matched != 4 {
		t.Errorf("sources %+v, want /short first, with 20 words covered and 4 n-grams", r.Sources)
	}
}

// TestOrderInAParagraph has two sources that share more and less of it, and
// one that shares as much.
func TestOrderInAParagraph(t *testing.T) {
	set := normSet(t, normalize.Line)
	s := index(t, set, 3, map[string]string{"/a": "a b c", "/c": "a b c d e", "/b": "c d e f g", "/z": "1 2 3 4 5 6 7 8 9"})
	r := search(t, s, set, "1 2 3 4 5 6 7 8 9\na b c d e f g", Options{N: 3, Exact: true})
	var got []string
	for _, src := range r.Paragraphs[1].Sources {
		got = append(got, fmt.Sprint(r.Sources[src.Source].Name, " ", src.Match.Matched))
	}
	if want := "/b 3, /c 3, /a 1"; strings.Join(got, ", ") != want {
		t.Errorf("sources of the paragraph %v, want %s", got, want)
	}
}

// TestOrderInAParagraphAlone: what shares most of it is first, though another shares more
// of the text.
func TestOrderInAParagraphAlone(t *testing.T) {
	set := normSet(t, normalize.Line)
	s := index(t, set, 3, map[string]string{"/all": "1 2 3 4 5 6 7 8 9\nc d e", "/some": "a b c d e"})
	r := search(t, s, set, "1 2 3 4 5 6 7 8 9\na b c d e f g", Options{N: 3, Exact: true})
	if namesOf(r) != "/all /some" || len(r.Paragraphs) != 2 {
		t.Fatalf("sources %s, want /all and then /some", namesOf(r))
	}
	if list := r.Paragraphs[1].Sources; len(list) != 2 || r.Sources[list[0].Source].Name != "/some" || list[0].Match.Matched != 3 || list[1].Match.Matched != 1 {
		t.Errorf("sources of the second paragraph %+v, want /some with 3 n-grams, then /all with 1", list)
	}
}

func TestOrderOfPassages(t *testing.T) {
	at := func(from, to, origin int) found {
		return found{from: from, to: to, Passage: Passage{Origin: Span{Start: origin}}}
	}
	sources := []*source{
		{passages: []found{at(5, 9, 70), at(5, 9, 30), at(20, 30, 0)}},
		{passages: []found{at(5, 9, 0), at(5, 12, 0), at(0, 2, 0)}},
	}
	var got []string
	for _, p := range inOrder(sources) {
		got = append(got, fmt.Sprintf("%d-%d of %d at %d", p.from, p.to, p.Source, p.Origin.Start))
	}
	want := "0-2 of 1 at 0, 5-12 of 1 at 0, 5-9 of 0 at 30, 5-9 of 0 at 70, 5-9 of 1 at 0, 20-30 of 0 at 0"
	if strings.Join(got, ", ") != want {
		t.Errorf("passages %s, want %s", strings.Join(got, ", "), want)
	}
}

func TestExcerptsThatTouchAreOne(t *testing.T) {
	text := strings.Repeat("x", 4000)
	b := &body{parts: []*textPart{{text: text, before: &store.Mark{}, end: &store.Mark{Byte: 4000}}}}
	at := func(start int) found { return found{Passage: Passage{Origin: Span{Start: start, End: start + 10}}} }
	for _, tt := range []struct{ second, want int }{{1910, 1}, {1911, 2}} {
		got := b.excerpts([]found{at(tt.second), at(700)}, nil)
		if len(got) != tt.want || got[0].Start != 100 || got[len(got)-1].End != tt.second+610 {
			t.Errorf("with a passage at %d: %d excerpts, want %d of bytes 100 to %d", tt.second, len(got), tt.want, tt.second+610)
		}
	}
}

// TestExcerptsAreOfTheirParts: each passage is shown in the part of the text that has it,
// and no excerpt extends past the parts that were read.
func TestExcerptsAreOfTheirParts(t *testing.T) {
	whole := strings.Repeat("žluť ", 2000)
	part := func(from, to int64) *textPart {
		before := &store.Mark{Byte: from, Rune: from / 7 * 5}
		return &textPart{text: whole[from:to], before: before, end: &store.Mark{Byte: to}}
	}
	b := &body{parts: []*textPart{part(700, 2401), part(4900, 9800)}}
	at := func(start, end int) found { return found{Passage: Passage{Origin: Span{Start: start, End: end}}} }
	got := b.excerpts([]found{at(700, 706), at(2100, 2400), at(4900, 4934), at(7000, 7034), at(9793, 9799)}, nil)
	want := [][2]int{{700, 1306}, {1500, 2401}, {4900, 5534}, {6400, 7634}, {9193, 9800}}
	if len(got) != len(want) {
		t.Fatalf("%d excerpts, want %d", len(got), len(want))
	}
	for i, e := range got {
		if e.Text != whole[e.Start:e.End] || e.RuneStart != len([]rune(whole[:e.Start])) || e.RuneEnd != len([]rune(whole[:e.End])) {
			t.Errorf("excerpt %d has another text than that at its place %+v", i, e.Span)
		}
		if d := [2]int{e.Start - want[i][0], e.End - want[i][1]}; d[0] < 0 || d[0] > 7 || d[1] < -7 || d[1] > 0 {
			t.Errorf("excerpt %d is at %+v, want about %v", i, e.Span, want[i])
		}
	}
}

// TestExcerptsHoldShorterPassages: a passage that lies in another makes its excerpt no
// shorter.
func TestExcerptsHoldShorterPassages(t *testing.T) {
	text := strings.Repeat("žluť ", 2000)
	b := &body{parts: []*textPart{{text: text, before: &store.Mark{}, end: &store.Mark{Byte: int64(len(text))}}}}
	at := func(start, end int) found { return found{Passage: Passage{Origin: Span{Start: start, End: end}}} }
	got := b.excerpts([]found{at(700, 7000), at(1400, 1406)}, nil)
	if len(got) != 1 || got[0].Start > 700 || got[0].End < 7000 {
		t.Errorf("excerpts of %d parts, want one of all from 700 to 7000", len(got))
	}
}

// TestExcerptsOfOtherParts: a passage gives no excerpt of a part of the text that does
// not have it, and one that ends with its part does.
func TestExcerptsOfOtherParts(t *testing.T) {
	whole := strings.Repeat("word ", 2000)
	part := func(from, to int64) *textPart {
		return &textPart{text: whole[from:to], before: &store.Mark{Byte: from, Rune: from}, end: &store.Mark{Byte: to}}
	}
	b := &body{parts: []*textPart{part(0, 1000), part(1200, 2500), part(9000, 10000)}}
	at := func(start, end int) found { return found{Passage: Passage{Origin: Span{Start: start, End: end}}} }
	var got [][2]int
	for _, e := range b.excerpts([]found{at(900, 1000), at(9000, 9100)}, nil) {
		got = append(got, [2]int{e.Start, e.End})
	}
	if want := [][2]int{{305, 1000}, {9000, 9699}}; !slices.Equal(got, want) {
		t.Errorf("excerpts %v, want %v", got, want)
	}
}

// TestTextOnlyWhereItIsAskedFor: a result has the text of the suspect and excerpts of
// the sources with that option, and otherwise neither.
func TestTextOnlyWhereItIsAskedFor(t *testing.T) {
	set := normSet(t, normalize.Auto)
	s := index(t, set, 5, map[string]string{"/keeper": original})
	for _, texts := range []bool{true, false} {
		r := search(t, s, set, edited, Options{N: 5, Texts: texts})
		if len(r.Sources) != 1 || (r.Suspect.Text == edited) != texts || (r.Suspect.Text == "") == texts || (len(r.Sources[0].Excerpts) == 1) != texts {
			t.Errorf("texts asked for: %v; the text has %d bytes, its sources are %+v", texts, len(r.Suspect.Text), r.Sources)
		}
	}
}

// TestInterruptedReading must not become a note that a text cannot be read.
func TestInterruptedReading(t *testing.T) {
	set := normSet(t, normalize.Line)
	s := memory.New(store.Settings{})
	kept := index(t, set, 3, map[string]string{"/a": "a b c d e"})
	entry, err := store.Entry(t.Context(), kept, store.IDOf("", "/a"))
	if err != nil {
		t.Fatal(err)
	}
	grams := gramsOf(newSuspect(&document.Document{Text: "a b c d e", Ext: "txt"}, set, nil).paragraphs, 3)
	hashes := func(yield func([]store.Hash) bool) {
		for _, g := range grams.list {
			if !yield([]store.Hash{g.hash}) {
				return
			}
		}
	}
	if err := errors.Join(s.Add(t.Context(), entry, "", []store.Grams{{N: 3, Hashes: hashes}}, func(func([]store.Hash) bool) {}), s.Commit(t.Context())); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	unreadable := errors.New("cannot be read")
	for _, stop := range []bool{false, true} {
		searcher, err := New(ctx, s, set, Options{N: 3, Reread: func(context.Context, store.Document) (string, error) {
			if stop {
				cancel()
			}
			return "", unreadable
		}})
		if err != nil {
			t.Fatal(err)
		}
		_, err = searcher.Search(ctx, &document.Document{Text: "a b c d e", Ext: "txt"})
		if stop != errors.Is(err, unreadable) {
			t.Errorf("stopped: %v, Search = %v", stop, err)
		}
	}
}

// TestSourcesWithoutEvidenceAreDropped: one that neither reaches the limits nor has a
// passage is no source.
func TestSourcesWithoutEvidenceAreDropped(t *testing.T) {
	set := normSet(t, normalize.Auto)
	s := index(t, set, 5, map[string]string{"/keeper": original, "/few": "on something else: and his daughter feared that he was alone"})
	most := 90.0
	r := search(t, s, set, "My own words.\n\n"+edited+"\n\nThen nobody came, and his daughter feared that he was ill.", Options{N: 5, MinPercent: &most})
	if len(r.Sources) != 1 || r.Sources[0].Name != "/keeper" {
		t.Errorf("sources %+v, want /keeper alone", r.Sources)
	}
}

func TestCutAtWhiteSpace(t *testing.T) {
	const text = "žluťoučký kůň úpěl"
	at := func(word string) int { return strings.Index(text, word) }
	for _, tt := range []struct{ at, inner, want int }{
		{-5, 10, 0}, {0, 10, 0}, {len(text), 3, len(text)}, {len(text) + 9, 3, len(text)},
		{4, len(text), at("kůň")}, {at("kůň"), at("úpěl"), at("úpěl")},
		{1, 4, 2}, {1, 2, 2}, // no white space: between two letters
		{at("kůň") + 2, 0, at("kůň") - 1}, {at("kůň") + 2, at("kůň"), at("kůň") + 1},
	} {
		if got := cut(text, tt.at, tt.inner); got != tt.want {
			t.Errorf("cut at %d, on the way to %d: %d, want %d", tt.at, tt.inner, got, tt.want)
		}
	}
}

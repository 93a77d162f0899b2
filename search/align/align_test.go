package align

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/otisk/otisk/normalize"
)

// prepare makes a text ready with the default rules.
// aligned aligns two texts without a limit.
func aligned(al *Aligner, suspect, source *Prepared) []Passage {
	list, err := al.Align(context.Background(), suspect, source)
	if err != nil {
		panic(err)
	}
	return list
}

func prepare(t testing.TB, text string) *Prepared {
	t.Helper()
	return Prepare(textOf(t, text))
}

func textOf(t testing.TB, text string) Text {
	t.Helper()
	n, err := normalize.New(normalize.DefaultRules())
	if err != nil {
		t.Fatal(err)
	}
	out := Text{Text: text}
	for _, p := range n.Paragraphs(text, normalize.Whole) {
		out.Words = append(out.Words, p.Words...)
	}
	return out
}

func align(t testing.TB, suspect, source string) []Passage {
	t.Helper()
	return aligned(New(DefaultParams()), prepare(t, suspect), prepare(t, source))
}

// A speaker says words of a language of its own, frequent ones and rare ones.
type speaker struct{ *rand.Rand }

func newSpeaker(seed uint64) speaker { return speaker{rand.New(rand.NewPCG(seed, 1))} }

func (s speaker) word() string {
	k := int(1 / (s.Float64() + 1e-4)) // Zipf's law, more or less
	k = k*7 + s.IntN(7)
	return fmt.Sprintf("%c%c%c%c%d", 'a'+k%26, 'a'+k/26%26, 'a'+k/676%26, 'a'+k%23, k%10)
}

func (s speaker) words(n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = s.word()
	}
	return list
}

// prose returns words of which two in five are frequent and the others rare.
func (s speaker) prose(n int) []string {
	list := make([]string, n)
	for i := range list {
		if list[i] = fmt.Sprintf("%05d", s.IntN(8000)); i%5 < 2 {
			list[i] = fmt.Sprint(s.IntN(50))
		}
	}
	return list
}

// say writes words as sentences.
func say(words ...[]string) string {
	var b strings.Builder
	for _, list := range words {
		for i, w := range list {
			b.WriteString(w)
			if i%11 == 10 {
				b.WriteString(".\n")
			} else {
				b.WriteByte(' ')
			}
		}
	}
	return b.String()
}

// edited replaces, drops and adds one word in every.
func (s speaker) edited(words []string, every int) []string {
	var out []string
	for i, w := range words {
		switch {
		case i%every != every-1:
			out = append(out, w)
		case i/every%3 == 0:
			out = append(out, s.word())
		case i/every%3 == 1:
			out = append(out, w, s.word())
		}
	}
	return out
}

func TestAlign(t *testing.T) {
	s := newSpeaker(1)
	copied, before, after := s.words(120), s.words(400), s.words(300)
	source := say(s.words(350), copied, s.words(500))
	tests := []struct {
		name     string
		middle   []string
		kind     Kind
		grade    Grade
		from, to int // words of the suspect
		slack    int
	}{
		{"verbatim", copied, Exact, Verbatim, 400, 520, 0},
		{"every twelfth word edited", s.edited(copied, 12), Cluster, Edited, 400, 520, 6},
		{"every third word edited", s.edited(copied, 3), Cluster, Reworded, 400, 520, 10},
		{"halves exchanged", append(append([]string{}, copied[60:]...), copied[:60]...), Cluster, Verbatim, 400, 520, 0},
	}
	for _, tt := range tests {
		got := align(t, say(before, tt.middle, after), source)
		if len(got) == 0 {
			t.Errorf("%s: no passage", tt.name)
			continue
		}
		p := got[0]
		if p.Kind != tt.kind || p.Grade != tt.grade || abs(p.Suspect.From-tt.from) > tt.slack || abs(p.Suspect.To-tt.to) > tt.slack {
			t.Errorf("%s: %v %v at [%d,%d), want %v %v at [%d,%d) within %d words", tt.name,
				p.Kind, p.Grade, p.Suspect.From, p.Suspect.To, tt.kind, tt.grade, tt.from, tt.to, tt.slack)
		}
	}
}

func abs(n int) int { return max(n, -n) }

func TestAlignNothing(t *testing.T) {
	s := newSpeaker(2)
	text := say(s.words(500))
	for _, tt := range []struct{ name, suspect, source string }{
		{"both empty", "", ""},
		{"empty suspect", "", text},
		{"empty source", text, ""},
		{"no words", "...\n\n—", "?! \t"},
		{"one word each", "word", "word"},
		{"unrelated", text, say(newSpeaker(3).words(500))},
		{"nothing in common", "alpha beta gamma", "delta epsilon zeta"},
	} {
		if got := align(t, tt.suspect, tt.source); len(got) != 0 {
			t.Errorf("%s: %d passages, want none; first %+v", tt.name, len(got), got[0])
		}
	}
}

// Twelve copied words are found wherever they are, though most of them may be
// frequent ones.
func TestTwelveWordsAreFound(t *testing.T) {
	s := newSpeaker(4)
	suspect, source := s.words(50_000), s.words(20_000)
	for _, at := range []int{0, 777, 25_000, 50_000 - 12} {
		copy(suspect[at:], source[5_000:5_012])
		got := align(t, say(suspect), say(source))
		found := false
		for _, p := range got {
			found = found || p.Suspect.From <= at && p.Suspect.To >= at+12 && p.Run >= 12
		}
		if !found {
			t.Errorf("12 words at %d are in none of %d passages", at, len(got))
		}
		suspect = s.words(50_000)
	}
}

// Texts that repeat themselves, 1 MB each, are aligned in linear time and found
// to be copies.
func TestRepetitiveTexts(t *testing.T) {
	const size = 1 << 20
	repeat := func(s string) string { return strings.Repeat(s, size/len(s)) }
	tests := []struct{ name, suspect, source string }{
		{"one word", repeat("slovo "), repeat("slovo ")},
		{"one word, half as often", repeat("slovo "), repeat("slovo ")[:size/2]},
		{"one word of one letter", repeat("a "), repeat("a ")},
		{"two words", repeat("slovo za "), repeat("slovo za ")},
		{"a verse", repeat("jedna dve tri ctyri pet sest sedm osm devet deset "), repeat("sest sedm osm devet deset jedna dve tri ctyri pet ")},
		{"a word and its repetition", repeat(strings.Repeat("to je ", 50) + "konec "), repeat(strings.Repeat("to je ", 49) + "dnes ")},
	}
	for _, tt := range tests {
		suspect := prepare(t, tt.suspect)
		got := aligned(New(DefaultParams()), suspect, prepare(t, tt.source))
		covered := make([]bool, suspect.Len())
		for _, p := range got {
			mark(covered, span{int32(p.Suspect.From), int32(p.Suspect.To)})
		}
		if n := count(covered, span{0, int32(len(covered))}); 2*n < len(covered) {
			t.Errorf("%s: %d of %d words covered by %d passages", tt.name, n, len(covered), len(got))
		}
	}
}

// Sentences of a source with words of the suspect's own between them are
// passages of their own; changed words within them are not.
func TestOwnWordsPartPassages(t *testing.T) {
	s := newSpeaker(5)
	source := s.prose(600)
	first, second := source[100:140], source[140:180]
	tests := []struct {
		name   string
		middle [][]string
		want   int
	}{
		{"nothing between", [][]string{first, second}, 1},
		{"5 words between", [][]string{first, s.prose(5), second}, 1},
		{"40 words between", [][]string{first, s.prose(40), second}, 2},
		{"every fourth word edited", [][]string{s.edited(source[100:180], 4)}, 1},
	}
	for _, tt := range tests {
		words := append(append([][]string{s.prose(200)}, tt.middle...), s.prose(200))
		if got := align(t, say(words...), say(source)); len(got) != tt.want {
			t.Errorf("%s: %d passages, want %d", tt.name, len(got), tt.want)
		}
	}
}

func TestRisingParts(t *testing.T) {
	tests := []struct {
		name  string
		value []float64
		want  []span
	}{
		{"none", nil, nil},
		{"too little", []float64{1, 1}, nil},
		{"one", []float64{1, 1, 1}, []span{{0, 3}}},
		{"without its ends", []float64{-1, 2, 2, -1}, []span{{1, 3}}},
		{"a word without weight before it", []float64{-1, 0, 2, 2}, []span{{1, 4}}},
		{"a word without weight after it", []float64{2, 2, 0, -1}, []span{{0, 2}}},
		{"a small fall within", []float64{3, -2, 3}, []span{{0, 3}}},
		{"two", []float64{3, -1, -2, -1, 4, 1, -1}, []span{{0, 1}, {4, 6}}},
		{"a fall that is just enough", []float64{3, -3, 3}, []span{{0, 1}, {2, 3}}},
		{"a rise that is too small between", []float64{3, -4, 2, -4, 5}, []span{{0, 1}, {4, 5}}},
	}
	for _, tt := range tests {
		if got := risingParts(tt.value, 3); !slices.Equal(got, tt.want) {
			t.Errorf("%s: risingParts(%v) = %v, want %v", tt.name, tt.value, got, tt.want)
		}
	}
}

// A run of twelve equal words is a passage, whatever the words and their case, except for
// words that the suspect repeats.
func TestShortRuns(t *testing.T) {
	const sentence = "the quick brown fox jumps over twelve lazy dogs beside Old River"
	const names = "Orange County Convention Center Orlando Florida United States Of America Event Profile"
	for _, tt := range []struct {
		name, suspect, source string
		want                  int
	}{
		{"a sentence", sentence, sentence, 1},
		{"a sentence in capitals", strings.ToUpper(sentence), sentence, 1},
		{"names", names, names, 1},
		{"names with three more", names + " In Three Parts", names + " In Three Parts", 1},
		{"a running title", names + ". Page one. " + names + ". Page two", names, 0},
		{"a repeated sentence of 15 words", sentence + " in far London. " + sentence + " in far London", sentence + " in far London", 2},
		{"eleven words", strings.TrimSuffix(sentence, " River"), strings.TrimSuffix(sentence, " River"), 0},
	} {
		s := newSpeaker(6)
		around := func(text string) string { return say(s.words(300)) + ". " + text + ". " + say(s.words(300)) }
		if got := align(t, around(tt.suspect), around(tt.source)); len(got) != tt.want {
			t.Errorf("%s: %d passages, want %d", tt.name, len(got), tt.want)
		}
	}
}

// A summary draws on phrases from all over a source.
func TestSummary(t *testing.T) {
	s := newSpeaker(7)
	source := s.prose(1500)
	var phrases, words []string
	for at := 0; at+20 < len(source); at += 60 {
		phrases = append(phrases, source[at:at+6]...)
		words = append(words, source[at], source[at+20], source[at+40])
	}
	for _, tt := range []struct {
		name   string
		middle []string
		want   []Kind
	}{
		{"phrases", phrases, []Kind{Summary}},
		{"single words", words, nil},
	} {
		suspect := say(s.prose(500), tt.middle, s.prose(500))
		for _, on := range []bool{true, false} {
			params := DefaultParams()
			params.Summary = on
			var got []Kind
			for _, p := range aligned(New(params), prepare(t, suspect), prepare(t, say(source))) {
				got = append(got, p.Kind)
			}
			want := tt.want
			if !on {
				want = nil
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s, summaries %v: found %v, want %v", tt.name, on, got, want)
			}
		}
	}
}

// TestAlignIsInterrupted by a context that ends after some of its steps.
func TestAlignIsInterrupted(t *testing.T) {
	text := prepare(t, "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen")
	for steps := range 10 {
		ctx := &ending{Context: t.Context(), left: steps}
		if list, err := New(DefaultParams()).Align(ctx, text, text); !errors.Is(err, context.Canceled) || list != nil {
			t.Errorf("ended after %d steps: %v, error %v; want none", steps, list, err)
		}
	}
	if list, err := New(DefaultParams()).Align(&ending{Context: t.Context(), left: 10}, text, text); err != nil || len(list) != 1 {
		t.Errorf("not ended: %d passages, error %v; want one", len(list), err)
	}
}

// ending is a context that is canceled after a number of calls of Err.
type ending struct {
	context.Context
	left int
}

func (e *ending) Err() error {
	e.left--
	if e.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestSliceIsTheTextAlone: the passages of a slice are those of its words
// prepared by themselves, whoever used the memory before.
func TestSliceIsTheTextAlone(t *testing.T) {
	al := New(DefaultParams())
	r := rand.New(rand.NewPCG(6, 1))
	for round := range 40 {
		source := randomWords(r, 600)
		suspect := slices.Concat(randomWords(r, 200+r.IntN(300)), source[100:250], randomWords(r, 200), source[300:330], randomWords(r, 100))
		whole, other := prepared(suspect), prepared(source)
		from := r.IntN(200)
		to := len(suspect) - r.IntN(200)
		alone := prepared(suspect[from:to])
		slice := whole.Slice(from, to)
		got, err := al.Align(t.Context(), slice, other)
		if err != nil {
			t.Fatal(err)
		}
		want, err := al.Align(t.Context(), alone, other)
		if err != nil {
			t.Fatal(err)
		}
		if len(want) == 0 || len(got) != len(want) {
			t.Fatalf("round %d: %d passages of the slice, %d of its words alone", round, len(got), len(want))
		}
		for i := range want {
			g, w := got[i], want[i]
			g.Suspect.Start, g.Suspect.End, w.Suspect.Start, w.Suspect.End = 0, 0, 0, 0 // of another text
			if !reflect.DeepEqual(g, w) {
				t.Errorf("round %d: passage %+v of the slice, %+v of its words alone", round, g, w)
			}
		}
		beside, err := al.Align(t.Context(), slice, whole.Beside(Text{Words: other.words, Text: other.text}))
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, beside) {
			t.Errorf("round %d: passages %+v of a slice, %+v with a source beside it", round, got, beside)
		}
	}
}

// randomWords returns words of a few hundred different ones.
func randomWords(r *rand.Rand, count int) []string {
	list := make([]string, count)
	for i := range list {
		list[i] = fmt.Sprintf("word%c%c", 'a'+r.IntN(26), 'a'+r.IntN(20))
		if r.IntN(2) == 0 {
			list[i] = fmt.Sprintf("%c%c%crare", 'a'+r.IntN(26), 'a'+r.IntN(26), 'a'+r.IntN(26))
		}
	}
	return list
}

// prepared prepares words with a space between them.
func prepared(words []string) *Prepared {
	t := Text{Text: strings.Join(words, " ")}
	at := 0
	for _, w := range words {
		t.Words = append(t.Words, normalize.Word{Text: w, Start: at, End: at + len(w)})
		at += len(w) + 1
	}
	return Prepare(t)
}

// TestPassagesComeByPlace in the suspect: by where they begin, then by where they
// end, then by place in the source.
func TestPassagesComeByPlace(t *testing.T) {
	params := DefaultParams()
	text := prepare(t, say(newSpeaker(1).words(60)))
	p := newPair(&params, text, text)
	c := func(from, to, source int32) candidate {
		return candidate{a: span{from, to}, b: span{source, source + 20}}
	}
	var got [][3]int
	for _, q := range p.passages([]candidate{c(20, 45, 0), c(20, 40, 9), c(20, 40, 3), c(2, 50, 30)}, p.params) {
		got = append(got, [3]int{q.Suspect.From, q.Suspect.To, q.Source.From})
	}
	if want := [][3]int{{2, 50, 30}, {20, 40, 3}, {20, 40, 9}, {20, 45, 0}}; !slices.Equal(got, want) {
		t.Errorf("passages at %v, want %v", got, want)
	}
}

func TestKindsHaveNames(t *testing.T) {
	if got := fmt.Sprint(Exact, " ", Cluster, " ", Summary); got != "exact cluster summary" {
		t.Errorf("kinds are called %s", got)
	}
}

// TestHints: what Align finds, the look before it has hinted at; two texts on
// anything else is no hint.
func TestHints(t *testing.T) {
	al := New(DefaultParams())
	r := rand.New(rand.NewPCG(9, 9))
	for round := range 30 {
		source, own := randomWords(r, 200), randomWords(r, 200)
		suspect := slices.Concat(own[:80], source[60:130], own[80:])
		if !al.Hints(prepared(suspect), prepared(source), len(suspect)+len(source), 1) || len(aligned(al, prepared(suspect), prepared(source))) == 0 {
			t.Errorf("round %d: a copy of 70 words is not hinted at", round)
		}
		other := make([]string, 200)
		for i := range other {
			other[i] = fmt.Sprintf("else%03d", r.IntN(900))
		}
		if al.Hints(prepared(other), prepared(source), 400, 0.1) {
			t.Errorf("round %d: texts without a common word hint at a copy", round)
		}
		copy(other[90:], source[100:103])
		if al.Hints(prepared(other), prepared(source), 400, 0.6) {
			t.Errorf("round %d: three words hint at a copy", round)
		}
	}
	s := newSpeaker(3)
	long, source := s.prose(3000), s.prose(3000)
	copy(long[1400:], s.edited(source[2000:2120], 4))
	if len(aligned(al, prepared(long), prepared(source))) == 0 || !al.Hints(prepared(long[1300:1600]), prepared(source[1900:2200]), 6000, 0.6) {
		t.Error("what is around a passage of two long texts does not hint at it")
	}
	if al.Hints(prepared(nil), prepared([]string{"one"}), 1, 0) {
		t.Error("a text without words hints at a copy")
	}
}

// TestHintsAreParts: six words hint at a copy if a part of the minimum of a passage suffices,
// or if their texts are long.
func TestHintsAreParts(t *testing.T) {
	words := func(kind string, count int) (list []string) {
		for i := range count {
			list = append(list, fmt.Sprintf("%c%c%s", 'a'+i%26, 'a'+i/26, kind))
		}
		return list
	}
	a := prepared(slices.Concat(words("own", 70), words("both", 6), words("mine", 80)))
	b := prepared(slices.Concat(words("other", 50), words("both", 6), words("theirs", 90)))
	for _, tt := range []struct {
		words int
		share float64
		want  bool
	}{{300, 1, false}, {300, 0.6, true}, {1, 1, false}, {1, 0.6, true}, {6000, 1, true}, {6000, 1.5, false}} {
		if got := New(DefaultParams()).Hints(a, b, tt.words, tt.share); got != tt.want {
			t.Errorf("in texts of %d words, %v of a cluster: hint %v, want %v", tt.words, tt.share, got, tt.want)
		}
	}
}

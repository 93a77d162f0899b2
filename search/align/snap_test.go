package align

import (
	"math/rand/v2"
	"testing"

	"github.com/otisk/otisk/normalize"
)

// nearest returns the place within reach of at, from low to high, where border
// holds and which is nearest; of two as near, the one that prefer says. It
// returns at where there is none.
func nearest(at, reach, low, high int32, border func(int32) bool, prefer int32) int32 {
	best, found := at, false
	for k := max(low, at-reach); k <= min(high, at+reach); k++ {
		near, before := max(k-at, at-k), max(best-at, at-best)
		if border(k) && (!found || near < before || near == before && prefer > 0) {
			best, found = k, true
		}
	}
	return best
}

func TestSnapTakesTheNearestBorder(t *testing.T) {
	rnd := rand.New(rand.NewPCG(9, 10))
	for range 20_000 {
		words := int32(1 + rnd.IntN(30))
		begins, text := make([]bool, words), ""
		var list []normalize.Word
		for i := range begins {
			if begins[i] = i == 0 || rnd.IntN(4) == 0; i > 0 && begins[i] {
				text += []string{".", "?", "…", "\n\n"}[rnd.IntN(4)]
			}
			text += " word"
			list = append(list, normalize.Word{Text: "word", Start: len(text) - len("word"), End: len(text)})
		}
		p := Prepare(Text{Text: text, Words: list})
		border := func(k int32) bool { return k == words || begins[k] }
		from := int32(rnd.IntN(int(words)))
		s := span{from, from + 1 + int32(rnd.IntN(int(words-from)))}
		reach := int32(rnd.IntN(7))
		want := span{from: nearest(s.from, reach, 0, s.to-1, border, -1)}
		want.to = nearest(s.to, reach, want.from+1, words, border, 1)
		if got := p.snap(s, reach); got != want {
			t.Fatalf("snap(%v, %d) of %q = %v, want %v", s, reach, text, got, want)
		}
	}
}

// TestEndsReachAsFarAsWordsAreEqual moves bounds that are too narrow.
func TestEndsReachAsFarAsWordsAreEqual(t *testing.T) {
	const same = "one two three four five six seven eight"
	tests := []struct {
		name               string
		suspect, source    string
		a, b, wantA, wantB span
	}{
		{"to where words differ", "x y " + same + " z", "q " + same + " r s", span{5, 7}, span{4, 6}, span{2, 10}, span{1, 9}},
		{"to the ends of the texts", same, same, span{3, 5}, span{3, 5}, span{0, 8}, span{0, 8}},
		{"to the end of the shorter one", same, "three four five six", span{3, 5}, span{1, 3}, span{2, 6}, span{0, 4}},
		{"not at all", "one two three", "four two five", span{1, 2}, span{1, 2}, span{1, 2}, span{1, 2}},
	}
	for _, tt := range tests {
		params := DefaultParams()
		p := newPair(&params, prepare(t, tt.suspect), prepare(t, tt.source))
		c := candidate{a: tt.a, b: tt.b}
		p.reach(&c)
		if c.a != tt.wantA || c.b != tt.wantB {
			t.Errorf("%s: %v and %v, want %v and %v", tt.name, c.a, c.b, tt.wantA, tt.wantB)
		}
	}
}

func TestSentencesPartAt(t *testing.T) {
	for between, want := range map[string]bool{
		"": false, " ": false, ".": true, "!": true, "?": true, ",": false, "…": true, "\n": false,
		". ": true, " (": false, ", ": false, "… ": true, "\n\n": true, " \n ": false, "\n \n": true, "?“ ": true,
	} {
		if got := partsSentences(between); got != want {
			t.Errorf("%q between words parts sentences: %v, want %v", between, got, want)
		}
	}
}

// TestEndsMoveToSentences: those of a cluster do, on both sides, and those of equal
// words do not.
func TestEndsMoveToSentences(t *testing.T) {
	params := DefaultParams()
	p := newPair(&params, prepare(t, "x y. one two three four five. z"), prepare(t, "q. uno dos tres cuatro. r s"))
	found := []candidate{{a: span{3, 6}, b: span{2, 4}}, {a: span{3, 6}, b: span{2, 4}, sharp: start | end}}
	want := []candidate{{a: span{2, 7}, b: span{1, 5}}, found[1]}
	if got := p.snapped(found); got[0] != want[0] || got[1] != want[1] {
		t.Errorf("snapped to %+v, want %+v", got, want)
	}
	params.Snap = 0
	if got := p.snapped([]candidate{{a: span{3, 6}, b: span{2, 4}}})[0]; got.a != (span{3, 6}) || got.b != (span{2, 4}) {
		t.Errorf("snapped to %+v by no words", got)
	}
}

package align

import (
	"slices"
	"strings"
	"testing"
)

// TestOrigins compares the origins of texts with those expected.
func TestOrigins(t *testing.T) {
	s := newSpeaker(5)
	stretch, other, third := s.words(40), s.words(30), s.words(10)
	text := prepare(t, say(stretch, other, stretch, third, stretch[10:30], other[:leastRepeat-1]))
	got := text.Repeats()
	var want []int32
	for i := range int32(text.Len()) {
		switch {
		case i >= 70 && i < 110:
			i -= 70
		case i >= 120 && i < 140:
			i -= 110
		}
		want = append(want, i)
	}
	if !slices.Equal(got, want) {
		t.Errorf("origins %v, want %v", got, want)
	}
	if got := text.Different(); got != text.Len()-60 {
		t.Errorf("%d different words of %d, want 60 fewer", got, text.Len())
	}
	// In a slice that begins within the first copy, the second copy has its origins there.
	got = text.Slice(30, 110).Repeats()
	if got[40] != 40 || got[70] != 0 || got[79] != 9 {
		t.Errorf("origins in a slice: %v, want 40, 0 and 9 at 40, 70 and 79", got)
	}
	for _, none := range []string{say(stretch, other), strings.Repeat("0 ", 100), strings.Repeat("1 0 0 ", 50), "", "a b"} {
		if got := prepare(t, none).Repeats(); got != nil {
			t.Errorf("origins of %q: %v, want none", none, got)
		}
	}
}

// TestCopiesAreFoundAlike checks texts that repeat themselves: each copy has the
// passages that the text has alone, and a source with copies gives the same ones.
func TestCopiesAreFoundAlike(t *testing.T) {
	al := New(DefaultParams())
	covered := func(suspect, source string) []bool {
		a := prepare(t, suspect)
		list, err := al.Align(t.Context(), a, prepare(t, source))
		if err != nil {
			t.Fatal(err)
		}
		words := make([]bool, a.Len())
		for _, p := range list {
			for i := p.Suspect.From; i < p.Suspect.To; i++ {
				words[i] = true
			}
		}
		return words
	}
	found := 0
	for seed := range uint64(20) {
		s := newSpeaker(seed)
		passage := s.prose(100)
		suspect := say(s.prose(200), s.edited(passage, 4), s.prose(150))
		if seed%2 == 1 {
			suspect = say(s.edited(passage, 4)) // copies follow each other
		}
		source := say(s.prose(150), passage, s.prose(100))
		want := covered(suspect, source)
		found += count(want, span{0, int32(len(want))})
		for _, times := range []int{2, 3, 20} {
			got := covered(strings.Repeat(suspect+" ", times), source)
			differ := 0
			for i, c := range got {
				if c != want[i%len(want)] {
					differ++
				}
			}
			if differ*50 > len(got) { // the ends of a text move to those of sentences
				t.Errorf("seed %d: written %d times, %d of %d words are found otherwise", seed, times, differ, len(got))
			}
		}
		if got := covered(suspect, source+" "+source); !slices.Equal(got, want) {
			t.Errorf("seed %d: with the source twice, %d words are found, want %d", seed, count(got, span{0, int32(len(got))}), count(want, span{0, int32(len(want))}))
		}
	}
	if found < 1500 {
		t.Errorf("the passages have %d words, want 1500 or more, so that there is something to compare", found)
	}
}

package align

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"otisk/normalize"
)

// prepare makes a text ready with the default rules.
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
	return New(DefaultParams()).Align(prepare(t, suspect), prepare(t, source))
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
	copied, before, behind := s.words(120), s.words(400), s.words(300)
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
		{"halves exchanged", append(append([]string{}, copied[60:]...), copied[:60]...), Exact, Verbatim, 400, 460, 0},
	}
	for _, tt := range tests {
		got := align(t, say(before, tt.middle, behind), source)
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

// Twelve copied words are found wherever they stand, though most of them may be
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
		got := New(DefaultParams()).Align(suspect, prepare(t, tt.source))
		covered := make([]bool, suspect.Len())
		for _, p := range got {
			mark(covered, span{int32(p.Suspect.From), int32(p.Suspect.To)})
		}
		if n := count(covered, span{0, int32(len(covered))}); 2*n < len(covered) {
			t.Errorf("%s: %d of %d words covered by %d passages", tt.name, n, len(covered), len(got))
		}
	}
}

package align

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// Two short texts on one subject share many words, here and there. Only where
// they are near each other that were so in the source is it a passage.
func TestShortTextsOfOneSubject(t *testing.T) {
	const shared, own = 55, 60
	word := func(kind string, i int) string { return fmt.Sprintf("%c%c%s", 'a'+i%26, 'a'+i/26, kind) }
	mixed := func(kind string, order []int) []string {
		var list []string
		for i, k := range order {
			list = append(list, word("subject", k), word(kind, i))
		}
		return list
	}
	inOrder := make([]int, shared)
	for i := range inOrder {
		inOrder[i] = i
	}
	scattered := newSpeaker(11).Perm(shared)
	turned := slices.Clone(inOrder)
	for i := 2; i < shared; i += 3 {
		turned[i-1], turned[i] = turned[i], turned[i-1]
	}
	loose := DefaultParams()
	loose.MinPairs = 0
	for _, tt := range []struct {
		name        string
		order       []int
		want, loose int
	}{
		{"words here and there", scattered, 0, 1},
		{"neighbours turned round", turned, 1, 1},
	} {
		source := prepare(t, say(mixed("source", inOrder), newSpeaker(12).words(own)))
		suspect := prepare(t, say(mixed("suspect", tt.order), newSpeaker(13).words(own)))
		for _, with := range []struct {
			params Params
			want   int
		}{{DefaultParams(), tt.want}, {loose, tt.loose}} {
			if got := aligned(New(with.params), suspect, source); len(got) != with.want {
				t.Errorf("%s, MinPairs %v: %d passages, want %d", tt.name, with.params.MinPairs, len(got), with.want)
			}
		}
	}
}

// In long texts nothing more is asked for than before.
func TestPairedInLongTexts(t *testing.T) {
	params := DefaultParams()
	for _, tt := range []struct {
		words int
		want  bool
	}{{params.LeastWords/2 - 1, false}, {params.LeastWords / 2, true}} {
		s := newSpeaker(14)
		p := newPair(&params, prepare(t, say(s.words(tt.words))), prepare(t, say(s.words(tt.words))))
		params.MinPairs = 1e9
		if got := p.paired(candidate{a: span{0, 20}, b: span{0, 20}}, 5); got != tt.want {
			t.Errorf("two texts of %d words: paired = %v, want %v", tt.words, got, tt.want)
		}
	}
}

// TestPairsThatAreJustEnough: the evidence is the mean of the weights of pairs and of
// words, by the length, and the required evidence falls with the length of the texts.
func TestPairsThatAreJustEnough(t *testing.T) {
	params := DefaultParams()
	s := newSpeaker(15)
	words := s.words(120)
	p := newPair(&params, prepare(t, say(words)), prepare(t, say(s.edited(words, 4))))
	c := candidate{a: span{10, 90}, b: span{8, 95}}
	full := float64(p.a.Len()+p.b.Len()) / float64(params.LeastWords)
	const mass = 7.5
	evidence := math.Sqrt(p.pairWeight(c) * mass / 80)
	params.MinPairs = evidence / (1 - full*full) * (1 - 1e-9)
	if !p.paired(c, mass) {
		t.Error("just enough pairs are too few")
	}
	params.MinPairs *= 1 + 1e-6
	if p.paired(c, mass) {
		t.Error("too few pairs are enough")
	}
}

// TestBetterSideCounts: a share of one side is enough, and the weight of both is asked
// for.
func TestBetterSideCounts(t *testing.T) {
	params := DefaultParams()
	params.MinPairs, params.LeastWords = 0, 100_000
	s := newSpeaker(16)
	words := s.prose(30)
	long := say(words, s.words(170))
	for _, tt := range []struct {
		name            string
		suspect, source string
	}{
		{"all of the suspect's side", say(words), long},
		{"all of the source's side", long, say(words)},
	} {
		p := newPair(&params, prepare(t, tt.suspect), prepare(t, tt.source))
		c := candidate{a: span{0, int32(p.a.Len())}, b: span{0, int32(p.b.Len())}}
		share, mass := p.weightShare(&p.a, c.a, &p.b, c.b)
		other, otherMass := p.weightShare(&p.b, c.b, &p.a, c.a)
		params.LowShare, params.Mass = 0, 1e9
		for _, limit := range []struct {
			share, mass float64
			want        int
		}{
			{max(share, other), min(mass, otherMass), 1},
			{max(share, other) * 1.001, min(mass, otherMass), 0},
			{max(share, other), min(mass, otherMass) * 1.001, 0},
		} {
			params.MinShare, params.MinMass = limit.share, limit.mass
			if got := len(p.verified([]candidate{c})); got != limit.want {
				t.Errorf("%s: share %.3f and %.3f, mass %.2f, %.3f and %.2f asked for: %d verified, want %d", tt.name, share, other, mass, limit.share, limit.mass, got, limit.want)
			}
		}
		params.Mass = min(mass, otherMass)
		params.MinShare, params.MinMass = 2, 0
		if got := len(p.verified([]candidate{c})); got != 1 {
			t.Errorf("%s: just so much is shared that a lower share is enough, %d verified", tt.name, got)
		}
		params.LowShare = 3
		if got := p.leastShare(params.Mass); got != 2 {
			t.Errorf("a lower share that is higher: %v asked for, want 2", got)
		}
	}
}

// TestMuchSharedNeedsALowerShare: three words in ten are chance in sixty words, and
// in a hundred they are not.
func TestMuchSharedNeedsALowerShare(t *testing.T) {
	params := DefaultParams()
	for _, tt := range []struct {
		words, shared int // of each twenty
		want          bool
	}{{60, 7, false}, {100, 7, true}, {100, 6, false}, {60, 9, true}} {
		text := func(own string) (list []string) {
			for i := range 600 {
				kind := own
				if i < tt.words && i*7%20 < tt.shared { // spread over the twenty
					kind = "both"
				}
				list = append(list, fmt.Sprintf("%c%c%s", 'a'+i%26, 'a'+i/26, kind))
			}
			return list
		}
		p := newPair(&params, prepare(t, say(text("suspect"))), prepare(t, say(text("source"))))
		c := candidate{a: span{0, int32(tt.words)}, b: span{0, int32(tt.words)}}
		share, mass := p.weightShare(&p.a, c.a, &p.b, c.b)
		if got := len(p.verified([]candidate{c})) == 1; got != tt.want {
			t.Errorf("%d words, %d in twenty shared (share %.3f, mass %.2f): verified = %v, want %v", tt.words, tt.shared, share, mass, got, tt.want)
		}
	}
}

// TestCopiesCountOnce: a word that one side has more often counts as often as the
// other side has it, and so does a pair of near words.
func TestCopiesCountOnce(t *testing.T) {
	params := DefaultParams()
	p := newPair(&params, prepare(t, "heron otter heron otter heron badger"), prepare(t, "heron otter weasel"))
	c := candidate{a: span{0, 6}, b: span{0, 3}}
	heron, otter := p.weight[p.b.key[0]], p.weight[p.b.key[1]]
	if _, mass := p.weightShare(&p.a, c.a, &p.b, c.b); mass != heron+otter {
		t.Errorf("shared weight %v, want %v", mass, heron+otter)
	}
	clear(p.weight)
	if share, mass := p.weightShare(&p.a, c.a, &p.b, c.b); share != 0 || mass != 0 {
		t.Errorf("words without weight share %v, weight %v, want nothing", share, mass)
	}
	p.weight[p.b.key[0]], p.weight[p.b.key[1]] = heron, otter
	if got := p.pairWeight(c); got != heron+otter {
		t.Errorf("weight of shared pairs %v, want %v", got, heron+otter)
	}
}

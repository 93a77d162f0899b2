package align

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// rewritten returns words of which some shares are replaced by new ones.
func rewritten(s speaker, list []string, share float64) []string {
	out := slices.Clone(list)
	r := rand.New(rand.NewPCG(5, 5))
	for i := range out {
		if r.Float64() < share {
			out[i] = s.word()
		}
	}
	return out
}

// TestSecondBounds: passages that are found without second bounds stay as they are, more passages
// are found with them, and none of them meets another.
func TestSecondBounds(t *testing.T) {
	with, without := DefaultParams(), DefaultParams()
	without.MinShare, without.LowShare, without.Second = 0.8, 0.8, SecondParams{} // so that few clusters are verified at first
	with.MinShare, with.LowShare = 0.8, 0.8
	with.Second = SecondParams{Toll: 0.2, SourceToll: 0.14, MinShare: 0.3, LowShare: 0.3, MinMass: 4.7}
	more := 0
	for seed := range uint64(60) {
		s := newSpeaker(seed)
		passage := s.prose(120)
		suspect := prepare(t, say(s.prose(400), rewritten(s, passage, 0.01*float64(seed)), s.prose(400)))
		source := prepare(t, say(s.prose(700), passage, s.prose(700)))
		first, both := aligned(New(without), suspect, source), aligned(New(with), suspect, source)
		for _, p := range first {
			if !slices.ContainsFunc(both, func(q Passage) bool { return q.Suspect == p.Suspect && q.Source == p.Source }) {
				t.Errorf("seed %d: the passage %v is not found with second bounds", seed, p.Suspect)
			}
		}
		for i, p := range both {
			if i > 0 && p.Suspect.From < both[i-1].Suspect.To {
				t.Errorf("seed %d: passages %v and %v overlap", seed, both[i-1].Suspect, p.Suspect)
			}
		}
		more += len(both) - len(first)
	}
	if more < 10 {
		t.Errorf("%d more passages with second bounds, want 10 or more", more)
	}
}

// TestSecondBoundsLeaveTheFirst: clusters that a passage meets are not bounded again, and the
// clusters and the settings of the pair stay as they are.
func TestSecondBoundsLeaveTheFirst(t *testing.T) {
	params := DefaultParams()
	s := newSpeaker(3)
	passage := s.prose(120)
	p := newPair(&params, prepare(t, say(s.prose(200), passage, s.prose(200))), prepare(t, say(s.prose(100), passage)))
	cores := p.cores(p.points())
	clusters := p.clusters(cores)
	before := slices.Clone(clusters)
	whole := []candidate{{a: span{0, int32(p.a.Len())}}}
	if got := p.secondBounds(clusters, whole, cores, nil); len(got) != 0 {
		t.Errorf("second bounds find %v beside a passage of the whole text, want nothing", got)
	}
	if got := p.secondBounds(clusters, nil, cores, nil); len(got) == 0 {
		t.Error("second bounds find nothing, want the copy")
	}
	if !slices.Equal(clusters, before) || p.params != &params {
		t.Error("second bounds have changed the clusters or the settings")
	}
}

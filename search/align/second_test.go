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

// TestWidened: passages that share little are longer with second bounds, none is lost, and each
// encloses the first ones.
func TestWidened(t *testing.T) {
	with, without := DefaultParams(), DefaultParams()
	with.Second.Toll, with.Second.SourceToll, with.Widen = 0.05, 0.05, WidenParams{Part: 1, MaxShare: 1, Mass: 0.1}
	without.Second, without.Widen = with.Second, WidenParams{}
	longer := 0
	for seed := range uint64(60) {
		s := newSpeaker(seed)
		passage := s.prose(160)
		suspect := prepare(t, say(s.prose(300), rewritten(s, passage, 0.4+0.005*float64(seed)), s.prose(300)))
		source := prepare(t, say(s.prose(300), passage, s.prose(300)))
		narrow, wide := aligned(New(without), suspect, source), aligned(New(with), suspect, source)
		for _, p := range narrow {
			k := slices.IndexFunc(wide, func(q Passage) bool { return q.Suspect.From < p.Suspect.To && p.Suspect.From < q.Suspect.To })
			if k < 0 {
				t.Fatalf("seed %d: the passage %v is lost", seed, p.Suspect)
			}
			if wide[k].Words > p.Words {
				longer++
			}
		}
	}
	if longer == 0 {
		t.Error("no passage is longer with second bounds")
	}
}

// TestUnbounded: a cluster that shares little is a passage as it is if its contrast suffices, and
// only then.
func TestUnbounded(t *testing.T) {
	params := DefaultParams()
	s := newSpeaker(3)
	passage := s.prose(120)
	p := newPair(&params, prepare(t, say(s.prose(200), rewritten(s, passage, 0.5), s.prose(200))), prepare(t, say(s.prose(300), passage, s.prose(300))))
	cluster := candidate{a: span{200, 320}, b: span{300, 420}, kind: Cluster}
	contrast := p.contrast(cluster)
	for _, tt := range []struct {
		limit float64
		want  int
	}{{contrast * 0.99, 1}, {contrast * 1.01, 0}} {
		params.Whole.Contrast = tt.limit
		if got := p.unbounded([]candidate{cluster}, nil); len(got) != tt.want {
			t.Errorf("%d passages with a contrast of %.2f and a limit of %.2f, want %d", len(got), contrast, tt.limit, tt.want)
		}
	}
	params.Whole.Contrast = 0
	if got := p.unbounded([]candidate{cluster}, []candidate{{a: span{310, 330}}}); len(got) != 0 {
		t.Errorf("the cluster is a passage beside one that it meets: %v", got)
	}
	long := cluster
	long.b.to = 500
	if got := p.unbounded([]candidate{long}, nil); len(got) != 1 {
		t.Errorf("%d passages of 120 and 200 words, want 1", len(got))
	}
	params.Whole.Longer = 1.6
	if got := p.unbounded([]candidate{long}, nil); len(got) != 0 {
		t.Errorf("a passage of 120 and 200 words, one side of which may be 1.6 times as long: %v", got)
	}
}

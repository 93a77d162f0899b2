package align

// Params are the settings of an alignment. [DefaultParams] were tuned on half
// of PAN 2013's training pairs, looked at on the other half, and checked on
// Czech; none of them is sharp (see docs of the bench for figures).
type Params struct {
	// Weight of words: ln(Frequent/f)/ln 1000 between 0 and 1, where f is the
	// share of the word among all words of the two texts.
	Frequent float64 // share of the words from which on a word weighs nothing

	// Points.
	MinWeight float64 // least weight of a word that makes a point alone
	Bend      float64 // the weight of a point is that of its words to this power
	PairValue float64 // value of a pair of words, against one word
	Damp      float64 // points that occur n and m times are divided by (n·m) to this power
	MaxPoints int     // a word or pair with n·m above this makes no points

	// Cores and clusters.
	Radius     int     // words around a point, on both sides, in which weights add up
	Density    float64 // least sum there that makes a core
	Gap        int     // words between cores of one cluster, in the suspect
	SourceGap  int     // the same in the source
	MinCluster float64 // least weight of all cores of a cluster

	// Bounds.
	Toll       float64 // share of its weight that an unmatched word costs, in the suspect
	SourceToll float64 // the same in the source
	Fall       float64 // fall of the running sum at which to stop
	Reach      int     // words that a bound may lie outside the cluster
	Rounds     int     // of bounding one side by the other

	// Verification.
	MinShare float64 // least share of the weight that is matched, on the better side
	MinMass  float64 // least weight that is matched, on both sides

	// Exact runs.
	Verbatim      int     // words of a run of equal words that is always found
	VerbatimShare float64 // share of a cluster from which on exact runs replace it

	// Ends.
	Snap     int // words that an end may move to reach the end of a sentence
	MinWords int // least words of a passage on each side; exact runs have Verbatim
	MinBoth  int // least words of both sides together; 0 for none

	// Summary pass.
	Summary   bool // whether to look for summaries at all
	Summaries SummaryParams
}

// SummaryParams are the settings of the summary pass; summary.go says what they
// mean together.
type SummaryParams struct {
	Hit        float64 // chance that a word of a summary stands in its source
	Repeat     float64 // words that occur k times in the suspect count 1/k to this power
	Own        float64 // share of the suspect's mean value that is taken off
	Level      float64 // added to that mean before
	Fall       float64 // fall of the running sum at which a stretch ends
	MinSum     float64 // least sum of a stretch
	MinMean    float64 // least sum for each of its words
	MinWords   int     // least words of a stretch
	MaxWords   int     // most words of a stretch
	MinSource  int     // least words of the source
	MinRatio   float64 // least length of the source side against the stretch
	Rare       float64 // least weight of a word that bounds the source side
	MaxCover   float64 // share of a stretch that one ordinary passage may explain
	MaxCovered int     // words of a stretch that one ordinary passage may explain
	MaxExact   int     // words of a stretch that exact runs may explain
	Most       int     // summaries of one pair of texts
	Unit       float64 // words of a text in which ...
	Spread     float64 // ... a word with a share s of all words stands with chance s times this
}

// DefaultParams returns the settings of the program.
func DefaultParams() Params {
	return Params{
		Frequent:  0.02,
		MinWeight: 0.1, Bend: 0.6, PairValue: 0.7, Damp: 0.7, MaxPoints: 80,
		Radius: 21, Density: 2.1, Gap: 95, SourceGap: 40, MinCluster: 8,
		Toll: 0.22, SourceToll: 0.15, Fall: 2.4, Reach: 8, Rounds: 3,
		MinShare: 0.35, MinMass: 5,
		Verbatim: 12, VerbatimShare: 0.7,
		Snap: 4, MinWords: 15,
		Summary: true,
		Summaries: SummaryParams{
			Hit: 0.6, Repeat: 1.4, Own: 1.1, Level: 0.13, Fall: 12,
			MinSum: 40, MinMean: 0.38, MinWords: 75, MaxWords: 350, MinSource: 410, MinRatio: 2.6, Rare: 0.13,
			MaxCover: 0.8, MaxCovered: 85, MaxExact: 40, Most: 3, Unit: 980, Spread: 50,
		},
	}
}

// seedWords is the length of the n-grams that exact runs grow from.
const seedWords = 6

// bounded returns p with values that no step can work with moved to the
// nearest that it can.
func (p Params) bounded() Params {
	p.Radius = max(p.Radius, 0)
	p.Gap, p.SourceGap = max(p.Gap, 0), max(p.SourceGap, 0)
	p.Reach, p.Rounds, p.Snap = max(p.Reach, 0), max(p.Rounds, 0), max(p.Snap, 0)
	p.MaxPoints = min(max(p.MaxPoints, 0), 1000)
	p.Verbatim = max(p.Verbatim, seedWords)
	p.Summaries.Most = max(p.Summaries.Most, 0)
	return p
}

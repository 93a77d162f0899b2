package align

// Params are the settings of an alignment. Those of [DefaultParams] were tuned on the pairs of PAN
// 2013's training corpus with even suspect numbers, and checked on the odd ones and on Czech novels
// with planted copies. None is sharp: a quarter more or less of any one lowers plagdet over all by
// 0.006 at most in either half.
type Params struct {
	// Weight of words: ln(Frequent/f)/ln 1000 between 0 and 1, where f is the
	// share of the word among all words of the two texts.
	Frequent   float64 // share of the words from which on a word weighs nothing
	LeastWords int     // words that both texts together are taken to have at least

	// Points.
	MinWeight float64 // least weight of a word that makes a point alone
	Bend      float64 // the weight of a point is that of its words to this power
	PairValue float64 // value of a pair of words, against one word
	Damp      float64 // points of what occurs n and m times are divided by (n·m) to this power
	MaxPoints int     // what occurs n and m times makes no points if n·m is above this

	// Cores and clusters.
	Radius     int     // words around a point, on both sides, in which weights add up
	Density    float64 // least sum there that makes a core
	Gap        int     // words between cores of one cluster, in the suspect
	SourceGap  int     // the same in the source
	MinCluster float64 // least weight of all cores of a cluster

	// Bounds.
	Toll       float64 // share of its weight that an unmatched word costs, in the suspect
	SourceToll float64 // the same in the source
	Reach      int     // words that a bound may lie outside the cluster
	Rounds     int     // of bounding one side by the other

	// Splitting.
	SplitToll float64 // share of its weight that an unmatched word costs
	SplitFall float64 // fall of the running sum that separates two passages

	// Verification.
	MinShare float64 // least share of the weight that is matched, on the better side ...
	LowShare float64 // ... and where Mass is matched
	MinMass  float64 // least weight that is matched, on both sides
	Mass     float64 // weight that is much, on both sides
	MinPairs float64 // least evidence of matched pairs of near words, in the shortest texts: verify.go

	Second SecondParams // replace the limits of the same names for clusters of which nothing was verified
	Whole  WholeParams  // limits of clusters that are not bounded
	Widen  WidenParams  // which passages get second bounds

	// Exact runs.
	Verbatim  int     // least words of a run of equal words; MinWords if the suspect repeats it
	LongRun   int     // words from which on a run is long
	LongShare float64 // share of a cluster in long runs from which on runs replace it
	TileShare float64 // share of both sides from which on runs are one passage

	// Ends.
	Snap     int // words that an end may move to reach the end of a sentence
	MinWords int // least words of a passage on each side; exact runs may have Verbatim
	MinBoth  int // least words of both sides together; 0 for none

	Summary   bool // whether to look for summaries at all
	Summaries SummaryParams
}

// SecondParams are the settings of the second bounds; second.go says what they are for. If all
// are 0, there are none.
type SecondParams struct {
	Toll, SourceToll   float64
	MinShare, LowShare float64
	MinMass            float64
}

// WholeParams are the limits of clusters of which nothing was verified with second bounds either:
// they may be passages as they are. If all are 0, none is. The names are those of Params.
type WholeParams struct {
	MinShare, MinMass float64
	Contrast          float64 // least mass, against that of any other stretch of the source
	Longer            float64 // greatest length of the longer side, against that of the shorter one
}

// WidenParams say which passages get second bounds in place of the first. If all are 0, none does.
type WidenParams struct {
	Part     float64 // greatest length in the suspect, as a part of that of the cluster
	MaxShare float64 // greatest share of the weight that is matched, on the better side
	Mass     float64 // least weight that is matched more with second bounds
}

// SummaryParams are the settings of the summary pass; summary.go says what they
// mean together.
type SummaryParams struct {
	Hit       float64 // chance that a word of a summary is in its source
	Spread    float64 // a word with a share s of all words occurs with probability s·Spread ...
	Unit      float64 // ... in a text of this number of words
	Level     float64 // added to the mean value of the suspect before that is taken off
	Fall      float64 // fall of the running sum at which a stretch ends
	MinSum    float64 // least sum of a stretch
	MinMean   float64 // least sum for each of its words
	MinWords  int     // least words of a stretch
	MinSource int     // least words of the source
	MinRatio  float64 // least length of the source side against the stretch
	Explained int     // words from which on an ordinary candidate explains its part
	MinRest   float64 // minimum sum of the part that is not explained
	RestRuns  float64 // least share of the words outside exact runs that are in runs of three words
	MaxExact  int     // most words of a stretch in exact candidates
	Most      int     // stretches examined in a pair of texts
}

// DefaultParams returns the settings of the program.
func DefaultParams() Params {
	return Params{
		Frequent: 0.02, LeastWords: 1100,
		MinWeight: 0.2, Bend: 0.6, PairValue: 0.7, Damp: 0.85, MaxPoints: 80,
		Radius: 21, Density: 1.75, Gap: 95, SourceGap: 40, MinCluster: 9,
		Toll: 0.22, SourceToll: 0.15, Reach: 8, Rounds: 3,
		SplitToll: 0.5, SplitFall: 4,
		MinShare: 0.35, LowShare: 0.28, MinMass: 4.7, Mass: 9.4, MinPairs: 1.2,
		Second:   SecondParams{Toll: 0.154, SourceToll: 0.12, MinShare: 0.28, LowShare: 0.22, MinMass: 7},
		Whole:    WholeParams{MinShare: 0.22, MinMass: 5.5, Contrast: 2.5, Longer: 2},
		Widen:    WidenParams{Part: 0.85, MaxShare: 0.6, Mass: 1},
		Verbatim: 12, LongRun: 40, LongShare: 0.7, TileShare: 0.8,
		Snap: 5, MinWords: 15,
		Summary: true,
		Summaries: SummaryParams{
			Hit: 0.6, Spread: 50, Unit: 980, Level: 0.13, Fall: 10,
			MinSum: 40, MinMean: 0.34, MinWords: 75, MinSource: 300, MinRatio: 2.3,
			Explained: 40, MinRest: 12, RestRuns: 0.1, MaxExact: 48, Most: 3,
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

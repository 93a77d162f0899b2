package search

import (
	"math"
	"slices"

	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/search/align"
	"github.com/otisk/otisk/search/hint"
)

// A passage without a long run of equal words consists of single words in common. If the words are
// shared because of the subject or the kind of text, other documents share them, too. So the other
// documents that were examined are witnesses: the passage counts only if its source shares clearly
// more with it than they do. Otherwise it becomes a hint.
//
// What is compared are pairs of neighbouring words, as the index has them. A pair weighs
// ln((N+1)/d)/ln(N+1), where d of the N documents have it: 1 if it is in one document, and 0 if it
// is common. The value of a stretch of text is the sum of the weights of the different pairs that
// it has in common with the passage.
//
// In a short text alone, nothing shows which words are rare. So the less text there is besides the
// passage, the more is required: a higher value, and that other documents are on the subject at
// all, since a collection on other subjects shows nothing. The requirements fall continuously to
// none as the text besides the passage grows from littleText to muchText words, the last of them
// to half of that on a logarithmic scale.
//
// Much text on other subjects, such as the other answers in one file, shows nothing of the words of
// a subject. So whatever text there is, a passage needs twice the value of the third best document,
// and its equal words must be many, or the pairs that this document does not have. Few documents
// have hardly three on a subject: there, it is twice the value of the best or second best one.
//
// What long texts alone share may still be the formulas of a form or genre. So the pairs that a
// passage has in common with its source must be rare ones, and enough of them unless half of its
// words are equal.
//
// Texts on one subject share words in any order, and a copy keeps that of its source. Of n words in
// an order by chance, about twice the square root of n are in the same one. So a passage needs
// clearly more words than that in the same order, and a short one, of which two texts have many to
// meet by chance, not just a few; or it needs many rare pairs: few documents show little of what is
// rare, so there the order decides.
//
// The constants were chosen on answers of pupils to one question, abstracts written independently,
// and rewritten short texts, alone and with other text in the same file, and checked on PAN 2013: bench/innocent.
const (
	littleText, muchText = 150, 600 // words of both texts besides the passage

	witnessRank      = 5    // the value of the witness with this rank is compared ...
	witnessRankShort = 3    // ... and with this one if there is little text
	witnessTimes     = 2.0  // how many times that value a passage must have ...
	witnessMore      = 0.5  // ... and how much more if there is little text
	witnessFloor     = 1500 // a lower value is chance, in thousandths, unless it is about that of the passage
	shortValue       = 8000 // least value of a passage if there is little text, in thousandths
	shortDensity     = 60   // the same for each word
	knownDensity     = 15   // least value of the witness for each word: the collection knows the subject

	documentsPerRank = 10 // a passage must have twice the value of the best of so many documents, of the second best of twice as many, then of the third

	equalValue = 150  // value of an equal word of a passage, in thousandths
	knownTimes = 3    // how many times the value of the third best document is left out of that of a passage ...
	leastLeft  = 3000 // ... and the least value that is left, with that of the equal words

	leastRarity   = 0.65 // least mean weight of the pairs that a passage has in common with its source: less is the wording of a form or genre
	leastEvidence = 3    // least sum of ln(documents/those that have it) of these pairs, unless half of the words are equal: less is chance
	leastOrder    = 2.6  // least words in the same order, against the square root of the words of a passage ...
	shortOrder    = 26   // ... and at least this many, or as many as the passage has words ...
	orderEvidence = 20   // ... or least evidence
	fewTexts      = 20   // documents that a smaller collection counts as: it does not show what is rare
	textWords     = 2000 // words of a document from which it counts as several: a novel has many common pairs

	sameShare   = 0.5 // share of the pairs of a document from which another one is a copy or version of it
	sameStretch = 0.8 // the same of the stretch of the source
	sameTimes   = 1.5 // how many times as much of that stretch as the suspect a copy must have

	aboutShare = 0.8 // share of the value of a passage that is about as much

	// A passage is nearly word for word if at least nearlyWords words and nearlyShare of the longer side
	// are in runs of nearlyRun words and more, and the product of both is at least nearlyBoth.
	nearlyShare, nearlyRun, nearlyWords, nearlyBoth = 0.45, 3, 20, 15

	blockGap    = 20 // words of one side that long runs of one block have less of between them
	besideWords = 8  // words of one side, besides blocks, from which these are judged by themselves
)

// Reasons why similar wording is a hint and not a passage.
const (
	ReasonShared  = "shared"  // other documents share about as much, or it is too little or in another order
	ReasonUnknown = "unknown" // the texts are short, and too few documents are on their subject to judge
	ReasonList    = "list"    // the place is in a bibliography, a table of contents, a declaration, on a title page, or no prose
)

// isWeak reports whether a passage consists of single words or short runs in common, so that it
// needs a witness.
func isWeak(p *found) bool {
	return p.Kind != KindExact && p.Run < align.DefaultParams().Verbatim
}

// isDoubtful reports whether witnesses judge a passage: it is weak, or would be without its long runs of equal words. A
// declaration that two texts have in common shows nothing of the rest.
func isDoubtful(p *found) bool {
	if isWeak(p) {
		return true
	}
	if p.origin == nil {
		return false
	}
	ours, theirs := p.besideBlocks()
	long := func(s stretch) bool { return s.len() >= besideWords }
	return slices.ContainsFunc(ours, long) || slices.ContainsFunc(theirs, long)
}

// A block is long runs of equal words with little between them, on both sides.
type block struct{ ours, theirs stretch }

// blocks returns the blocks of a passage, by place in the suspect. They need no witness.
func (p *found) blocks() (list []block) {
	for _, r := range p.runs {
		if r.Len < align.DefaultParams().Verbatim {
			continue
		}
		b := block{stretch{r.Suspect, r.Suspect + r.Len}, stretch{r.Source, r.Source + r.Len}}
		if n := len(list); n > 0 {
			last := &list[n-1]
			if gap := b.theirs.from - last.theirs.to; gap >= 0 && max(gap, b.ours.from-last.ours.to) < blockGap {
				last.ours.to, last.theirs.to = b.ours.to, b.theirs.to
				continue
			}
		}
		list = append(list, b)
	}
	return list
}

// besideBlocks returns the stretches of a passage that are not in its blocks, of both sides.
func (p *found) besideBlocks() (ours, theirs []stretch) {
	var a, b []stretch
	for _, x := range p.blocks() {
		a, b = append(a, x.ours), append(b, x.theirs)
	}
	return stretch{p.from, p.to}.besides(a), stretch{p.originFrom, p.originTo}.besides(b)
}

// besides returns what is left of s without some stretches of it. Their order changes.
func (s stretch) besides(others []stretch) (left []stretch) {
	slices.SortFunc(others, func(a, b stretch) int { return a.from - b.from })
	for _, o := range others {
		if to := min(o.from, s.to); to > s.from {
			left = append(left, stretch{s.from, to})
		}
		s.from = max(s.from, o.to)
	}
	if s.from < s.to {
		left = append(left, s)
	}
	return left
}

// total returns the number of words of some stretches.
func total(list []stretch) (words int) {
	return lists.Sum(list, func(s stretch) int { return s.len() })
}

// equalBesides returns how many words of a passage are in runs of at least this many equal words besides its blocks, and how many words
// the longer side has there.
func (p *found) equalBesides(run int) (equal, words int) {
	ours, theirs := p.besideBlocks()
	for _, r := range p.runs {
		if r.Len >= run && slices.ContainsFunc(ours, func(s stretch) bool { return r.Suspect >= s.from && r.Suspect < s.to }) {
			equal += r.Len
		}
	}
	return equal, max(total(ours), total(theirs))
}

// nearlyEqual reports whether a passage is nearly word for word, without its blocks: the two texts show that by themselves.
func nearlyEqual(p *found) bool {
	equal, words := p.equalBesides(nearlyRun)
	share := float64(equal) / float64(words)
	return equal >= nearlyWords && share >= nearlyShare && share*float64(equal) >= nearlyBoth
}

// mask reports for each word of a passage whether it is in some stretches of it.
func (p *found) mask(in []stretch) []bool {
	list := make([]bool, p.to-p.from)
	for _, s := range in {
		for i := s.from; i < s.to; i++ {
			list[i-p.from] = true
		}
	}
	return list
}

// separated returns the blocks of a passage as passages of their own, and what is besides them.
func (src *source) separated(p *found) (blocks, others []found) {
	var taken []stretch
	for _, b := range p.blocks() {
		taken = append(taken, b.ours)
		first := b.theirs.from - p.originFrom
		shared := align.Between(src.in.suspect.numbers().list[b.ours.from:b.ours.to], p.origin.numbers[first:first+b.theirs.len()])
		blocks = append(blocks, src.in.part(p, shared, b.ours.from, first))
	}
	if blocks == nil {
		return nil, []found{*p}
	}
	return blocks, src.remainder(p, p.mask(taken))
}

// A verdict is what the witnesses say of a passage.
type verdict struct {
	holds    bool
	reason   string // why it does not hold
	value    int    // of the passage, in thousandths
	level    int    // of the witness that it is compared with
	equalers int    // documents that share about as much
}

// hearWitnesses judges the doubtful passages of all sources, whose own fields are set. Those that do not hold become hints.
func (s *Searcher) hearWitnesses(sus *suspect, sources []*source) {
	if s.opts.Exact {
		return
	}
	for _, src := range sources {
		src.passages = sus.apartFromLists(src, slices.DeleteFunc(src.passages, sus.isNumbers))
	}
	weak := slices.ContainsFunc(sources, func(src *source) bool {
		return src.whole != nil || slices.ContainsFunc(src.passages, func(p found) bool { return isDoubtful(&p) })
	})
	if !weak {
		return
	}
	c := s.newCourt(sus, sources)
	verdicts := make([][]verdict, len(sources)) // all are judged before any passage is removed
	for i, src := range sources {
		for k := range src.passages {
			v := verdict{holds: true}
			if p := &src.passages[k]; isDoubtful(p) && src.own == "" {
				v = c.judge(i, p)
			}
			verdicts[i] = append(verdicts[i], v)
		}
	}
	for i, src := range sources {
		var kept []found
		for k, p := range src.passages {
			v := verdicts[i][k]
			p.Witnesses = v.equalers
			if v.holds {
				kept = append(kept, p)
				continue
			}
			blocks, others := src.separated(&p)
			kept = append(kept, blocks...)
			sus.unproven++
			if len(s.opts.Hints) > 0 {
				for i := range others {
					src.hints = append(src.hints, sus.similar(&others[i], v))
				}
			}
		}
		src.passages = kept
	}
	if slices.ContainsFunc(sources, func(src *source) bool { return src.whole != nil }) {
		c.chooseWhole()
	}
}

// similar returns a passage that does not hold as a hint.
func (s *suspect) similar(p *found, v verdict) hinted {
	out := hinted{from: p.from, to: p.to, Hint: Hint{
		Kind: hint.KindSimilar, Strength: hint.Weak, Figure: thousandths(v.value), Level: thousandths(v.level), Reason: v.reason, Witnesses: v.equalers,
		Suspect: p.Suspect, Origin: p.Origin, Word: p.from, Words: p.to - p.from, OriginWords: p.originTo - p.originFrom,
	}}
	for _, r := range p.Equal {
		out.Links = append(out.Links, HintLink{Kind: hint.LinkEqual, Suspect: r.Suspect, Origin: r.Origin})
	}
	out.Page, out.LastPage = s.pages(out.Suspect)
	return out
}

// thousandths returns a number of thousandths, rounded to hundredths.
func thousandths(n int) float64 { return math.Round(float64(n)/10) / 100 }

// unprovenNote returns the note on passages that did not hold, if hints do not show them.
func unprovenNote(n int) *phrase.Phrase {
	return phrase.Counted("said.unproven", "{n} stretch shares single words with a source, which does not show a copy, and hints are off", "{n} stretches share single words with sources, which does not show a copy, and hints are off", n)
}

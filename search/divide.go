package search

import (
	"slices"
	"unicode/utf8"

	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/search/align"
)

// Limits of cuts. Values of words are those of valueOf.
const (
	cutFall     = 4.0  // least value by which one of two sources explains a stretch better
	cutMean     = 0.45 // least mean value of a stretch that a source explains word for word
	cutTimes    = 2.0  // how many times the value is that of the passage that is cut
	cutOthers   = 50   // most sources that one passage is compared with
	unexplained = 0.2  // by which a passage is the better one for words that both sources explain as well
	partWords   = 6    // least words of a part that remains
	partValue   = 4.0  // least value of its words
	spareWord   = 0.05 // value that an unmatched word of the source costs

	coreRun    = 7   // least longest run of a passage that may have a stretch that is nearly word for word
	coreMean   = 0.4 // mean value above which words are in such a stretch ...
	coreFall   = 4.0 // ... and by how much their values exceed that together
	looseWords = 60  // least words around such stretches that are cut off
	looseMean  = 0.3 // greatest mean value of these
)

// valueOf returns how far a run of equal words explains each of them: single words are equal by chance.
func valueOf(run int) float64 {
	switch run {
	case 1:
		return .3
	case 2:
		return .8
	}
	return 1
}

// An origin has the data of a source that are needed to cut a passage.
type origin struct {
	text    string
	numbers []int32    // by word: its number in the suspect, -1 for none
	bytes   [][2]int32 // by word: its place in text
}

// originOf returns the source's side of a passage.
func (s *suspect) originOf(p *align.Passage, part *textPart) *origin {
	first := int(part.before.Word)
	words := part.words[p.Source.From-first : p.Source.To-first]
	o := &origin{
		text: string([]byte(part.text[p.Source.Start:p.Source.End])), numbers: make([]int32, len(words)), bytes: make([][2]int32, len(words)),
	}
	numbers := s.numbers().byWord
	for i, w := range words {
		o.numbers[i] = -1
		if n, ok := numbers[w.Text]; ok {
			o.numbers[i] = n
		}
		o.bytes[i] = [2]int32{int32(w.Start - p.Source.Start), int32(w.End - p.Source.Start)}
	}
	return o
}

// wordNumbers are the numbers of different words, and the number of each word of a text.
type wordNumbers struct {
	byWord map[string]int32
	list   []int32
}

// numbersOf numbers the words of a text.
func numbersOf(words []normalize.Word) wordNumbers {
	n := wordNumbers{map[string]int32{}, make([]int32, len(words))}
	for i, w := range words {
		number, ok := n.byWord[w.Text]
		if !ok {
			number = int32(len(n.byWord))
			n.byWord[w.Text] = number
		}
		n.list[i] = number
	}
	return n
}

// divide cuts passages where another source explains a stretch word for word, and the passage does not. Otherwise, in a text
// woven from several sources, the passages of each would have sentences of the others. The own fields of sources are set.
func (s *Searcher) divide(sus *suspect, sources []*source) {
	own := s.texts(sources)
	others := lists.Filter(sources, func(src *source) bool { return !own[src.doc] && len(src.passages) > 0 })
	divided := make([][]found, len(others))
	for i, src := range others {
		for k := range src.passages {
			p := &src.passages[k]
			cut := p.cuts(src, others)
			if cut == nil {
				cut = p.loose(sus, src)
			}
			if cut != nil {
				divided[i] = append(divided[i], src.remainder(p, cut)...)
			} else {
				divided[i] = append(divided[i], *p)
			}
		}
	}
	for i, src := range others {
		src.passages = divided[i]
	}
}

// equalRuns returns the runs of equal words of a passage.
func (p *found) equalRuns() []align.Run {
	if p.runs == nil {
		return []align.Run{{Suspect: p.from, Len: p.to - p.from}}
	}
	return p.runs
}

// addValues raises the values of words of the suspect from one on to those that a passage gives them.
func (p *found) addValues(values []float64, from int) {
	for _, r := range p.equalRuns() {
		for k := max(r.Suspect, from); k < min(r.Suspect+r.Len, from+len(values)); k++ {
			values[k-from] = max(values[k-from], valueOf(r.Len))
		}
	}
}

// cuts reports for each word of a passage whether another source explains it instead, nil if there is none. The passage
// must explain some stretch better: a source that has all of a passage cuts nothing out of it.
func (p *found) cuts(src *source, others []*source) (cut []bool) {
	if p.origin == nil {
		return nil
	}
	mine := make([]float64, p.to-p.from)
	p.addValues(mine, p.from)
	theirs, more := make([]float64, len(mine)), make([]float64, len(mine))
	compared := 0
	for _, o := range others {
		if o == src || !o.valuesIn(p, theirs) {
			continue
		}
		if compared++; compared > cutOthers {
			break
		}
		for i := range more {
			if more[i] = theirs[i] - mine[i]; more[i] == 0 {
				more[i] = -unexplained
			}
		}
		stretches := align.Rises(more, cutFall)
		if !remains(theirs, mine, stretches) {
			continue
		}
		for _, x := range stretches {
			value := sum(theirs[x[0]:x[1]])
			if value < cutMean*float64(x[1]-x[0]) || value < cutTimes*sum(mine[x[0]:x[1]]) {
				continue
			}
			if cut == nil {
				cut = make([]bool, len(mine))
			}
			for i := x[0]; i < x[1]; i++ {
				cut[i] = true
			}
		}
	}
	return cut
}

// loose reports for each word of a weak passage whether it is outside of the stretches that are nearly word for word, nil if
// the passage keeps them all. If there is little text besides the passage, single words in common around such a stretch are no
// evidence of their own: they are cut off where they are many and share little.
func (p *found) loose(sus *suspect, src *source) (cut []bool) {
	if p.origin == nil || !isWeak(p) || p.Run < coreRun || littleBesides(sus, src, p) == 0 {
		return nil
	}
	values := make([]float64, p.to-p.from)
	p.addValues(values, p.from)
	more := lists.Map(values, func(v float64) float64 { return v - coreMean })
	cut = slices.Repeat([]bool{true}, len(values))
	rest, words := sum(values), len(values)
	for _, x := range align.Rises(more, coreFall) {
		rest, words = rest-sum(values[x[0]:x[1]]), words-(x[1]-x[0])
		clear(cut[x[0]:x[1]])
	}
	if words == len(values) || words < looseWords || rest > looseMean*float64(words) {
		return nil
	}
	return cut
}

// valuesIn sets the values that the passages of a source give to the words of a passage, and reports whether they may be enough.
func (src *source) valuesIn(p *found, values []float64) bool {
	clear(values)
	for i := range src.passages {
		if q := &src.passages[i]; q.Kind != KindSummary && q.from < p.to && p.from < q.to {
			q.addValues(values, p.from)
		}
	}
	return sum(values) >= cutFall
}

// remains reports whether a passage is the better one between these stretches, before the first or after the last.
func remains(theirs, mine []float64, stretches [][2]int) bool {
	at := 0
	for _, x := range append(stretches[:len(stretches):len(stretches)], [2]int{len(mine), len(mine)}) {
		if sum(mine[at:x[0]])-sum(theirs[at:x[0]]) >= cutFall {
			return true
		}
		at = x[1]
	}
	return false
}

func sum(values []float64) (total float64) {
	return lists.Sum(values, func(v float64) float64 { return v })
}

// remainder returns the parts of a passage that are not cut.
func (src *source) remainder(p *found, cut []bool) (list []found) {
	for from := 0; from < len(cut); from++ {
		to := from
		for to < len(cut) && !cut[to] {
			to++
		}
		if part, ok := src.part(p, p.from+from, p.from+to); ok {
			list = append(list, part)
		}
		from = to
	}
	return list
}

// part returns words [from, to) of the suspect as a passage of their own. It is not ok if these share too little.
func (src *source) part(p *found, from, to int) (found, bool) {
	if to-from < partWords {
		return found{}, false
	}
	first, last := p.sourceSide(from, to)
	if first == last {
		return found{}, false
	}
	shared := align.Between(src.in.suspect.numbers().list[from:to], p.origin.numbers[first:last])
	value := lists.Sum(shared.Equal, func(r align.Run) float64 { return float64(r.Len) * valueOf(r.Len) })
	if value < partValue {
		return found{}, false
	}
	return src.in.part(p, shared, from, first), true
}

// sourceSide returns the words of the source's side, from the first word of that on, that words [from, to) of the suspect are from:
// words that the other parts of the passage match cost what these gain.
func (p *found) sourceSide(from, to int) (first, last int) {
	values := make([]float64, len(p.origin.numbers))
	for i := range values {
		values[i] = -spareWord
	}
	for _, r := range p.runs {
		for k := range r.Len {
			value := valueOf(r.Len)
			if at := r.Suspect + k; at < from || at >= to {
				value = -value
			}
			values[r.Source-p.originFrom+k] = value
		}
	}
	best, total, start := 0.0, 0.0, 0
	for i, v := range values {
		if total <= 0 {
			total, start = 0, i
		}
		if total += v; total > best {
			best, first, last = total, start, i+1
		}
	}
	return first, last
}

// part returns a part of a passage as reports have it. Its counts are given; its first words are from of the suspect, and first
// of the source's side.
func (s *shared) part(p *found, counted align.Passage, from, first int) found {
	before := p.originFrom + first
	counted.Move(from, before)
	o, to := p.origin, from+counted.Words
	out := found{from: from, to: to, originFrom: before, originTo: before + counted.SourceWords, runs: counted.Equal, origin: o.part(first, first+counted.SourceWords), Passage: Passage{
		Kind: p.Kind, Grade: counted.Grade.String(), Suspect: s.suspect.place(from, to),
		Origin: o.span(p.Origin, first, first+counted.SourceWords),
		Words:  counted.Words, OriginWords: counted.SourceWords, Matched: counted.Matched, Run: counted.Run, Gaps: counted.Gaps,
		Common: s.commonShare(s.in(from, to)), Equal: make([]Run, 0, len(counted.Equal)),
	}}
	for _, r := range counted.Equal {
		at := r.Source - p.originFrom
		out.Equal = append(out.Equal, Run{
			Suspect: bytesOf(s.suspect.words, r.Suspect, r.Len, 0),
			Origin:  [2]int{p.Origin.Start + int(o.bytes[at][0]), p.Origin.Start + int(o.bytes[at+r.Len-1][1])}, Words: r.Len,
		})
	}
	return out
}

// part returns the data of words [from, to).
func (o *origin) part(from, to int) *origin {
	start, end := o.bytes[from][0], o.bytes[to-1][1]
	part := &origin{text: o.text[start:end], numbers: o.numbers[from:to], bytes: slices.Clone(o.bytes[from:to])}
	for i := range part.bytes {
		part.bytes[i][0] -= start
		part.bytes[i][1] -= start
	}
	return part
}

// span returns the place of words [from, to) of a source's side, which has this place itself.
func (o *origin) span(at Span, from, to int) Span {
	start, end := int(o.bytes[from][0]), int(o.bytes[to-1][1])
	runes := at.RuneStart + utf8.RuneCountInString(o.text[:start])
	return Span{
		Start: at.Start + start, End: at.Start + end, RuneStart: runes, RuneEnd: runes + utf8.RuneCountInString(o.text[start:end]),
	}
}

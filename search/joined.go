package search

import "github.com/otisk/otisk/search/join"

// A Joined passage is one for a reader, although the search found it in parts: passages of one source
// that follow each other in both texts, with few words between them. Only its parts count; the words between
// them are shown.
type Joined struct {
	Source      int   `json:"source"` // index in Result.Sources
	Parts       []int `json:"parts"`  // numbers of its passages, at least two, by place
	Suspect     Span  `json:"suspect"`
	Origin      Span  `json:"origin"`
	Words       int   `json:"words"`        // sum over the parts, on the side of the suspect
	OriginWords int   `json:"origin_words"` // likewise, on the side of the source
	Between     int   `json:"between"`      // words of the suspect between the parts, which do not count
	Matched     int   `json:"matched"`      // words matched one to one
	Run         int   `json:"run"`          // longest run of equal words in a part
	Counted     int   `json:"counted"`      // words for which the parts are the best passages
}

// joinAll sets Result.Joined. list are the passages of the result, in their order.
func (r *Result) joinAll(list []found) {
	places := make([]join.Passage, len(list))
	for i, p := range list {
		places[i] = join.Passage{Source: p.Source, From: p.from, To: p.to, OriginFrom: p.originFrom, OriginTo: p.originTo}
		if p.Origin.End == 0 { // it has no place in the source
			places[i].Source = -1 - i
		}
	}
	for _, chain := range join.Chains(places) {
		first, last := &r.Passages[chain[0]], &r.Passages[chain[len(chain)-1]]
		j := Joined{Source: first.Source, Suspect: first.Suspect.to(last.Suspect), Origin: first.Origin.to(last.Origin)}
		for _, i := range chain {
			p := &r.Passages[i]
			j.Parts = append(j.Parts, p.Number)
			j.Words, j.OriginWords, j.Matched, j.Counted = j.Words+p.Words, j.OriginWords+p.OriginWords, j.Matched+p.Matched, j.Counted+p.Counted
			j.Run = max(j.Run, p.Run)
		}
		j.Between = last.Word + last.Words - first.Word - j.Words
		r.Joined = append(r.Joined, j)
	}
}

// to returns the place from the start of s to the end of o.
func (s Span) to(o Span) Span {
	return Span{Start: s.Start, End: o.End, RuneStart: s.RuneStart, RuneEnd: o.RuneEnd}
}

// Whole returns the passages as a reader counts them, by place: each joined passage once, and each other passage as one with a single
// part.
func (r *Result) Whole() []Joined {
	leads := make(map[int]*Joined) // by the number of the first part; nil for other parts
	for i := range r.Joined {
		for k, number := range r.Joined[i].Parts {
			leads[number] = nil
			if k == 0 {
				leads[number] = &r.Joined[i]
			}
		}
	}
	var list []Joined
	for _, p := range r.Passages {
		switch j, part := leads[p.Number]; {
		case !part:
			list = append(list, Joined{Source: p.Source, Parts: []int{p.Number}, Suspect: p.Suspect, Origin: p.Origin, Words: p.Words,
				OriginWords: p.OriginWords, Matched: p.Matched, Run: p.Run, Counted: p.Counted})
		case j != nil:
			list = append(list, *j)
		}
	}
	return list
}

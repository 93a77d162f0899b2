package search

// A placed run is an exact run with its place in both texts.
type placed struct {
	run
	suspect, origin Span // origin is zero where the source's text is missing
	words           int
}

// placed returns r with its place in the suspect.
func (s *shared) placed(r run, origin Span) placed {
	from := int(s.list[r.gram].word)
	words := s.runWords(r.k)
	return placed{run: r, suspect: s.place(from, from+words), origin: origin, words: words}
}

// A found passage also knows its words in the suspect.
type found struct {
	Passage
	from, to int // words of the suspect [from, to)
}

// exactPassages returns the runs of a source as passages.
func (s *shared) exactPassages(src *source) []found {
	var list []found
	for _, r := range src.runs {
		from := int(s.list[r.gram].word)
		list = append(list, found{from: from, to: from + r.words, Passage: Passage{
			Kind: KindExact, Grade: Verbatim, Suspect: r.suspect, Origin: r.origin,
			Word: from, Words: r.words, OriginWords: r.words, Matched: r.words, Run: r.words,
			Common: s.commonShare(r.gram, r.end()),
			Equal:  []Run{{Suspect: [2]int{r.suspect.Start, r.suspect.End}, Origin: [2]int{r.origin.Start, r.origin.End}, Words: r.words}},
		}})
	}
	return list
}

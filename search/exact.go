package search

import "github.com/otisk/otisk/search/align"

// A placed run is an exact run with its place in both texts.
type placed struct {
	run
	suspect, origin Span // origin is zero where the source's text is missing
	words           int
	word            int // its first word in the source, if that has a text
}

// placed returns l with its place in the suspect. The span of l is zero if the text of the source is missing.
func (s *shared) placed(l located) placed {
	from := int(s.list[l.gram].word)
	words := s.runWords(l.k)
	return placed{run: l.run, suspect: s.suspect.place(from, from+words), origin: l.span, words: words, word: l.word}
}

// A found passage with its words in both texts.
type found struct {
	Passage
	from, to             int // words of the suspect [from, to)
	originFrom, originTo int // words of the source

	runs   []align.Run // of equal words; nil if all are
	origin *origin     // nil if the passage cannot be cut
}

// exactPassages returns the runs of a source as passages.
func (s *shared) exactPassages(src *source) []found {
	var list []found
	for _, r := range src.runs {
		from := int(s.list[r.gram].word)
		list = append(list, found{from: from, to: from + r.words, originFrom: r.word, originTo: r.word + r.words, Passage: Passage{
			Kind: KindExact, Grade: Verbatim, Suspect: r.suspect, Origin: r.origin,
			Word: from, Words: r.words, OriginWords: r.words, Matched: r.words, Run: r.words,
			Common: s.commonShare(r.gram, r.end()),
			Equal:  []Run{{Suspect: [2]int{r.suspect.Start, r.suspect.End}, Origin: [2]int{r.origin.Start, r.origin.End}, Words: r.words}},
		}})
	}
	return list
}

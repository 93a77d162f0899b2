package search

import (
	"maps"

	"github.com/otisk/otisk/store"
)

// Corrections list the runs of hashes that the texts of sources refute. A search that finds new
// corrections is repeated with them.
type corrections struct {
	wrong   map[falseMatch]bool
	borders borders
}

// A falseMatch is a place where the index has the hash of an n-gram of the
// suspect and the text has other words.
type falseMatch struct {
	gram store.Hash
	at   store.Posting
}

// A borders set holds positions of n-grams that start a paragraph of a source.
// The positions of its last n-gram and of the next one are consecutive, but
// their words are not, so no run continues there. Such a run is so rare that it is
// only detected when its words are compared.
type borders map[store.Posting]bool

func newCorrections() corrections { return corrections{map[falseMatch]bool{}, borders{}} }

// refute notes that the text of a document has none of the n-grams of a run: all of
// them at once, since each search that learns something is done again.
func (c corrections) refute(s *shared, doc store.DocID, r run) {
	for i := range r.k {
		c.wrong[falseMatch{s.list[r.gram+i].hash, store.Posting{Doc: doc, Pos: r.pos + uint32(i)}}] = true
	}
}

// learn adds corrections, and reports whether any is new.
func (c corrections) learn(sources []*source) bool {
	before := len(c.wrong) + len(c.borders)
	for _, src := range sources {
		maps.Copy(c.wrong, src.known.wrong)
		maps.Copy(c.borders, src.known.borders)
	}
	return len(c.wrong)+len(c.borders) > before
}

// between reports whether a paragraph of doc starts in (from, to].
func (b borders) between(doc store.DocID, from, to uint32) bool {
	if len(b) == 0 {
		return false
	}
	for pos := from + 1; pos <= to; pos++ {
		if b[store.Posting{Doc: doc, Pos: pos}] {
			return true
		}
	}
	return false
}

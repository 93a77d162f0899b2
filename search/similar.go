package search

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"

	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/search/hint"
	"github.com/otisk/otisk/store"
)

// Limits of the list of similar documents.
const (
	mostSimilar  = 10 // documents in the list
	mostCompared = 20 // documents that the suspect is compared with: those that share most with it
	mostShort    = 50 // those that a short suspect is compared with
	leastCosine  = 0.1

	mostWords = 1600 // words of a document that is read only for the list
)

// comparable returns documents that share any pair of words with a short suspect, those with the highest sums of weights first. A
// rewriting of a short text may leave no more of it than a pair that several documents have.
func (s *Searcher) comparable(ctx context.Context, sus *suspect) ([]store.DocID, error) {
	if s.pairs == 0 || s.opts.Exact || s.opts.AlignAll || s.documents() == 1 || sus.different() > shortText {
		return nil, nil
	}
	pairs := lists.Map(sus.pairs().sites, func(x store.PairSite) store.Hash { return x.Pair })
	slices.Sort(pairs)
	sums := map[store.DocID]int{} // in thousandths, so that the order of the hits has no effect
	err := s.reader.LookupPairs(ctx, slices.Compact(pairs), store.Limits{Docs: leastCap, Positions: 1}, func(h store.Hit) error {
		if h.Common {
			return nil
		}
		weight := int(1000 * math.Log((s.documents()+1)/float64(store.CountDocuments(h.Postings))))
		for _, p := range h.Postings {
			if !s.skipped(p.Doc) {
				sums[p.Doc] += weight
			}
		}
		return nil
	})
	return slices.SortedFunc(maps.Keys(sums), func(a, b store.DocID) int {
		return cmp.Or(cmp.Compare(sums[b], sums[a]), cmp.Compare(a, b))
	}), err
}

// withComparable returns a list with comparable documents as candidates that are only compared, as long as there are fewer than mostShort.
func (s *Searcher) withComparable(list []candidate, found answers, docs []store.DocID) []candidate {
	known := map[store.DocID]bool{}
	for _, c := range list {
		known[c.doc] = true
	}
	for _, doc := range docs {
		if len(list) >= mostShort {
			break
		}
		if !known[doc] {
			list = append(list, candidate{tally: &tally{doc: doc}, in: found[0], onlyCompared: true})
		}
	}
	return list
}

// A Similar document has many words of the suspect, wherever they are. The list of these is not part of
// the score: two texts on one subject are similar, too.
type Similar struct {
	ID      string  `json:"id"`   // store.DocID
	Name    string  `json:"name"` // as that of a [Source]
	Title   string  `json:"title,omitempty"`
	Author  string  `json:"author,omitempty"`
	Year    int     `json:"year,omitempty"`
	Address string  `json:"address,omitempty"`
	Cosine  float64 `json:"cosine"` // of both texts, 0 to 1
}

// similar returns the documents whose texts are most similar to the suspect, the most similar first, by the cosines of
// package hint. Of a long document, only the parts that were read are compared.
func similar(sus *suspect, sources []*source) []Similar {
	var compared []*source
	var bags []*hint.Bag
	for _, src := range sources {
		if src.bag != nil {
			compared, bags = append(compared, src), append(bags, src.bag)
		}
	}
	type ranked struct {
		Similar
		exact float64
	}
	var all []ranked
	for i, cosine := range hint.Cosines(hint.BagOf(sus.words), bags) {
		if src := compared[i]; src.own != OwnFile && hundredthsOf(cosine) >= leastCosine {
			says := src.entry.Description()
			all = append(all, ranked{Similar{ID: src.entry.ID.String(), Name: src.entry.Name(), Title: says.Title, Author: says.Author, Year: says.Year, Address: says.Address, Cosine: hundredthsOf(cosine)}, cosine})
		}
	}
	slices.SortFunc(all, func(a, b ranked) int { return cmp.Or(cmp.Compare(b.exact, a.exact), cmp.Compare(a.Name, b.Name)) })
	list := []Similar{}
	for _, x := range all[:min(len(all), mostSimilar)] {
		list = append(list, x.Similar)
	}
	return list
}

// hundredthsOf rounds a number to hundredths.
func hundredthsOf(x float64) float64 { return math.Round(100*x) / 100 }

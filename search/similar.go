package search

import (
	"cmp"
	"math"
	"slices"

	"github.com/otisk/otisk/search/hint"
)

// Limits of the list of similar documents.
const (
	mostSimilar  = 10 // documents in the list
	mostCompared = 50 // documents that the suspect is compared with: those that share most with it
	leastCosine  = 0.1
)

// A Similar document has many words of the suspect, wherever they are. The list of these is no part of
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

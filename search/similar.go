package search

import (
	"cmp"
	"math"
	"slices"

	"github.com/otisk/otisk/fingerprint"
	"github.com/otisk/otisk/normalize"
)

// Limits of the list of similar documents.
const (
	mostSimilar  = 10 // documents in the list
	mostCompared = 50 // documents that the suspect is compared with: those that share most with it
	leastCosine  = 0.1
	termLetters  = 6 // of a word; shorter words than leastLetters are no terms
	leastLetters = 3
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

// Terms are the words of a text by the hashes of their first letters, in order of their first occurrence, with their numbers.
type terms struct {
	at     map[uint64]int32 // index of a term
	hashes []uint64
	counts []int
}

// add adds words.
func (t *terms) add(words []normalize.Word) {
	if t.at == nil {
		t.at = make(map[uint64]int32, len(words)/2)
	}
	for _, w := range words {
		letters, end := 0, len(w.Text)
		for i := range w.Text {
			if letters == termLetters {
				end = i
				break
			}
			letters++
		}
		if letters < leastLetters {
			continue
		}
		hash := fingerprint.Sum64([]byte(w.Text[:end]))
		at, ok := t.at[hash]
		if !ok {
			at = int32(len(t.hashes))
			t.at[hash] = at
			t.hashes, t.counts = append(t.hashes, hash), append(t.counts, 0)
		}
		t.counts[at]++
	}
}

// similar returns the documents whose texts are most similar to the suspect, the most similar first, by the cosine
// of vectors of terms with weights (1 + ln tf) · ln(1 + N/df), where df of the N texts compared have the term (Salton
// and Buckley 1988). Of a long document, only the parts that were read are compared.
func similar(sus *suspect, sources []*source) []Similar {
	list := []Similar{}
	df, all := map[uint64]int{}, 1
	mine := &terms{}
	mine.add(sus.words)
	for _, term := range mine.hashes {
		df[term]++
	}
	for _, src := range sources {
		if src.terms == nil {
			continue
		}
		all++
		for _, term := range src.terms.hashes {
			df[term]++
		}
	}
	if all == 1 {
		return list
	}
	byCount := make([]float64, all+1) // the squares of ln(1 + N/df)
	for d := 1; d <= all; d++ {
		idf := math.Log(1 + float64(all)/float64(d))
		byCount[d] = idf * idf
	}
	norm := mine.norm(df, byCount)
	for _, src := range sources {
		if src.terms == nil || src.own == OwnFile {
			continue
		}
		product := 0.0
		for k, term := range src.terms.hashes {
			if at, ok := mine.at[term]; ok {
				product += frequency(src.terms.counts[k]) * frequency(mine.counts[at]) * byCount[df[term]]
			}
		}
		cosine := hundredthsOf(product / (norm * src.terms.norm(df, byCount)))
		if cosine >= leastCosine {
			says := src.entry.Description()
			list = append(list, Similar{ID: src.entry.ID.String(), Name: src.entry.Name(), Title: says.Title, Author: says.Author, Year: says.Year, Address: says.Address, Cosine: cosine})
		}
	}
	slices.SortFunc(list, func(a, b Similar) int { return cmp.Or(cmp.Compare(b.Cosine, a.Cosine), cmp.Compare(a.Name, b.Name)) })
	return list[:min(len(list), mostSimilar)]
}

// norm returns the length of the vector of a text.
func (t *terms) norm(df map[uint64]int, squares []float64) float64 {
	sum := 0.0
	for k, term := range t.hashes {
		f := frequency(t.counts[k])
		sum += f * f * squares[df[term]]
	}
	return math.Sqrt(sum)
}

// frequency returns 1 + ln n.
func frequency(n int) float64 { return 1 + math.Log(float64(n)) }

// hundredthsOf rounds a number to hundredths.
func hundredthsOf(x float64) float64 { return math.Round(100*x) / 100 }

package search

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/otisk/otisk/fingerprint"
	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/store"
)

// A sighting is a pair of words at a word of a source: the lower bits of its hash.
type sighting struct {
	word int32
	pair uint32
}

// sightings returns the pairs of the words of a body.
func (b *body) sightings() []sighting {
	list := make([]sighting, 0, b.words()/2)
	for _, part := range b.parts {
		var p fingerprint.Pairer
		first := part.whole().from
		for i := range part.words {
			if h, ok := p.AddString(part.words[i].Text); ok {
				list = append(list, sighting{int32(first + i), uint32(h)})
			}
		}
	}
	return list
}

// words returns the number of words of a body.
func (b *body) words() (n int) {
	return lists.Sum(b.parts, func(p *textPart) int { return len(p.words) })
}

// ownPairs are the pairs of words of a suspect.
type ownPairs struct {
	sites   []store.PairSite // by ascending word
	numbers []int32          // by site: the number of its pair
	pairs   []uint32         // by number: the lower bits of the hash
	linked  []bool           // by word: whether it is in a link
	prose   []bool           // by number: whether it is somewhere not in a link
	counts  []int32          // by number: how many documents have the pair, 0 if that is unknown
	weights []int32          // by number: how few documents have the pair, in thousandths, 0 if it is in links only; see [Searcher.weighPairs]

	known map[uint32]int32 // numbers by pair
	may   [1 << 10]uint64  // a bit for each value of the lowest bits of pairs, since few pairs of a source are known
}

// pairsOf numbers the pairs of the words of a text.
func pairsOf(words []normalize.Word, text string) *ownPairs {
	o := &ownPairs{linked: links(words, text), known: map[uint32]int32{}}
	var p fingerprint.Pairer
	for i := range words {
		h, ok := p.AddString(words[i].Text)
		if !ok {
			continue
		}
		pair := uint32(h)
		number, ok := o.known[pair]
		if !ok {
			number = int32(len(o.pairs))
			o.known[pair] = number
			o.pairs, o.prose = append(o.pairs, pair), append(o.prose, false)
			o.may[pair>>6&(1<<10-1)] |= 1 << (pair & 63)
		}
		o.prose[number] = o.prose[number] || !o.linked[i]
		o.sites, o.numbers = append(o.sites, store.PairSite{Pair: h, Word: int32(i)}), append(o.numbers, number)
	}
	o.counts, o.weights = make([]int32, len(o.pairs)), make([]int32, len(o.pairs))
	return o
}

// find returns the number of a pair that the suspect has.
func (o *ownPairs) find(pair uint32) (int32, bool) {
	if o.may[pair>>6&(1<<10-1)]&(1<<(pair&63)) == 0 {
		return 0, false
	}
	number, ok := o.known[pair]
	return number, ok
}

// number returns the number of a pair that the suspect has and that has a weight.
func (o *ownPairs) number(pair uint32) (int32, bool) {
	number, ok := o.find(pair)
	return number, ok && o.weights[number] > 0
}

// links reports of each word whether it is in a link: an address with two slashes, as on the web or of a file, or a link of Markdown with
// its label. Who names the same site, file or section has not copied a wording.
func links(words []normalize.Word, text string) []bool {
	in := make([]bool, len(words))
	for _, sign := range []string{"/", "]("} {
		for at := 0; ; {
			i := strings.Index(text[at:], sign)
			if i < 0 {
				break
			}
			before := text[at : at+i]
			start := at + strings.LastIndexFunc(before, endsAddress) + 1
			if k := strings.LastIndexAny(before, "[\n"); sign == "](" && k >= 0 && before[k] == '[' {
				start = at + k
			}
			after := text[at+i+len(sign):]
			at = len(text) - len(strings.TrimLeftFunc(after, func(r rune) bool { return !endsAddress(r) }))
			if sign == "/" && strings.Count(text[start:at], sign) < 2 {
				continue
			}
			first, _ := slices.BinarySearchFunc(words, start, func(w normalize.Word, start int) int { return w.Start - start })
			for k := first; k < len(words) && words[k].Start < at; k++ {
				in[k] = true
			}
		}
	}
	return in
}

// outsideLinks returns what is left of some stretches without the words in links.
func (o *ownPairs) outsideLinks(of []stretch) (left []stretch) {
	for _, s := range of {
		for from := s.from; from < s.to; from++ {
			to := from
			for to < s.to && !o.linked[to] {
				to++
			}
			if to > from {
				left = append(left, stretch{from, to})
			}
			from = to
		}
	}
	return left
}

// endsAddress reports whether r ends an address in a text, or is before one.
func endsAddress(r rune) bool {
	return unicode.IsSpace(r) || strings.ContainsRune(`<>"'()[]{}`, r) || r >= utf8.RuneSelf && (unicode.IsPunct(r) || normalize.Unspaced(r))
}

// weighPairs sets the weights of the pairs of a suspect.
func (s *Searcher) weighPairs(o *ownPairs, near *pairings) {
	all := math.Log(s.documents() + 1)
	for i, number := range o.numbers {
		if !o.prose[number] {
			continue
		}
		weight := 1.0
		if near.finder != nil {
			d := near.finder.Documents(o.sites[i].Pair)
			if d == 0 {
				continue
			}
			o.counts[number] = int32(d)
			weight = 1 - math.Log(float64(d))/all
		}
		o.weights[number] = int32(math.Round(1000 * max(weight, 0)))
	}
}

// A hit is a pair of the suspect that has a weight, at a word of a text.
type hit struct{ word, number int32 }

// hits returns those of some sightings that are hits.
func (o *ownPairs) hits(list []sighting) (found []hit) {
	for _, x := range list {
		if number, ok := o.number(x.pair); ok {
			found = append(found, hit{x.word, number})
		}
	}
	return found
}

// different returns the numbers of the different pairs at the words of some stretches.
func (o *ownPairs) different(in ...stretch) (numbers []int32) {
	seen := make(map[int32]bool)
	for _, s := range in {
		first, _ := slices.BinarySearchFunc(o.sites, s.from, func(x store.PairSite, from int) int { return int(x.Word) - from })
		for i := first; i < len(o.sites) && int(o.sites[i].Word) < s.to; i++ {
			if n := o.numbers[i]; !seen[n] {
				seen[n] = true
				numbers = append(numbers, n)
			}
		}
	}
	return numbers
}

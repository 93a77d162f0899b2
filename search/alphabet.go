package search

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/otisk/otisk/fingerprint"
	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/search/align"
	"github.com/otisk/otisk/store"
)

// Serbian is written in Cyrillic and in Latin letters, and Croatian, Bosnian and Montenegrin
// texts share words with both. Words in different alphabets are different words, so a copy
// in the other alphabet is in no passage. Therefore the n-grams of such a text are also looked
// up in the other alphabet, and their runs are reported with the documents that have them.

// serbianLetters are pairs of a Cyrillic letter and its Latin form. Pairs of Latin letters come
// first, so that they are replaced as a whole.
var serbianLetters = strings.Fields(`љ lj њ nj џ dž а a б b в v г g д d ђ đ е e ж ž з z и i ј j к k л l
	м m н n о o п p р r с s т t ћ ć у u ф f х h ц c ч č ш š`)

var (
	toLatin    = strings.NewReplacer(serbianLetters...)
	toCyrillic = strings.NewReplacer(swapped(serbianLetters)...)
)

// swapped exchanges the strings of each pair.
func swapped(pairs []string) []string {
	out := slices.Clone(pairs)
	for i := 0; i+1 < len(out); i += 2 {
		out[i], out[i+1] = out[i+1], out[i]
	}
	return out
}

// inOtherAlphabet returns a word in lower case in the other alphabet of Serbian.
func inOtherAlphabet(word string) string {
	if first, _ := utf8.DecodeRuneInString(word); 0x400 <= first && first < 0x500 {
		return toLatin.Replace(word)
	}
	return toCyrillic.Replace(word)
}

// serbianWords are frequent words of Serbian, Croatian and Bosnian in both alphabets, which no
// other language has. Those in Cyrillic have a letter that Russian and Bulgarian lack.
var serbianWords = func() map[string]bool {
	set := setOf(`koji koja koje kojih kojim kojima kojoj kojem kojeg nije nisu što šta zbog između takođe također
		ovaj ovog gdje jer može mogu svako svaki svakoga svakome niko nijedan njegov njegove njihov njihove njihovih budući sljedeći sledeći`)
	for _, w := range slices.Collect(maps.Keys(set)) {
		if other := toCyrillic.Replace(w); strings.ContainsAny(other, "јљњџћђ") {
			set[other] = true
		}
	}
	return set
}()

// serbianGap is the number of words between two frequent words of one stretch. Words of another
// language between them cost a look-up and are not reported, because the index lacks them.
const serbianGap = 300

// foundOtherwise has the runs of words that match documents in the other alphabet of Serbian.
type foundOtherwise struct {
	runs  []stretch
	docs  int      // number of documents that have some of them
	names []string // of the first ones
}

// otherAlphabet looks up the n-grams of Serbian words in the other alphabet.
func (s *Searcher) otherAlphabet(ctx context.Context, sus *suspect) (out foundOtherwise, err error) {
	at := map[store.Hash][]int{} // words at which an n-gram begins
	for _, x := range sus.stretchesOf(serbianWords, serbianGap) {
		roller := fingerprint.NewRoller(s.opts.N)
		for i := x.from; i < x.to; i++ {
			if h, ok := roller.Add([]byte(inOtherAlphabet(sus.words[i].Text))); ok {
				at[h] = append(at[h], i+1-s.opts.N)
			}
		}
	}
	if len(at) == 0 {
		return out, nil
	}
	matched := make([]bool, len(sus.words))
	docs := map[store.DocID]int{}
	skip := s.skips()[0]
	err = s.reader.Lookup(ctx, s.opts.N, slices.Sorted(maps.Keys(at)), store.Limits{Docs: s.opts.Common, Positions: 1}, func(h store.Hit) error {
		for _, p := range h.Postings {
			if skip != nil && skip(p.Doc) {
				continue
			}
			docs[p.Doc]++
			for _, word := range at[h.Hash] {
				for i := range s.opts.N {
					matched[word+i] = true
				}
			}
		}
		return nil
	})
	if err != nil {
		return out, err
	}
	least := align.DefaultParams().Verbatim
	if s.sample > 0 { // of whose n-grams most are not in the index
		least = s.opts.N
	}
	for from := 0; from < len(matched); from++ {
		to := from
		for to < len(matched) && matched[to] {
			to++
		}
		if to-from >= least {
			out.runs = append(out.runs, stretch{from, to})
		}
		from = to
	}
	if len(out.runs) == 0 {
		return out, nil
	}
	out.docs = len(docs)
	out.names, err = s.namesOf(ctx, docs)
	return out, err
}

// namesOf returns the names of the [maxNames] documents with the most hits.
func (s *Searcher) namesOf(ctx context.Context, hits map[store.DocID]int) (names []string, err error) {
	ids := slices.SortedFunc(maps.Keys(hits), func(a, b store.DocID) int {
		return cmp.Or(cmp.Compare(hits[b], hits[a]), cmp.Compare(a, b))
	})
	for _, id := range ids[:min(len(ids), maxNames)] {
		doc, err := store.Entry(ctx, s.reader, id)
		if err != nil {
			return nil, err
		}
		names = append(names, doc.Name())
	}
	return names, nil
}

// alphabet adds the words that the index has in the other alphabet.
func (o *omitter) alphabet(found foundOtherwise, open leftOver) {
	words := lists.Sum(found.runs, func(x stretch) int { return open.count(x.from, x.to) })
	if words == 0 {
		return
	}
	o.add(Unsearched{Kind: UnsearchedAlphabet, Count: int64(found.docs), Words: words, Names: found.names},
		"%s the same words in the other alphabet of Serbian, Cyrillic or Latin, and alphabets are not compared. In no passage for that reason: %s",
		plural(int64(found.docs), "document has", "documents have"), plural(int64(words), "word", "words"))
}

package translated

import (
	"cmp"
	"math"
	"slices"

	"github.com/otisk/otisk/language"
)

// A kind says why a word is linked with a stem of the source.
type kind uint8

const (
	byDictionary kind = iota
	byCognate
	byName   // a capitalised or identically spelled word
	byNumber // equal numbers
)

// A link is a stem of the source that a word of the suspect may be translated by.
type link struct {
	stem   int32
	weight float32
	kind   kind
}

// Figures of links.
const (
	mostLinks     = 12  // of a word: those with the greatest weight
	cognateLetter = 5   // letters that cognates share at the start
	nameLetters   = 4   // the same for words with a capital on both sides
	cognateWeight = 0.5 // weight of a cognate and of a name
)

// A linker links the words of texts with the stems of one source.
type linker struct {
	d        *Dictionary
	source   *text
	stems    map[language.Stem]int32
	cognates map[string][]int32 // stems by the first letters of their sound
	names    map[string][]int32 // the same of words with a capital
	words    map[string]int32   // stems by word
}

func newLinker(d *Dictionary, source *text) *linker {
	l := &linker{d: d, source: source, stems: map[language.Stem]int32{}, cognates: map[string][]int32{}, names: map[string][]int32{}, words: map[string]int32{}}
	for n, s := range source.stems {
		l.stems[s] = int32(n)
	}
	for _, f := range source.forms {
		l.words[f.word] = f.stem
		if f.number || f.common {
			continue
		}
		s := f.sound
		if len(s) >= cognateLetter {
			register(l.cognates, s[:cognateLetter], f.stem)
		}
		if f.capital && len(s) >= nameLetters {
			register(l.names, s[:nameLetters], f.stem)
		}
	}
	return l
}

func register(m map[string][]int32, key string, stem int32) {
	if !slices.Contains(m[key], stem) {
		m[key] = append(m[key], stem)
	}
}

// links returns the links of a form with this stem, the strongest first. It reports whether the form
// can be counted: whether a link was to be expected if the source were a translation.
func (l *linker) links(f form, stem language.Stem) (list []link, counted bool) {
	if f.common || len(f.word) < 2 {
		return nil, false
	}
	put := func(stem int32, weight float32, k kind) {
		if i := slices.IndexFunc(list, func(o link) bool { return o.stem == stem }); i < 0 {
			list = append(list, link{stem, weight, k})
		} else if weight > list[i].weight {
			list[i].weight = weight
		}
	}
	if f.number {
		if stem, ok := l.words[f.word]; ok {
			put(stem, 1, byNumber)
		}
		return list, true
	}
	entries := l.d.translations(stem)
	for _, t := range entries {
		if stem, ok := l.stems[t.stem]; ok {
			put(stem, t.weight, byDictionary)
		}
	}
	s := f.sound
	same, identical := l.words[f.word]
	if len(s) >= cognateLetter {
		for _, stem := range l.cognates[s[:cognateLetter]] {
			k := byCognate
			if f.capital || identical && stem == same {
				k = byName
			}
			put(stem, cognateWeight, k)
		}
	}
	if f.capital && len(s) >= nameLetters {
		for _, stem := range l.names[s[:nameLetters]] {
			put(stem, cognateWeight, byName)
		}
	}
	slices.SortFunc(list, func(a, b link) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(a.stem, b.stem))
	})
	if len(list) > mostLinks {
		list = list[:mostLinks]
	}
	return list, len(entries) > 0 || len(list) > 0
}

// A pair is a suspect and a source with the links between them.
type pair struct {
	suspect, source *text
	links           [][]link  // of each form of the suspect
	counted         []bool    // of each form of the suspect
	linked          []int     // words of the suspect that link to each stem of the source
	share           []float64 // of each stem of the source, in the source
	weight          []float64 // of each stem of the source, 0 to 1: 1 for rare ones
}

func newPair(d *Dictionary, suspect, source *text) *pair {
	p := &pair{suspect: suspect, source: source,
		links: make([][]link, len(suspect.forms)), counted: make([]bool, len(suspect.forms)),
		linked: make([]int, len(source.stems)), share: make([]float64, len(source.stems)), weight: make([]float64, len(source.stems)),
	}
	l := newLinker(d, source)
	for i, f := range suspect.forms {
		p.links[i], p.counted[i] = l.links(f, suspect.stems[f.stem])
	}
	for _, f := range suspect.words {
		for _, k := range p.links[f] {
			p.linked[k.stem]++
		}
	}
	both := float64(suspect.len() + source.len())
	for s := range source.stems {
		p.share[s] = float64(source.count[s]) / float64(source.len())
		p.weight[s] = rarity(float64(p.linked[s]+int(source.count[s])) / both)
		if source.common[s] {
			p.share[s] = max(p.share[s], commonShare)
			p.weight[s] = 0
		}
	}
	return p
}

// commonShare is the share of a text above which a stem weighs nothing.
const commonShare = 0.02

// rarity returns the weight of a stem with a share of both texts: 1 from one in 50,000 words.
func rarity(share float64) float64 {
	return min(1, max(0, math.Log(commonShare/share)/math.Log(1000)))
}

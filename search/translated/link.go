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
	source   *text
	sieve    [sieveWords]uint64 // bits of the stems: most translations are not in a source
	cognates []sounding         // by the first letters of their sound
	names    []sounding         // the same of words with a capital
}

const sieveWords = 512

// bit returns the place of the bit of a stem in the sieve.
func bit(s language.Stem) (word int, mask uint64) { return int(s >> 6 % sieveWords), 1 << (s % 64) }

// A sounding is a form of the source with the first letters of its sound, as a number.
type sounding struct {
	letters uint64
	form    int32
}

// lettersOf returns the first n letters of a sound, at most 8, as a number.
func lettersOf(sound string, n int) (letters uint64) {
	for i := range n {
		letters = letters<<8 | uint64(sound[i])
	}
	return letters
}

func newLinker(source *text) *linker {
	l := &linker{source: source}
	for _, s := range source.stems {
		word, mask := bit(s)
		l.sieve[word] |= mask
	}
	for i, f := range source.forms {
		if f.number || f.common {
			continue
		}
		if len(f.sound) >= cognateLetter {
			l.cognates = append(l.cognates, sounding{lettersOf(f.sound, cognateLetter), int32(i)})
		}
		if f.capital && len(f.sound) >= nameLetters {
			l.names = append(l.names, sounding{lettersOf(f.sound, nameLetters), int32(i)})
		}
	}
	for _, list := range [][]sounding{l.cognates, l.names} {
		slices.SortFunc(list, func(a, b sounding) int {
			return cmp.Or(cmp.Compare(a.letters, b.letters), cmp.Compare(a.form, b.form))
		})
	}
	return l
}

// stem returns the number in the source of a stem.
func (l *linker) stem(s language.Stem) (n int32, ok bool) {
	if word, mask := bit(s); l.sieve[word]&mask == 0 {
		return 0, false
	}
	n, ok = l.source.numbers[s]
	return n, ok
}

// alikes returns those of sorted soundings with these letters.
func alikes(list []sounding, letters uint64) []sounding {
	compare := func(s sounding, letters uint64) int { return cmp.Compare(s.letters, letters) }
	from, _ := slices.BinarySearchFunc(list, letters, compare)
	to := from
	for to < len(list) && list[to].letters == letters {
		to++
	}
	return list[from:to]
}

// links returns the links of a form, whose stem has these translations, the strongest first. It reports
// whether the form can be counted: whether a link was to be expected if the source were a translation.
func (l *linker) links(f form, translations []translation) (list []link, counted bool) {
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
	if f.number { // which is its own stem
		if number, ok := l.source.language.Number(f.word); ok {
			if stem, ok := l.stem(number); ok {
				put(stem, 1, byNumber)
			}
		}
		return list, true
	}
	for _, t := range translations {
		if stem, ok := l.stem(t.stem); ok {
			put(stem, t.weight, byDictionary)
		}
	}
	if len(f.sound) >= cognateLetter {
		same := int32(-1)
		alike := alikes(l.cognates, lettersOf(f.sound, cognateLetter))
		for _, c := range alike {
			if o := &l.source.forms[c.form]; o.word == f.word {
				same = o.stem
			}
		}
		for _, c := range alike {
			k, stem := byCognate, l.source.forms[c.form].stem
			if f.capital || stem == same {
				k = byName
			}
			put(stem, cognateWeight, k)
		}
	}
	if f.capital && len(f.sound) >= nameLetters {
		for _, n := range alikes(l.names, lettersOf(f.sound, nameLetters)) {
			put(l.source.forms[n.form].stem, cognateWeight, byName)
		}
	}
	slices.SortFunc(list, func(a, b link) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(a.stem, b.stem))
	})
	if len(list) > mostLinks {
		list = list[:mostLinks]
	}
	return list, len(translations) > 0 || len(list) > 0
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

// newPair links a suspect, of whose stems these are the translations, with a source.
func newPair(translations [][]translation, suspect, source *text) *pair {
	p := &pair{suspect: suspect, source: source,
		links: make([][]link, len(suspect.forms)), counted: make([]bool, len(suspect.forms)),
		linked: make([]int, len(source.stems)), share: make([]float64, len(source.stems)), weight: make([]float64, len(source.stems)),
	}
	l := newLinker(source)
	for i, f := range suspect.forms {
		p.links[i], p.counted[i] = l.links(f, translations[f.stem])
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

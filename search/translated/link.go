package translated

import (
	"cmp"
	"math"
	"slices"
	"sync"

	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/internal/reuse"
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

// A wording is a suspect arranged for one dictionary: by the stems and sounds of the source that its forms may be linked with.
// A source has few of the translations, so its stems are looked up among them.
type wording struct {
	*text
	to           *language.Language
	translations [][]translation // of each stem

	arranged sync.Once          // sets all below
	sieve    [sieveWords]uint64 // bits of the stems in ends: most stems of a source are not there
	ends     map[language.Stem]int32
	entries  []entryOf          // grouped by stem; ends has the end of each group
	sounds   map[uint64][]int32 // forms by the first letters of their sound
	names    map[uint64][]int32 // the same of words with a capital
	content  []int32            // places of words that are not function words
	uses     []int32            // words of each form
}

// An entryOf is a stem that a form may be linked with.
type entryOf struct {
	stem   language.Stem
	form   int32
	weight float32
	kind   kind
}

// usualEntries is how many entries a form has, on average.
const usualEntries = 6

const sieveWords = 1024

// bit returns the place of the bit of a stem in the sieve.
func bit(s language.Stem) (word int, mask uint64) { return int(s >> 6 % sieveWords), 1 << (s % 64) }

// lettersOf returns the first n letters of a sound, at most 8, as a number.
func lettersOf(sound string, n int) (letters uint64) {
	for i := range n {
		letters = letters<<8 | uint64(sound[i])
	}
	return letters
}

// newWording returns the wording of a suspect.
func newWording(d *Dictionary, suspect *text) *wording {
	return &wording{text: suspect, to: d.to, translations: lists.Map(suspect.stems, d.translations)}
}

// linkable reports whether a form can have links.
func (f *form) linkable() bool { return !f.common && len(f.word) >= 2 }

// arrange sets the fields for links.
func (w *wording) arrange() {
	w.sounds, w.names = map[uint64][]int32{}, map[uint64][]int32{}
	w.entries = make([]entryOf, 0, usualEntries*len(w.forms))
	w.uses = make([]int32, len(w.forms))
	for i, f := range w.words {
		w.uses[f]++
		if !w.forms[f].common {
			w.content = append(w.content, int32(i))
		}
	}
	for i := range w.forms {
		f, form := &w.forms[i], int32(i)
		if !f.linkable() {
			continue
		}
		if f.number { // which is its own stem
			if stem, ok := w.to.Number(f.word); ok {
				w.entries = append(w.entries, entryOf{stem, form, 1, byNumber})
			}
			continue
		}
		for _, t := range w.translations[f.stem] {
			w.entries = append(w.entries, entryOf{t.stem, form, t.weight, byDictionary})
		}
		if len(f.sound) >= cognateLetter {
			letters := lettersOf(f.sound, cognateLetter)
			w.sounds[letters] = append(w.sounds[letters], form)
		}
		if f.capital && len(f.sound) >= nameLetters {
			letters := lettersOf(f.sound, nameLetters)
			w.names[letters] = append(w.names[letters], form)
		}
	}
	w.byStem()
}

// byStem sorts the entries by stem, in the order of their forms, and sets sieve and ends. Counting takes half the time of a comparison sort.
func (w *wording) byStem() {
	w.ends = make(map[language.Stem]int32, len(w.entries)/2)
	for _, e := range w.entries {
		w.ends[e.stem]++
	}
	next := int32(0)
	for stem, n := range w.ends {
		word, mask := bit(stem)
		w.sieve[word] |= mask
		w.ends[stem] = next
		next += n
	}
	sorted := make([]entryOf, len(w.entries))
	for _, e := range w.entries {
		sorted[w.ends[e.stem]] = e
		w.ends[e.stem]++
	}
	w.entries = sorted
}

// A linked is a link with its form.
type linked struct {
	form int32
	link
}

// appendLinks appends the links with a source, for each form by dictionary before others; it may append a stem twice.
func (w *wording) appendLinks(list []linked, source *text) []linked {
	for n, s := range source.stems {
		if word, mask := bit(s); w.sieve[word]&mask == 0 {
			continue
		}
		for at := w.ends[s]; at > 0 && w.entries[at-1].stem == s; at-- {
			e := &w.entries[at-1]
			list = append(list, linked{e.form, link{int32(n), e.weight, e.kind}})
		}
	}
	return w.appendNames(w.appendCognates(list, source), source)
}

// appendCognates appends the links by sound. Those of a word that the source has, too, are names.
func (w *wording) appendCognates(list []linked, source *text) []linked {
	first := len(list)
	same := map[int32]int32{} // by form, the stem of the same word
	for i := range source.forms {
		o := &source.forms[i]
		if o.number || o.common || len(o.sound) < cognateLetter {
			continue
		}
		for _, f := range w.sounds[lettersOf(o.sound, cognateLetter)] {
			list = append(list, linked{f, link{o.stem, cognateWeight, byCognate}})
			if w.forms[f].word == o.word {
				same[f] = o.stem
			}
		}
	}
	for i := range list[first:] {
		l := &list[first+i]
		if stem, ok := same[l.form]; w.forms[l.form].capital || ok && stem == l.stem {
			l.kind = byName
		}
	}
	return list
}

// appendNames appends the links of words that have a capital in both texts.
func (w *wording) appendNames(list []linked, source *text) []linked {
	for i := range source.forms {
		o := &source.forms[i]
		if o.number || o.common || !o.capital || len(o.sound) < nameLetters {
			continue
		}
		for _, f := range w.names[lettersOf(o.sound, nameLetters)] {
			list = append(list, linked{f, link{o.stem, cognateWeight, byName}})
		}
	}
	return list
}

// different returns links with each stem once, by the first kind and the greatest weight, the strongest first, in the same memory.
func different(links []link) []link {
	list := links[:0]
	for _, l := range links {
		if i := slices.IndexFunc(list, func(o link) bool { return o.stem == l.stem }); i < 0 {
			list = append(list, l)
		} else {
			list[i].weight = max(list[i].weight, l.weight)
		}
	}
	if len(list) > 1 {
		slices.SortFunc(list, func(a, b link) int {
			return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(a.stem, b.stem))
		})
	}
	return list[:min(len(list), mostLinks)]
}

// A pair is a suspect and a source with the links between them. Its lists are used again for the next pair.
type pair struct {
	suspect *wording
	source  *text
	links   [][]link  // of each form of the suspect
	some    []int32   // forms that have links
	linked  []int     // words of the suspect that link to each stem of the source
	share   []float64 // of each stem of the source, in the source
	weight  []float64 // of each stem of the source, 0 to 1: 1 for rare ones

	found []linked
	count []int32 // by form, in found
	room  []link
}

// pairs are not in use: allocating them for each source took a tenth of the time.
var pairs = sync.Pool{New: func() any { return new(pair) }}

// newPair links a suspect with a source.
func newPair(suspect *wording, source *text) *pair {
	suspect.arranged.Do(suspect.arrange)
	p := pairs.Get().(*pair)
	p.suspect, p.source, p.some = suspect, source, p.some[:0]
	p.links, p.count = reuse.Zeros(p.links, len(suspect.forms)), reuse.Zeros(p.count, len(suspect.forms))
	p.linked, p.share, p.weight = reuse.Zeros(p.linked, len(source.stems)), reuse.Zeros(p.share, len(source.stems)), reuse.Zeros(p.weight, len(source.stems))
	p.found = suspect.appendLinks(p.found[:0], source)
	p.group()
	for _, f := range p.some {
		for _, k := range p.links[f] {
			p.linked[k.stem] += int(suspect.uses[f])
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

// release lets the lists of p be used for another pair.
func (p *pair) release() {
	p.suspect, p.source = nil, nil
	pairs.Put(p)
}

// group gives each form its links.
func (p *pair) group() {
	for _, l := range p.found {
		if p.count[l.form] == 0 {
			p.some = append(p.some, l.form)
		}
		p.count[l.form]++
	}
	p.room = reuse.Zeros(p.room, len(p.found))
	room := p.room
	for _, f := range p.some {
		p.links[f], room = room[:0:p.count[f]], room[p.count[f]:]
	}
	for _, l := range p.found {
		p.links[l.form] = append(p.links[l.form], l.link)
	}
	for _, f := range p.some {
		p.links[f] = different(p.links[f])
	}
}

// counted reports whether a form can be counted: whether a link was to be expected if the source were a translation.
func (p *pair) counted(form int32) bool {
	f := &p.suspect.forms[form]
	return f.linkable() && (f.number || len(p.suspect.translations[f.stem]) > 0 || len(p.links[form]) > 0)
}

// commonShare is the share of a text above which a stem weighs nothing.
const commonShare = 0.02

// rarity returns the weight of a stem with a share of both texts: 1 from one in 50,000 words.
func rarity(share float64) float64 {
	return min(1, max(0, math.Log(commonShare/share)/math.Log(1000)))
}

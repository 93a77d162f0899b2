package translated

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/otisk/otisk/language"
	"github.com/otisk/otisk/lexicon"
)

// A Dictionary has the translations of the stems of one language into stems of another, all as
// numbers of package language. It does not change, so several goroutines may use it.
type Dictionary struct {
	from, to *language.Language

	own   []language.Stem // stems of from, rising
	first []uint32        // the translations of own[i] are list[first[i]:first[i+1]]
	list  []translation   // of each stem by falling weight, then by stem

	// The stems of the translations that have a sound, by its first letters, then by stem. The sound of
	// soundOf[i] is sounds[soundAt[i]:soundAt[i+1]].
	soundOf []language.Stem
	soundAt []uint32
	sounds  []byte
}

// A translation is a stem of the other language. Its weight is 1 divided by the number of
// translations that the stem has in the same lexicon; of several lexica, the greatest counts.
type translation struct {
	stem   language.Stem
	weight float32
}

// NewDictionary returns the dictionary of texts in from to sources in to. Of a lexicon in the
// opposite direction, the sides are exchanged; the languages of a lexicon are not compared
// with from and to, since those of a related language may serve.
func NewDictionary(from, to *language.Language, forward, backward []*lexicon.Lexicon) *Dictionary {
	b := builder{from: from, to: to, entries: map[string][]entry{}}
	for _, l := range forward {
		b.add(l.Pairs, func(p lexicon.Pair) (string, string) { return p.Word, p.Translation })
	}
	for _, l := range backward {
		b.add(l.Pairs, func(p lexicon.Pair) (string, string) { return p.Translation, p.Word })
	}
	return b.dictionary()
}

// translations returns the translations of a stem.
func (d *Dictionary) translations(own language.Stem) []translation {
	i, ok := slices.BinarySearch(d.own, own)
	if !ok {
		return nil
	}
	return d.list[d.first[i]:d.first[i+1]]
}

// sound returns the sound of a stem by its index.
func (d *Dictionary) sound(i int) []byte { return d.sounds[d.soundAt[i]:d.soundAt[i+1]] }

// A builder has the entries of a dictionary in letters.
type builder struct {
	from, to *language.Language
	entries  map[string][]entry // by stem
}

// An entry is a translation of a stem.
type entry struct {
	stem   string
	weight float32
}

// add adds one lexicon, whose stems are weighted for themselves.
func (b *builder) add(pairs []lexicon.Pair, sides func(lexicon.Pair) (word, other string)) {
	known := map[string]string{} // stems of the other side, which are few and frequent
	stems := map[string][]string{}
	for _, p := range pairs {
		word, other := sides(p)
		stem, ok := known[other]
		if !ok {
			stem = b.to.Stem(other)
			known[other] = stem
		}
		if own := b.from.Stem(word); own != "" && stem != "" {
			stems[own] = append(stems[own], stem)
		}
	}
	for own, list := range stems {
		slices.Sort(list)
		list = slices.Compact(list)
		for _, stem := range list {
			b.put(own, entry{stem, 1 / float32(len(list))})
		}
	}
}

// put adds a translation, or raises its weight.
func (b *builder) put(own string, e entry) {
	list := b.entries[own]
	if i := slices.IndexFunc(list, func(o entry) bool { return o.stem == e.stem }); i >= 0 {
		list[i].weight = max(list[i].weight, e.weight)
		return
	}
	b.entries[own] = append(list, e)
}

// dictionary returns the entries as a dictionary.
func (b *builder) dictionary() *Dictionary {
	d := &Dictionary{from: b.from, to: b.to, first: []uint32{0}, soundAt: []uint32{0}}
	words := map[language.Stem]string{}
	for own := range b.entries {
		n, _ := b.from.Number(own)
		words[n] = own
	}
	d.own = slices.Sorted(maps.Keys(words))
	seen := map[string]bool{}
	type spoken struct{ stem, sound string }
	var soundings []spoken
	for _, n := range d.own {
		list := b.entries[words[n]]
		slices.SortFunc(list, func(a, b entry) int {
			return cmp.Or(cmp.Compare(b.weight, a.weight), strings.Compare(a.stem, b.stem))
		})
		for _, e := range list {
			stem, _ := b.to.Number(e.stem)
			d.list = append(d.list, translation{stem, e.weight})
			if seen[e.stem] {
				continue
			}
			seen[e.stem] = true
			if s := sound(e.stem); len(s) >= cognateLetter {
				soundings = append(soundings, spoken{e.stem, s})
			}
		}
		d.first = append(d.first, uint32(len(d.list)))
	}
	slices.SortFunc(soundings, func(a, b spoken) int {
		return cmp.Or(strings.Compare(a.sound[:cognateLetter], b.sound[:cognateLetter]), strings.Compare(a.stem, b.stem))
	})
	for _, s := range soundings {
		stem, _ := b.to.Number(s.stem)
		d.soundOf = append(d.soundOf, stem)
		d.sounds = append(d.sounds, s.sound...)
		d.soundAt = append(d.soundAt, uint32(len(d.sounds)))
	}
	return d
}

// sound returns the form by which a word is compared with its cognates in other languages: it
// makes the spellings of one loanword alike (philosophy, filozofie, Philosophie) and has no double
// letters.
func sound(word string) string {
	word = language.Fold(word)
	list := make([]byte, 0, len(word)+4)
	put := func(letters string) {
		for i := range len(letters) {
			if len(list) == 0 || list[len(list)-1] != letters[i] {
				list = append(list, letters[i])
			}
		}
	}
	for i := 0; i < len(word); i++ {
		if i+1 < len(word) {
			if both := transcribePair(word[i], word[i+1]); both != "" {
				put(both)
				i++
				continue
			}
		}
		put(cmp.Or(transcriptions[word[i:i+1]], word[i:i+1]))
	}
	return string(list)
}

// transcribePair returns the transcription of two letters that stand for one sound, "" if they do not.
func transcribePair(a, b byte) string {
	switch {
	case a == 'p' && b == 'h':
		return "f"
	case a == 't' && b == 'h':
		return "t"
	case a == 'q' && b == 'u':
		return "kv"
	case a == 'c' && b == 'h':
		return "h"
	case a == 'c' && b == 'k', a == 't' && b == 'z':
		return "k"
	case (a == 'a' || a == 'o') && b == 'e':
		return "e"
	}
	return ""
}

// transcriptions are those of letters of one byte that have another sound.
var transcriptions = map[string]string{"x": "ks", "c": "k", "w": "v", "y": "i", "j": "i", "z": "s"}

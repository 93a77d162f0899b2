package translated

import (
	"slices"
	"sync"

	"github.com/otisk/otisk/language"
	"github.com/otisk/otisk/lexicon"
)

// A Dictionary has the translations of the stems of one language into stems of another. It
// does not change, so several goroutines may use it.
type Dictionary struct {
	from, to *language.Language
	entries  map[string][]translation // by stem
	sounds   func() map[string][]sounding
}

// A translation is a stem of the other language. Its weight is 1 divided by the number of
// translations that the stem has in the same lexicon; of several lexica, the greatest counts.
type translation struct {
	stem   string
	weight float32
}

// NewDictionary returns the dictionary of texts in from to sources in to. Of a lexicon in the
// opposite direction, the sides are exchanged; the languages of a lexicon are not compared
// with from and to, since those of a related language may serve.
func NewDictionary(from, to *language.Language, forward, backward []*lexicon.Lexicon) *Dictionary {
	d := &Dictionary{from: from, to: to, entries: map[string][]translation{}}
	d.sounds = sync.OnceValue(d.soundings)
	for _, l := range forward {
		d.add(l.Pairs, func(p lexicon.Pair) (string, string) { return p.Word, p.Translation })
	}
	for _, l := range backward {
		d.add(l.Pairs, func(p lexicon.Pair) (string, string) { return p.Translation, p.Word })
	}
	return d
}

// add adds one lexicon, whose stems are weighted for themselves.
func (d *Dictionary) add(pairs []lexicon.Pair, sides func(lexicon.Pair) (word, other string)) {
	known := map[string]string{} // stems of the other side, which are few and frequent
	stems := map[string][]string{}
	for _, p := range pairs {
		word, other := sides(p)
		stem, ok := known[other]
		if !ok {
			stem = d.to.Stem(other)
			known[other] = stem
		}
		if own := d.from.Stem(word); own != "" && stem != "" {
			stems[own] = append(stems[own], stem)
		}
	}
	for own, list := range stems {
		slices.Sort(list)
		list = slices.Compact(list)
		for _, stem := range list {
			d.put(own, translation{stem, 1 / float32(len(list))})
		}
	}
}

// put adds a translation, or raises its weight.
func (d *Dictionary) put(own string, t translation) {
	list := d.entries[own]
	if i := slices.IndexFunc(list, func(o translation) bool { return o.stem == t.stem }); i >= 0 {
		list[i].weight = max(list[i].weight, t.weight)
		return
	}
	d.entries[own] = append(list, t)
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
		put(transcribe(word[i : i+1]))
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

// transcribe returns the transcription of one byte.
func transcribe(letter string) string {
	switch letter {
	case "x":
		return "ks"
	case "c":
		return "k"
	case "w":
		return "v"
	case "y", "j":
		return "i"
	case "z":
		return "s"
	}
	return letter
}

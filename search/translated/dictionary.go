package translated

import (
	"slices"
	"strings"

	"github.com/otisk/otisk/language"
	"github.com/otisk/otisk/lexicon"
)

// A Dictionary has the translations of the stems of one language into stems of another. It
// does not change, so several goroutines may use it.
type Dictionary struct {
	from, to *language.Language
	entries  map[string][]translation // by stem
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

// transcription makes the spellings of one loanword alike: philosophy, filozofie, Philosophie.
var transcription = strings.NewReplacer("ph", "f", "th", "t", "qu", "kv", "x", "ks", "ch", "h", "ck", "k", "c", "k",
	"w", "v", "y", "i", "j", "i", "ae", "e", "oe", "e", "tz", "k", "z", "s")

// sound returns the form by which a word is compared with its cognates in other languages:
// transcribed, without double letters.
func sound(word string) string {
	s := transcription.Replace(language.Fold(word))
	var b strings.Builder
	for i := range len(s) {
		if i == 0 || s[i] != s[i-1] {
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

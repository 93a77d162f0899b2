package translated

import (
	"unicode"
	"unicode/utf8"

	"github.com/otisk/otisk/language"
	"github.com/otisk/otisk/normalize"
)

// A form is a word as it is written: with or without a capital. All places of a form have the
// same links.
type form struct {
	word    string // in lower case
	sound   string // of a word that is neither a number nor a function word
	capital bool
	number  bool
	common  bool
	stem    int32 // number of its stem in the text
}

// A text is a text with its words replaced by the numbers of forms and stems.
type text struct {
	forms  []form
	words  []int32         // the form of each word
	stems  []language.Stem // by number in the text; 0 for the empty stem
	count  []int32         // occurrences of each stem
	common []bool          // whether a stem is that of a function word
	first  []int32         // the places of stem s are places[first[s]:first[s+1]]
	places []int32
}

func (t *text) len() int { return len(t.words) }

// stemAt returns the stem of a word.
func (t *text) stemAt(i int) int32 { return t.forms[t.words[i]].stem }

// at returns the places of a stem, rising.
func (t *text) at(stem int32) []int32 { return t.places[t.first[stem]:t.first[stem+1]] }

// newText numbers the words of a text in a language.
func newText(l *language.Language, original string, words []normalize.Word) *text {
	t := &text{words: make([]int32, len(words))}
	type written struct {
		word    string
		capital bool
	}
	forms, stems := map[written]int32{}, map[string]int32{}
	for i, w := range words {
		r, _ := utf8.DecodeRuneInString(original[w.Start:w.End])
		key := written{w.Text, unicode.IsUpper(r)}
		n, ok := forms[key]
		if !ok {
			n = int32(len(t.forms))
			forms[key] = n
			t.forms = append(t.forms, t.newForm(l, key.word, key.capital, stems))
		}
		t.words[i] = n
		t.count[t.forms[n].stem]++
	}
	t.index()
	return t
}

func (t *text) newForm(l *language.Language, word string, capital bool, stems map[string]int32) form {
	f := form{word: word, capital: capital, common: l.Common(word)}
	r, _ := utf8.DecodeRuneInString(word)
	if f.number = unicode.IsDigit(r); !f.number && !f.common {
		f.sound = sound(word)
	}
	stem := l.Stem(word)
	n, ok := stems[stem]
	if !ok {
		n = int32(len(t.stems))
		stems[stem] = n
		number, _ := l.Number(stem)
		t.stems = append(t.stems, number)
		t.count = append(t.count, 0)
		t.common = append(t.common, false)
	}
	t.common[n] = t.common[n] || f.common
	f.stem = n
	return f
}

// index fills first and places.
func (t *text) index() {
	t.first = make([]int32, len(t.stems)+1)
	for s, n := range t.count {
		t.first[s+1] = t.first[s] + n
	}
	next := append([]int32(nil), t.first...)
	t.places = make([]int32, len(t.words))
	for i := range t.words {
		s := t.stemAt(i)
		t.places[next[s]] = int32(i)
		next[s]++
	}
}

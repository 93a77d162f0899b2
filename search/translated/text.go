package translated

import (
	"strings"
	"sync"
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
	language *language.Language
	forms    []form
	words    []int32         // the form of each word
	stems    []language.Stem // by number in the text; 0 for the empty stem
	numbers  map[language.Stem]int32
	count    []int32 // occurrences of each stem
	common   []bool  // whether a stem is that of a function word
	first    []int32 // the places of stem s are places[first[s]:first[s+1]]
	places   []int32
}

func (t *text) len() int { return len(t.words) }

// stemAt returns the stem of a word.
func (t *text) stemAt(i int) int32 { return t.forms[t.words[i]].stem }

// at returns the places of a stem, rising.
func (t *text) at(stem int32) []int32 { return t.places[t.first[stem]:t.first[stem+1]] }

// newText numbers the words of a text in the language of a vocabulary.
func newText(v *vocabulary, original string, words []normalize.Word) *text {
	t := &text{language: v.language, words: make([]int32, len(words)), numbers: make(map[language.Stem]int32, len(words)/4)}
	type written struct {
		word    string
		capital bool
	}
	forms := make(map[written]int32, len(words)/3)
	for i, w := range words {
		r, _ := utf8.DecodeRuneInString(original[w.Start:w.End])
		key := written{w.Text, unicode.IsUpper(r)}
		n, ok := forms[key]
		if !ok {
			n = int32(len(t.forms))
			forms[key] = n
			t.forms = append(t.forms, t.newForm(v.look(w.Text), key.capital))
		}
		t.words[i] = n
		t.count[t.forms[n].stem]++
	}
	t.index()
	return t
}

func (t *text) newForm(w known, capital bool) form {
	n, ok := t.numbers[w.stem]
	if !ok {
		n = int32(len(t.stems))
		t.numbers[w.stem] = n
		t.stems = append(t.stems, w.stem)
		t.count = append(t.count, 0)
		t.common = append(t.common, false)
	}
	t.common[n] = t.common[n] || w.common
	return form{word: w.word, sound: w.sound, capital: capital, number: w.number, common: w.common, stem: n}
}

// A vocabulary knows the words of a language that it was asked for, since most words of a text are in
// others, too. It is safe for use by several goroutines.
type vocabulary struct {
	language *language.Language
	mu       sync.RWMutex
	words    map[string]known
}

// mostKnown limits the words of a vocabulary.
const mostKnown = 1 << 16

// A known is a word with what follows from it.
type known struct {
	word, sound    string
	number, common bool
	stem           language.Stem
}

func newVocabulary(l *language.Language) *vocabulary {
	return &vocabulary{language: l, words: map[string]known{}}
}

// look returns a word in lower case with what follows from it.
func (v *vocabulary) look(word string) known {
	v.mu.RLock()
	k, ok := v.words[word]
	v.mu.RUnlock()
	if ok {
		return k
	}
	word = strings.Clone(word) // it is part of a text
	k = known{word: word, common: v.language.Common(word)}
	r, _ := utf8.DecodeRuneInString(word)
	if k.number = unicode.IsDigit(r); !k.number && !k.common {
		k.sound = sound(word)
	}
	k.stem, _ = v.language.Number(v.language.Stem(word))
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.words) < mostKnown {
		v.words[word] = k
	}
	return k
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

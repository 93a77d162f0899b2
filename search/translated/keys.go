package translated

import (
	"context"
	"slices"
	"sort"

	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/language"
	"github.com/otisk/otisk/search/hint"
)

// Limits of the stems that stand for one word of the suspect in keys. Each multiplies the keys
// that are looked up.
const (
	mostTranslated = 3 // by dictionary, besides one cognate
	keyReach       = 2 // words before a word with which it makes keys, as in [language.Keyer]
)

// Keys returns the keys of package language that a source in the language with this code has
// if the suspect is translated from it, by word of the suspect. It implements [hint.Namer].
func (s *search) Keys(ctx context.Context, code string) ([]hint.Key, error) {
	to := language.Of(code)
	if s.language == nil || to == nil || to == s.language {
		return nil, nil
	}
	d, err := s.finder.Dictionary(ctx, s.language, to)
	if err == nil && d == nil {
		err = hint.ErrNoLexicon
	}
	if err != nil {
		return nil, err
	}
	translations := s.wording(d).translations
	stems := lists.Map(s.suspect.forms, func(f form) []language.Stem { return d.stemsOf(f, translations[f.stem]) })
	most := 0
	s.neighbours(stems, func(_ int, own, before []language.Stem) { most += len(own) * len(before) })
	keys := make([]hint.Key, 0, most)
	s.neighbours(stems, func(word int, own, before []language.Stem) {
		for _, a := range before {
			for _, b := range own {
				if a != b {
					keys = append(keys, hint.Key{Hash: language.Key(a, b), Word: word})
				}
			}
		}
	})
	return keys, nil
}

// neighbours calls fn for each word of the suspect and each word before it with which it makes keys, with the stems of both. stems are
// those of each form.
func (s *search) neighbours(stems [][]language.Stem, fn func(word int, own, before []language.Stem)) {
	var last [keyReach][]language.Stem
	for word, form := range s.suspect.words {
		own := stems[form]
		if len(own) == 0 {
			continue
		}
		for _, before := range last {
			fn(word, own, before)
		}
		copy(last[1:], last[:])
		last[0] = own
	}
}

// stemsOf returns the stems of the other language that translate a word:
// those of its translations with the greatest weights, the nearest cognate, and, for a number, a name or a word that no
// dictionary has, its own stem.
func (d *Dictionary) stemsOf(f form, translations []translation) []language.Stem {
	if f.common || len(f.word) < 2 {
		return nil
	}
	var list []language.Stem
	add := func(stem language.Stem) {
		if !slices.Contains(list, stem) {
			list = append(list, stem)
		}
	}
	same := func() {
		if stem, ok := d.to.Number(d.to.Stem(f.word)); ok {
			add(stem)
		}
	}
	if f.number {
		same()
		return list
	}
	for _, t := range translations[:min(len(translations), mostTranslated)] {
		add(t.stem)
	}
	if stem, ok := d.cognate(f.sound); ok {
		add(stem)
	}
	if f.capital || len(translations) == 0 {
		same()
	}
	return list
}

// cognate returns the first of the stems of the dictionary's other language that sound most like s.
func (d *Dictionary) cognate(s string) (stem language.Stem, ok bool) {
	if len(s) < cognateLetter {
		return 0, false
	}
	most := 0
	from := sort.Search(len(d.soundOf), func(i int) bool { return string(d.sound(i)[:cognateLetter]) >= s[:cognateLetter] })
	for i := from; i < len(d.soundOf); i++ {
		n := alike(d.sound(i), s)
		if n < cognateLetter {
			break
		}
		if n > most {
			stem, most = d.soundOf[i], n
		}
	}
	return stem, most > 0
}

// alike returns the number of bytes that two sounds share at the start.
func alike(a []byte, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

package translated

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/otisk/otisk/language"
	"github.com/otisk/otisk/search/hint"
)

// Limits of the stems that stand for one word of the suspect in keys. Each multiplies the keys
// that are looked up.
const (
	mostTranslated = 3 // by dictionary
	mostCognates   = 1
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
	stems := make([][]language.Stem, len(s.suspect.forms))
	for i, f := range s.suspect.forms {
		stems[i] = d.stemsOf(f, s.suspect.stems[f.stem])
	}
	var keys []hint.Key
	var last [keyReach][]language.Stem
	for word, form := range s.suspect.words {
		own := stems[form]
		if len(own) == 0 {
			continue
		}
		for _, before := range last {
			for _, a := range before {
				for _, b := range own {
					if a != b {
						keys = append(keys, hint.Key{Hash: language.Key(a, b), Word: word})
					}
				}
			}
		}
		copy(last[1:], last[:])
		last[0] = own
	}
	return keys, nil
}

// stemsOf returns the stems of the other language that translate a word with this stem:
// translations with the greatest weights, the nearest cognate, and, for a number, a name or a word that no
// dictionary has, its own stem.
func (d *Dictionary) stemsOf(f form, own string) []language.Stem {
	if f.common || len(f.word) < 2 {
		return nil
	}
	var list []language.Stem
	add := func(stem string) {
		if n, ok := d.to.Number(stem); ok && !slices.Contains(list, n) {
			list = append(list, n)
		}
	}
	if f.number {
		add(d.to.Stem(f.word))
		return list
	}
	entries := slices.Clone(d.entries[own])
	slices.SortStableFunc(entries, func(a, b translation) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), strings.Compare(a.stem, b.stem))
	})
	for _, t := range entries[:min(len(entries), mostTranslated)] {
		add(t.stem)
	}
	for _, stem := range d.cognates(f.sound) {
		add(stem)
	}
	if f.capital || len(entries) == 0 {
		add(d.to.Stem(f.word))
	}
	return list
}

// cognates returns the stems of the dictionary's other language that sound most like s.
func (d *Dictionary) cognates(s string) []string {
	if len(s) < cognateLetter {
		return nil
	}
	list := slices.Clone(d.sounds()[s[:cognateLetter]])
	slices.SortStableFunc(list, func(a, b sounding) int { return cmp.Compare(alike(b.sound, s), alike(a.sound, s)) })
	var stems []string
	for _, c := range list[:min(len(list), mostCognates)] {
		stems = append(stems, c.stem)
	}
	return stems
}

// alike returns the number of bytes that two sounds share at the start.
func alike(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// A sounding is a stem with its sound.
type sounding struct{ stem, sound string }

// soundings returns the stems of the translations by the first letters of their sound.
func (d *Dictionary) soundings() map[string][]sounding {
	seen := map[string]bool{}
	list := map[string][]sounding{}
	for _, entries := range d.entries {
		for _, t := range entries {
			if seen[t.stem] {
				continue
			}
			seen[t.stem] = true
			if s := sound(t.stem); len(s) >= cognateLetter {
				list[s[:cognateLetter]] = append(list[s[:cognateLetter]], sounding{t.stem, s})
			}
		}
	}
	for _, some := range list {
		slices.SortFunc(some, func(a, b sounding) int { return strings.Compare(a.stem, b.stem) })
	}
	return list
}

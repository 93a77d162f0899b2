package language

import (
	"encoding/binary"
	"unicode/utf8"

	"github.com/otisk/otisk/fingerprint"
)

// keyReach is how many of the words before it a word makes keys with.
const keyReach = 2

// mostCached limits the words of a text whose stems a [Keyer] remembers.
const mostCached = 1 << 16

// A Stem is a number that represents the stem of a word in one language: CityHash64 of the
// code of the language and the stem.
type Stem uint64

// StemOf returns the stem of a word in lower case as a number; ok is false for function words
// and words of one letter, which make no keys.
func (l *Language) StemOf(word string) (s Stem, ok bool) {
	if utf8.RuneCountInString(word) < 2 || l.Common(word) {
		return 0, false
	}
	return l.Number(l.Stem(word))
}

// Number returns the number of a stem; ok is false for the empty stem.
func (l *Language) Number(stem string) (s Stem, ok bool) {
	if stem == "" {
		return 0, false
	}
	var room [64]byte
	return Stem(fingerprint.Sum64(append(append(append(room[:0], l.Code...), ' '), stem...))), true
}

// Key returns the key of two different stems of one language, in either order: the top
// [fingerprint.Bits] bits of the CityHash64 of both numbers, the smaller one first.
func Key(a, b Stem) fingerprint.Hash {
	var buf [16]byte
	binary.LittleEndian.PutUint64(buf[:], uint64(min(a, b)))
	binary.LittleEndian.PutUint64(buf[8:], uint64(max(a, b)))
	return fingerprint.Hash(fingerprint.Sum64(buf[:]) >> (64 - fingerprint.Bits))
}

// Sign returns the key that every text of the language has once, as its first.
func (l *Language) Sign() fingerprint.Hash {
	return fingerprint.Hash(fingerprint.Sum64([]byte("language "+l.Code)) >> (64 - fingerprint.Bits))
}

// A Keyer makes the keys by which translations of a text are found: unordered pairs of the
// stems of its words. Function words are skipped, and each other word makes keys with the two
// before it. A translation keeps many of these keys, in the language of the text, since words
// stay near each other.
type Keyer struct {
	language *Language
	signed   bool
	last     [keyReach]Stem // the last words, the nearest first; 0 for none
	cache    map[string]Stem
}

// NewKeyer returns a keyer for one text in l.
func (l *Language) NewKeyer() *Keyer { return &Keyer{language: l, cache: map[string]Stem{}} }

// AppendAll appends the keys of the next words of the text to keys. The first call begins with
// the sign of the language.
func (k *Keyer) AppendAll(keys []fingerprint.Hash, words *fingerprint.Stretch) []fingerprint.Hash {
	if !k.signed {
		keys, k.signed = append(keys, k.language.Sign()), true
	}
	start := 0
	for _, end := range words.Ends {
		if s := k.stem(words.Text[start:end]); s != 0 {
			keys = k.append(keys, s)
		}
		start = end + 1
	}
	return keys
}

func (k *Keyer) append(keys []fingerprint.Hash, s Stem) []fingerprint.Hash {
	for _, before := range k.last {
		if before != 0 && before != s {
			keys = append(keys, Key(before, s))
		}
	}
	copy(k.last[1:], k.last[:])
	k.last[0] = s
	return keys
}

// stem returns the stem of a word, 0 if it makes no keys.
func (k *Keyer) stem(word []byte) Stem {
	if s, ok := k.cache[string(word)]; ok {
		return s
	}
	s, _ := k.language.StemOf(string(word))
	if len(k.cache) < mostCached {
		k.cache[string(word)] = s
	}
	return s
}

package fingerprint

import (
	"bytes"
	"encoding/binary"
	"unicode/utf8"
)

const (
	// PairBits is the number of bits of a [Pair].
	PairBits = 40
	// formRunes is the number of code points that a word of Latin, Greek or Cyrillic letters
	// must have to count in a pair, and of which its form consists.
	formRunes = 5
)

// A Pair represents two neighbouring words, in either order: the top [PairBits] bits of the
// CityHash64 of their forms, the smaller one first in byte order, joined by a space.
//
// Only words of five code points or more count, and the form of a word is its first five: a
// simple stemmer for any language with an alphabet. Other scripts have shorter words and
// other numbers: see formLetters. So a passage keeps some of its pairs
// when words are exchanged, inflected or swapped, while it keeps no n-gram. Words that do
// not count are skipped. Pairs of rare words alone would name fewer wrong sources, but which
// words are rare changes while an index grows.
type Pair = Hash

// A Pairer makes the pairs of a sequence of words. The zero value is ready to use.
type Pairer struct {
	last []byte // form of the last word that counts
	form form   // the same if it is short; otherwise its size is 0
	buf  []byte
}

// Add adds the next word, and returns its pair with the last word before it that counts; ok
// is false if the word does not count, is the first one, or has the same form.
func (p *Pairer) Add(word []byte) (pair Pair, ok bool) {
	if len(word) < formRunes { // bytes: two characters of three bytes have more
		return 0, false
	}
	var start [16]byte
	copy(start[:], word)
	f, short := formAt(start[:], len(word))
	return p.add(f, short, word)
}

// AddString is Add for a word in a string, which it copies only if the word may count.
func (p *Pairer) AddString(word string) (pair Pair, ok bool) {
	if len(word) < formRunes {
		return 0, false
	}
	return p.Add([]byte(word))
}

// add adds a word, whose form is f if it is short.
func (p *Pairer) add(f form, short bool, word []byte) (pair Pair, ok bool) {
	switch {
	case !short || p.form.size == 0:
		pair, ok = p.addLong(word)
		if short && f.size > 0 {
			p.form = f
		}
		return pair, ok
	case f.size == 0 || f == p.form:
		return 0, false
	case f.size+p.form.size == 2*formRunes:
		pair = asciiPair(f.low, p.form.low)
	default:
		pair = shortPair(f, p.form)
	}
	p.form = f
	return pair, true
}

// addLong adds a word whose form, or that of the last word, is not short.
func (p *Pairer) addLong(word []byte) (pair Pair, ok bool) {
	if p.form.size > 0 {
		p.last = binary.LittleEndian.AppendUint64(p.last[:0], p.form.low)
		p.last = binary.LittleEndian.AppendUint64(p.last, p.form.high)[:p.form.size]
		p.form.size = 0
	}
	form := formOf(word)
	if form == nil || bytes.Equal(form, p.last) {
		return 0, false
	}
	first := len(p.last) == 0
	small, great := p.last, form
	if bytes.Compare(form, p.last) < 0 {
		small, great = form, p.last
	}
	p.buf = append(append(append(p.buf[:0], small...), ' '), great...)
	p.last = append(p.last[:0], form...)
	if first {
		return 0, false
	}
	return Pair(Sum64(p.buf) >> (64 - PairBits)), true
}

// formLetters returns how many code points a word needs to count, and of how many its form
// consists at most, by the first byte of its UTF-8.
func formLetters(first byte) (least, most int) {
	switch {
	case first < 0xD7:
		return formRunes, formRunes
	case first < 0xE0: // Hebrew, Arabic, Syriac: few vowels are written
		return 4, 4
	case first < 0xE3: // scripts of India and South-East Asia
		return 4, formRunes
	case first < 0xEA || first >= 0xEE: // Chinese and Japanese
		return 2, formRunes
	}
	return 3, 3 // Korean: a stem, to which endings are joined
}

// formOf returns the form of a word, nil if the word does not count.
func formOf(word []byte) []byte {
	least, most := formLetters(word[0])
	end := 0
	for i := range most {
		if end == len(word) {
			if i < least {
				return nil
			}
			break
		}
		_, size := utf8.DecodeRune(word[end:])
		end += size
	}
	return word[:end]
}

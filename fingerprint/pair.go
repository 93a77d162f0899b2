package fingerprint

import (
	"bytes"
	"encoding/binary"
	"unicode/utf8"
)

const (
	// PairBits is how many bits a [Pair] has.
	PairBits = 40
	// formRunes is how many code points a word must have to count in a pair,
	// and how many of them are its form.
	formRunes = 5
)

// A Pair stands for two neighbouring words, in either order: the top [PairBits]
// bits of the CityHash64 of their forms, the smaller one first (in the order of
// bytes), joined by a space.
//
// Only words of five code points or more count, and a word's form is its first
// five: a stemmer of a kind, for any language with an alphabet. So a passage
// keeps some of its pairs when words are exchanged, inflected or swapped, where
// it keeps no n-gram. Words between that do not count are passed over.
type Pair = Hash

// A Pairer makes the pairs of words that come one at a time. The zero value is
// ready to use.
type Pairer struct {
	last []byte // form of the last word that counts
	form form   // that form, where AppendAll left it; otherwise its size is 0
	buf  []byte
}

// Add takes the next word and returns the pair that it makes with the last word
// before it that counts; ok is false where it does not count itself, is the
// first that does, or has the form of the one before.
func (p *Pairer) Add(word []byte) (pair Pair, ok bool) {
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

// formOf returns the first code points of a word that counts, nil for another.
func formOf(word []byte) []byte {
	end := 0
	for range formRunes {
		if end == len(word) {
			return nil
		}
		_, size := utf8.DecodeRune(word[end:])
		end += size
	}
	return word[:end]
}

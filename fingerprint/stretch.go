package fingerprint

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// A Stretch is a run of consecutive words of a text.
type Stretch struct {
	Text   []byte // the words, each followed by a space
	Ends   []int  // end of each word in Text
	Breaks []int  // indices in Ends of words that begin a paragraph, ascending
}

// word returns word i.
func (s *Stretch) word(i int) []byte { return s.Text[s.start(i):s.Ends[i]] }

func (s *Stretch) start(i int) int {
	if i == 0 {
		return 0
	}
	return s.Ends[i-1] + 1
}

// AppendAll appends the hashes that Add would return for the words of s, with Break before
// each word that begins a paragraph. It is faster than Add because it hashes n-grams in
// place.
func (r *Roller) AppendAll(hashes []Hash, s *Stretch) []Hash {
	from := 0
	for _, b := range s.Breaks {
		hashes = r.appendPart(hashes, s, from, b)
		r.Break()
		from = b
	}
	return r.appendPart(hashes, s, from, len(s.Ends))
}

// appendPart adds the words [from, to) of s, which belong to one paragraph. It uses Add for
// words of paragraphs that extend beyond s.
func (r *Roller) appendPart(hashes []Hash, s *Stretch, from, to int) []Hash {
	n := len(r.starts)
	first := from + n - 1 // the word that ends the first n-gram
	if r.words > 0 || first >= to {
		for i := from; i < min(first, to); i++ {
			if h, ok := r.Add(s.word(i)); ok {
				hashes = append(hashes, h)
			}
		}
	}
	if first >= to {
		return hashes
	}
	start := s.start(from)
	for i := first; i < to; i++ {
		hashes = append(hashes, Of(s.Text[start:s.Ends[i]]))
		start = s.Ends[i-n+1] + 1
	}
	if to == len(s.Ends) {
		r.Break()
		for i := to - n + 1; i < to; i++ {
			r.Add(s.word(i))
		}
	}
	return hashes
}

// AppendAll appends the pairs that Add would return for the words of s. Most words have
// letters of one and two bytes, and their forms stay in registers. No word of fewer than
// formRunes bytes counts.
func (p *Pairer) AppendAll(pairs []Pair, s *Stretch) []Pair {
	start := 0
	for _, end := range s.Ends {
		from := start
		start = end + 1
		if end-from < formRunes {
			continue
		}
		f, short := formAt(s.Text[from:], end-from)
		if pair, ok := p.add(f, short, s.Text[from:end]); ok {
			pairs = append(pairs, pair)
		}
	}
	return pairs
}

// A form is the form of a word in two machine words: the first eight bytes, the first one
// lowest, and the following ones, padded with zeros.
type form struct {
	low, high uint64
	size      int // in bytes; 0 if the word does not count
}

// formAt returns the form of the word of length bytes, formRunes at least, at the start of
// text. It is short unless it begins with a letter from U+05C0 on, has letters of three
// bytes or more, or text is too short.
func formAt(text []byte, length int) (f form, short bool) {
	if len(text) < 16 || text[0] >= 0xD7 {
		return form{}, false
	}
	low := binary.LittleEndian.Uint64(text)
	if first := low & (1<<(8*formRunes) - 1); first&0x8080808080 == 0 {
		return form{first, 0, formRunes}, true
	}
	size := 0
	for range formRunes {
		b := text[size&15]
		switch {
		case size >= length:
			return form{}, true
		case b < utf8.RuneSelf:
			size++
		case b < 0xC2 || b > 0xDF || size+1 >= length || text[(size+1)&15]&0xC0 != 0x80:
			return form{}, false
		default:
			size += 2
		}
	}
	if size <= 8 {
		return form{low & (1<<(8*uint(size)) - 1), 0, size}, true
	}
	return form{low, binary.LittleEndian.Uint64(text[8:]) & (1<<(8*uint(size-8)) - 1), size}, true
}

// before reports whether f precedes g in byte order. No form is a prefix of another, so the
// padding does not matter.
func (f form) before(g form) bool {
	if f.low != g.low {
		return bits.ReverseBytes64(f.low) < bits.ReverseBytes64(g.low)
	}
	return bits.ReverseBytes64(f.high) < bits.ReverseBytes64(g.high)
}

// shortPair returns the pair of two different forms.
func shortPair(a, b form) Pair {
	if b.before(a) {
		a, b = b, a
	}
	var buf [2*16 + 1]byte
	binary.LittleEndian.PutUint64(buf[:], a.low)
	binary.LittleEndian.PutUint64(buf[8:], a.high)
	buf[a.size&15] = ' '
	rest := buf[a.size&15+1:][:16]
	binary.LittleEndian.PutUint64(rest, b.low)
	binary.LittleEndian.PutUint64(rest[8:], b.high)
	return Pair(Sum64(buf[:a.size+1+b.size]) >> (64 - PairBits))
}

// asciiPair returns the pair of two different forms of five bytes.
func asciiPair(a, b uint64) Pair {
	if bits.ReverseBytes64(a) > bits.ReverseBytes64(b) {
		a, b = b, a
	}
	head := a | ' '<<40 | b<<48
	tail := a>>24 | ' '<<16 | b<<24
	return Pair(sum8to16(head, tail, 2*formRunes+1) >> (64 - PairBits))
}

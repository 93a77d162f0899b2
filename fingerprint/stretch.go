package fingerprint

import (
	"encoding/binary"
	"math/bits"
)

// A Stretch is some consecutive words of a text, taken at once.
type Stretch struct {
	Text   []byte // the words, each followed by a space
	Ends   []int  // where each word ends in Text
	Breaks []int  // the words that begin a paragraph, by number in Ends, rising
}

// word returns word i.
func (s *Stretch) word(i int) []byte { return s.Text[s.start(i):s.Ends[i]] }

func (s *Stretch) start(i int) int {
	if i == 0 {
		return 0
	}
	return s.Ends[i-1] + 1
}

// AppendAll appends the hashes that Add would return for the words of s one
// after another, with Break before each that begins a paragraph. It is faster:
// an n-gram is hashed where it is in Text.
func (r *Roller) AppendAll(hashes []Hash, s *Stretch) []Hash {
	from := 0
	for _, b := range s.Breaks {
		hashes = r.appendPart(hashes, s, from, b)
		r.Break()
		from = b
	}
	return r.appendPart(hashes, s, from, len(s.Ends))
}

// appendPart takes the words of s from from to before to, which are of one
// paragraph. Only where that goes on before or after s, words go through Add.
func (r *Roller) appendPart(hashes []Hash, s *Stretch, from, to int) []Hash {
	n := len(r.starts)
	first := from + n - 1 // ends the first n-gram that begins here
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

// AppendAll appends the pairs that Add would return for the words of s one
// after another. Words whose forms are ASCII, as most are, stay in registers.
func (p *Pairer) AppendAll(pairs []Pair, s *Stretch) []Pair {
	start := 0
	for _, end := range s.Ends {
		word := s.Text[start:end]
		start = end + 1
		if len(word) < formRunes {
			continue
		}
		form, ascii := asciiForm(s.Text[end-len(word):])
		if !ascii || p.ascii == 0 {
			if pair, ok := p.Add(word); ok {
				pairs = append(pairs, pair)
			}
			if ascii {
				p.ascii = form
			}
		} else if form != p.ascii {
			pairs = append(pairs, asciiPair(form, p.ascii))
			p.ascii = form
		}
	}
	return pairs
}

// asciiForm returns the first five bytes of text, the first one lowest; ok is
// false where they are not ASCII or there is too little text to look.
func asciiForm(text []byte) (form uint64, ok bool) {
	if len(text) < 8 {
		return 0, false
	}
	form = binary.LittleEndian.Uint64(text) & (1<<40 - 1)
	return form, form&0x8080808080 == 0
}

// asciiPair returns the pair of two different forms.
func asciiPair(a, b uint64) Pair {
	if bits.ReverseBytes64(a) > bits.ReverseBytes64(b) {
		a, b = b, a
	}
	head := a | ' '<<40 | b<<48
	tail := a>>24 | ' '<<16 | b<<24
	return Pair(sum8to16(head, tail, 2*formRunes+1) >> (64 - PairBits))
}

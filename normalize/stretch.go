package normalize

import (
	"encoding/binary"
	"math/bits"
)

// stretchBytes is the size in bytes at which a [Stretch] is full. It can exceed it by one
// word.
const stretchBytes = 16 << 10

// A Stretch is a buffer of consecutive words of a text, filled by [Scanner.Fill].
type Stretch struct {
	Text   []byte // the normalised words, each followed by a space
	Ends   []int  // the offset of the end of each word in Text
	Breaks []int  // indexes in Ends of the words that begin a paragraph
}

// Fill replaces the content of st with the next words of the text, and reports
// whether there were any. It returns the same words as Next, several times as
// fast. Word and Span do not apply to them.
func (s *Scanner) Fill(st *Stretch) bool {
	if cap(st.Text) < stretchBytes+2*maxWord {
		st.Text = make([]byte, 0, stretchBytes+2*maxWord)
	}
	st.Text, st.Ends, st.Breaks, s.places = st.Text[:0], st.Ends[:0], st.Breaks[:0], s.places[:0]
	for len(st.Text) < stretchBytes {
		if len(s.n.stop) == 0 {
			s.plain(st)
		}
		if !s.Next() {
			break
		}
		s.begin(st)
		st.Text = append(append(st.Text, s.Word()...), ' ')
		st.Ends = append(st.Ends, len(st.Text)-1)
		s.place(s.start, s.end)
	}
	return len(st.Ends) > 0
}

// Offset returns the byte offset of the scanner in the text, which is between the
// words that Fill or Next have returned and the rest. A new scanner of the text
// from this offset returns the remaining words.
func (s *Scanner) Offset() int { return s.at }

// begin records in st if the next word begins a paragraph.
func (s *Scanner) begin(st *Stretch) {
	if s.paragraph == s.filled {
		st.Breaks = append(st.Breaks, len(st.Ends))
		s.filled++
	}
}

// place records the position of the next word of a stretch, if s.placing is set.
func (s *Scanner) place(start, end int) {
	if s.placing {
		s.places = append(s.places, Word{Start: start, End: end})
	}
}

// plain appends words to st that consist of characters in the fast tables, with
// separators in the table between, and stops before the first other character.
// Most of a text is of this kind. plain does the work of seek, collect and run in one
// loop.
func (s *Scanner) plain(st *Stretch) {
	text, t := s.text, &s.n.table
	buf, size := st.Text[:cap(st.Text)], len(st.Text)
	at := s.at
	for size < stretchBytes {
		from, start := at, size
		for size-start < maxWord-8 {
			if t.letters && at+8 <= len(text) {
				low, count := lowerLetters(binary.LittleEndian.Uint64([]byte(text[at : at+8])))
				binary.LittleEndian.PutUint64(buf[size:], low)
				at, size = at+count, size+count
				if count == 8 {
					continue
				}
			}
			if at+1 >= len(text) {
				break
			}
			b := text[at]
			if low := t.ascii[b]; low != 0 {
				buf[size] = low
				at, size = at+1, size+1
				continue
			}
			if b < 0xC2 || b > 0xDF || text[at+1]&0xC0 != 0x80 {
				break
			}
			low := t.two[uint(b&0x1F)<<6|uint(text[at+1]&0x3F)]
			if low == 0 {
				break
			}
			binary.LittleEndian.PutUint16(buf[size:], low)
			at, size = at+2, size+2
		}
		if !s.ends(at) {
			s.at = from
			return
		}
		if size > start {
			s.begin(st)
			buf[size] = ' '
			st.Ends = append(st.Ends, size)
			size++
			st.Text = buf[:size]
			s.place(from, at)
			s.line.cover(from, at)
			s.visible, s.hasWords = true, true
		}
		s.at = at
		if c := t.between[text[at]]; c == space {
			s.at++
		} else {
			s.pass(c, 1)
		}
		at++
	}
}

// ends reports whether the byte at offset at separates words in any context: it is a
// separator and no mark follows it.
func (s *Scanner) ends(at int) bool {
	t := &s.n.table
	if at+1 >= len(s.text) || t.between[s.text[at]] == keep {
		return false
	}
	if s.text[at+1] < firstMarkByte {
		return true
	}
	_, marked := isMark(t, s.text[at+1:])
	return !marked
}

// lowerLetters returns eight bytes with their ASCII letters in lower case, and the
// number of letters before the first other byte.
func lowerLetters(w uint64) (low uint64, count int) {
	const ones, high = 0x0101010101010101, 0x8080808080808080
	low = w | 0x20*ones
	x := low &^ high
	letters := (x + (0x80-'a')*ones) &^ (x + (0x80-'z'-1)*ones) &^ w & high
	return low, bits.TrailingZeros64(letters^high) / 8
}

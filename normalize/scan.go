package normalize

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A class says what a character does to the word it meets.
type class uint8

const (
	split  class = iota // ends the word
	keep                // belongs to the word
	gone                // vanishes, the word goes on
	breaks              // ends the line
	space               // ends the word and leaves a line blank
)

// invisible are characters that show nothing and so part nothing: the soft
// hyphen, zero-width characters and the byte order mark.
func invisible(r rune) bool {
	switch r {
	case 0xAD, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF:
		return true
	}
	return false
}

func (n *Normalizer) classify(r rune) class {
	switch {
	case r == '\n', r == '\r', r == 0x85, r == 0x2028, r == 0x2029:
		return breaks
	case unicode.IsSpace(r):
		return space
	case n.deleted[r], invisible(r):
		return gone
	case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r):
		return keep
	case n.keepPunc && r >= ' ' && r != utf8.RuneError && r != 0x7F:
		return keep
	}
	return split
}

// A Scanner walks the words of one text. It holds one word at a time, so its
// memory does not grow with the text.
type Scanner struct {
	n    *Normalizer
	text string
	mode Mode

	at             int // next byte to read
	word           []byte
	raw            bool // the word has characters beyond ASCII, not normalised yet
	start, end     int
	paragraph      int
	paragraphStart int
	content        int  // where the paragraph's text starts, -1 before it does
	hasWords       bool // whether the current paragraph has had a word
	blank          bool // nothing but white space on this line so far
	scratch        []byte
}

// Scan returns a scanner at the start of text. A mode of Auto is resolved on
// text. Bytes that are not UTF-8 split words.
func (n *Normalizer) Scan(text string, mode Mode) *Scanner {
	return &Scanner{n: n, text: text, mode: n.resolved(text, mode), content: -1, blank: true}
}

// Word returns the normalised word. It is valid until the next call of Next.
func (s *Scanner) Word() []byte { return s.word }

// Span returns the byte range of the word in the original text.
func (s *Scanner) Span() (start, end int) { return s.start, s.end }

// Paragraph returns the number of the word's paragraph, counted from 0.
// Paragraphs without words are not counted.
func (s *Scanner) Paragraph() int { return s.paragraph }

// Next goes to the next word and reports whether there is one.
func (s *Scanner) Next() bool {
	s.word, s.raw = s.word[:0], false
	for s.at < len(s.text) {
		c, size := s.class()
		switch c {
		case keep:
			s.append(size)
			continue
		case gone:
			s.mark()
			s.at += size
			continue
		case split:
			s.mark()
		}
		if len(s.word) > 0 && s.finish() {
			return true
		}
		s.at += size
		if c == breaks {
			s.lineBreak()
		}
	}
	return len(s.word) > 0 && s.finish()
}

// class returns what the character or markup at s.at does, and its length in
// bytes.
func (s *Scanner) class() (class, int) {
	b := s.text[s.at]
	if s.n.markup.starts[b] {
		if act, size := s.n.markup.match(s.text[s.at:]); size > 0 {
			return act, size
		}
	}
	if b < utf8.RuneSelf {
		if b == '\r' && s.at+1 < len(s.text) && s.text[s.at+1] == '\n' {
			return breaks, 2
		}
		return s.n.ascii[b], 1
	}
	r, size := utf8.DecodeRuneInString(s.text[s.at:])
	if r == utf8.RuneError && size == 1 {
		return split, 1
	}
	return s.n.classify(r), size
}

// append adds the character at s.at to the word.
func (s *Scanner) append(size int) {
	s.mark()
	if len(s.word) == 0 {
		s.start = s.at
	}
	if b := s.text[s.at]; size == 1 {
		if 'A' <= b && b <= 'Z' {
			b += 'a' - 'A'
		}
		s.word = append(s.word, b)
	} else {
		s.word = append(s.word, s.text[s.at:s.at+size]...)
		s.raw = true
	}
	s.at += size
	s.end = s.at
}

// mark notes that the line is not blank and where the paragraph's text starts.
func (s *Scanner) mark() {
	s.blank = false
	if s.content < 0 {
		s.content = s.at
	}
}

// finish completes the word and reports whether it counts: stop words do not.
func (s *Scanner) finish() bool {
	if s.raw {
		s.word = s.fold(s.word)
	}
	if len(s.n.stop) > 0 && s.n.stop[string(s.word)] {
		s.word, s.raw = s.word[:0], false
		return false
	}
	if !s.hasWords {
		s.hasWords, s.paragraphStart = true, s.content
	}
	return true
}

// fold returns the composed (NFC) lower-case form of word. Lower-casing can
// part what composes, so it is composed once more.
func (s *Scanner) fold(word []byte) []byte {
	word = norm.NFC.Bytes(word)
	low := s.scratch[:0]
	for _, r := range string(word) {
		low = utf8.AppendRune(low, unicode.ToLower(r))
	}
	s.scratch = low
	return append(word[:0], norm.NFC.Bytes(low)...)
}

// lineBreak ends a line, and the paragraph where the mode says so.
func (s *Scanner) lineBreak() {
	if s.mode == Line || s.mode == Blank && s.blank {
		s.content = -1
		if s.hasWords {
			s.paragraph++
			s.hasWords = false
		}
	}
	s.blank = true
}

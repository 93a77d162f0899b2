package normalize

import (
	"unicode/utf8"
)

// The ways through a text, fast and slow.
//
// Texts that Unicode calls equivalent have the same words, and a tag may begin
// anywhere. So a character would have to be composed with the marks on it, and
// compared with the tags of the rules, before it counts: [Scanner.examine] does
// that, for anything. But what most characters come to is known beforehand, and
// the tables of class.go have it. There are four ways, here with their share of
// the bytes of English web pages (PAN 2013) and of Czech novels:
//
//	run       word characters, as many as follow one another   80 %    77 %
//	seek      ASCII between words, from the table parts        18 %    20 %
//	look      other characters below U+2100, one at a time      2 %     4 %
//	examine   all else                                          0.02 %  0.01 %
//
// Each way takes what the way before it does not:
//
//   - run takes characters of one and two bytes (Latin, Greek, Cyrillic, Hebrew,
//     Arabic) that are composed, can begin no tag, and have a lower-case form of
//     their own length. A mark is none of them, so only the last character of a
//     run can have one on it: that one goes back.
//   - seek takes spaces and signs that can begin no tag, if the next byte is below
//     0xCC: a mark has no lower first byte. In collect such a byte ends the word.
//   - look takes dashes and curly quotes, deleted characters, what can begin a tag
//     and is then compared with them, a letter such as Ⱥ, whose lower-case form is
//     longer, Devanagari without marks, and ASCII before a byte from 0xCC on.
//   - examine takes characters that have marks on them or are marks, that are not
//     composed, carriage returns (a line feed may belong to them), all from U+2100
//     on, such as Chinese, and bytes that are not UTF-8.
//
// Whoever takes many words at once calls [Scanner.Fill], in which one loop does
// what seek, collect and run do one after another (stretch.go).
//
// BenchmarkScan, on an AMD EPYC with other work on it: English 265 MB/s, Czech
// 288, Cyrillic 165, Hindi 51, Chinese 23, Czech in decomposed letters 17. That
// all ways agree is what the tests hold on to: they compare the scanner with
// the simplest program that follows the rules (reference_test.go).

// maxWord is the length of the longest word in bytes, normalised. A longer one
// (a text without spaces, encoded data) is cut into several, between two
// characters, so that no text fills the memory.
const maxWord = 1 << 10

// A Scanner walks the words of one text. It holds one word at a time, so its
// memory does not grow with the text: a word of more than 1,024 bytes becomes
// several.
type Scanner struct {
	n    *Normalizer
	text string
	mode Mode
	at   int // next byte to read

	start, end int // of the word
	size       int // bytes of it in word
	word       [maxWord]byte
	unit       []byte // the last word character that look met, normalised
	folder     folder

	line      extent // what is on the line, without white space around it
	visible   bool   // whether more than markup does
	open      extent // the lines of the current paragraph
	hasWords  bool   // whether the current paragraph has had a word
	paragraph int    // paragraphs that ended
	closed    extent // the last of them
	filled    int    // paragraphs that Fill has begun

	placing bool   // whether Fill notes where words are
	places  []Word // where the words of the last Fill are, without their texts
}

// An extent is a byte range; none yet where end is 0.
type extent struct{ start, end int }

// cover makes x reach over [start, end), which does not begin before x.
func (x *extent) cover(start, end int) {
	if x.end == 0 {
		x.start = start
	}
	x.end = end
}

// Scan returns a scanner at the start of text. A mode of Auto is resolved on
// text. Bytes that are not UTF-8 split words.
func (n *Normalizer) Scan(text string, mode Mode) *Scanner {
	return &Scanner{n: n, text: text, mode: mode.Resolve(text)}
}

// Word returns the normalised word. It is valid until the next call of Next.
func (s *Scanner) Word() []byte { return s.word[:s.size] }

// Span returns the byte range of the word in the original text.
func (s *Scanner) Span() (start, end int) { return s.start, s.end }

// Paragraph returns the number of the word's paragraph, counted from 0.
// Paragraphs without words are not counted.
func (s *Scanner) Paragraph() int { return s.paragraph }

// Ended returns the byte range of the last paragraph that has ended: the one
// before the word's, or the last one of the text once Next has returned false.
func (s *Scanner) Ended() (start, end int) { return s.closed.start, s.closed.end }

// Next goes to the next word and reports whether there is one.
func (s *Scanner) Next() bool {
	for s.seek() {
		s.collect()
		if len(s.n.stop) == 0 || !s.n.stop[string(s.Word())] {
			s.hasWords = true
			return true
		}
	}
	s.size = 0
	s.endLine()
	s.endParagraph()
	return false
}

// seek goes to the start of the next word; it returns false at the end of the
// text.
func (s *Scanner) seek() bool {
	for s.at < len(s.text) {
		if s.alone() {
			b := s.text[s.at]
			if s.n.table.ascii[b] != 0 {
				return true
			}
			if c := s.n.table.parts[b]; c != keep {
				s.pass(c, 1)
				continue
			}
		}
		c, size := s.look()
		if c == keep {
			return true
		}
		s.pass(c, size)
	}
	return false
}

// alone reports whether no mark can follow the byte at s.at.
func (s *Scanner) alone() bool { return s.at+1 == len(s.text) || s.text[s.at+1] < firstMarkByte }

// pass goes over size bytes of class c between words.
func (s *Scanner) pass(c class, size int) {
	from := s.at
	s.at += size
	switch c {
	case breaks:
		s.endLine()
	case split, gone:
		s.line.cover(from, s.at)
		s.visible = true
	case tag:
		s.line.cover(from, s.at)
	}
}

// collect takes the word that starts at s.at, and what vanishes after it.
func (s *Scanner) collect() {
	s.start, s.size = s.at, 0
	end := s.at // of what is on the line
	for s.run(); s.at < len(s.text); s.run() {
		if s.n.table.parts[s.text[s.at]] != keep && s.alone() {
			break
		}
		c, size := s.look()
		if c == keep && s.size+len(s.unit) <= maxWord {
			s.size += copy(s.word[s.size:], s.unit)
			s.end = s.at + size
		} else if c != gone && c != tag && c != hidden {
			break
		}
		s.at += size
		if c != hidden {
			end = s.at
		}
	}
	s.line.cover(s.start, max(end, s.end))
	s.visible = true
}

// run takes the characters at s.at that the fast tables have.
func (s *Scanner) run() {
	text, t, from := s.text, &s.n.table, s.at
	at, size := from, uint(s.size)
	for at < len(text) && size < maxWord-1 {
		b := text[at]
		if low := t.ascii[b]; low != 0 {
			s.word[size] = low
			size++
			at++
			continue
		}
		if b < 0xC2 || b > 0xDF || at+1 == len(text) || text[at+1]&0xC0 != 0x80 {
			break
		}
		low := t.two[uint(b&0x1F)<<6|uint(text[at+1]&0x3F)]
		if low == 0 {
			break
		}
		s.word[size], s.word[size+1] = byte(low), byte(low>>8)
		size += 2
		at += 2
	}
	if at == from {
		return
	}
	if _, marked := isMark(t, text[at:]); marked {
		// The last one is no character of its own. It has its length in both.
		_, last := utf8.DecodeLastRuneInString(text[:at])
		at -= last
		size -= uint(last)
	}
	s.at, s.size = at, int(size)
	if at > from {
		s.end = at
	}
}

// look returns the class and the length of what is at s.at. Of a word
// character it leaves the normalised form in s.unit.
func (s *Scanner) look() (c class, size int) {
	rest, t := s.text[s.at:], &s.n.table
	r, size := utf8.DecodeRuneInString(rest)
	if r >= tableSize || t.slow[r] {
		return s.examine(rest)
	}
	if _, marked := isMark(t, rest[size:]); marked {
		return s.examine(rest)
	}
	if t.begins[r] {
		if c, size := s.n.markup.match(t, &s.folder, rest); size > 0 {
			return c, size
		}
	}
	if c = t.class[r]; c == keep {
		s.unit = utf8.AppendRune(s.unit[:0], lowerRune(r))
	}
	return c, size
}

// examine does what look does, for any text.
func (s *Scanner) examine(rest string) (c class, size int) {
	if c, size = s.n.markup.match(&s.n.table, &s.folder, rest); size > 0 {
		return c, size
	}
	size, counts := unit(&s.n.table, rest)
	if counts == 0 {
		return split, size
	}
	return s.fold(rest[:counts]), size
}

// fold returns the class of a unit: that of its first character once composed,
// so that é goes as é whichever way it is written, and marks go where the
// character goes that they are on. Of a word character it leaves the
// normalised form in s.unit.
func (s *Scanner) fold(unit string) class {
	composed := s.folder.compose(unit)
	first, size := utf8.DecodeRune(composed)
	if c := s.n.class(first); c != keep {
		return c
	}
	kept := composed[:size]
	for i := size; i < len(composed); i += size {
		var r rune
		if r, size = utf8.DecodeRune(composed[i:]); s.n.class(r) == keep {
			kept = append(kept, composed[i:i+size]...)
		}
	}
	s.unit = append(s.unit[:0], s.folder.lower(kept)...)
	return keep
}

// endLine ends a line, and the paragraph where the mode says so.
func (s *Scanner) endLine() {
	if s.visible {
		s.open.cover(s.line.start, s.line.end)
	}
	if s.mode == Line || s.mode == Blank && !s.visible {
		s.endParagraph()
	}
	s.line, s.visible = extent{}, false
}

// endParagraph ends a paragraph; one without words never was.
func (s *Scanner) endParagraph() {
	if s.hasWords {
		s.closed = s.open
		s.paragraph++
	}
	s.open, s.hasWords = extent{}, false
}

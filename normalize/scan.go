package normalize

import (
	"unicode"
	"unicode/utf8"
)

// Fast and slow paths of the scanner.
//
// Canonically equivalent texts have the same words, and a tag may begin anywhere.
// In general, a character must therefore be composed with its marks and compared
// with the tags of the rules: [Scanner.examine] does this for any character. For
// most characters, however, the result is known in advance and stored in the
// tables of class.go. There are four paths, listed with their share of the bytes
// of English web pages (PAN 2013) and of Czech novels:
//
//	run       sequences of word characters                     80 %    77 %
//	seek      ASCII between words, by the table parts          18 %    20 %
//	look      other characters below U+2100, one at a time      2 %     4 %
//	examine   all other input                                   0.02 %  0.01 %
//
// Each path handles input that the previous paths do not:
//
//   - run handles characters of one and two bytes (Latin, Greek, Cyrillic, Hebrew,
//     Arabic) that are composed, cannot begin a tag, and have a lower-case form of
//     the same length. Marks are not among them, so only the last character of a
//     run can have a mark; in that case, run puts it back.
//   - seek handles spaces and signs that cannot begin a tag, if the next byte is
//     below 0xCC and thus not the first byte of a mark. In collect, such a byte ends
//     the word.
//   - look handles dashes and curly quotes; deleted characters; characters that can
//     begin a tag, which it compares with the tags; letters such as Ⱥ, whose
//     lower-case form has another length; Devanagari, Chinese, Japanese and Korean
//     without marks; and ASCII before a byte of 0xCC or higher.
//   - examine handles characters with marks, marks, characters that are not
//     composed, carriage returns (a line feed may follow), other characters from
//     U+2100 upwards, and bytes that are not UTF-8.
//
// To read many words at once, call [Scanner.Fill], which combines seek, collect and
// run in one loop (stretch.go).
//
// BenchmarkScan, on an AMD EPYC with other load: English 265 MB/s, Czech 288,
// Cyrillic 165, Hindi 43, Chinese 27, Czech in decomposed letters 17. Tests compare
// the scanner with the simplest program that follows the rules (reference_test.go),
// so that all paths agree.

// maxWord is the maximum length of a normalised word in bytes. Longer words, as in
// texts without spaces and in encoded data, are split between two characters, so
// that no text exhausts the memory.
const maxWord = 1 << 10

// A Scanner reads the words of one text. It holds one word at a time, so its
// memory does not grow with the text. It splits words of more than 1,024 bytes.
type Scanner struct {
	n    *Normalizer
	text string
	mode Mode
	at   int // next byte to read

	start, end int // byte range of the word in text
	size       int // length of the normalised word
	word       [maxWord]byte
	unit       []byte // the last word character that look read, normalised
	folder     folder

	line      extent // the content of the line, without white space around it
	visible   bool   // whether the line has content other than markup
	open      extent // the lines of the current paragraph
	hasWords  bool   // whether the current paragraph has a word
	paragraph int    // number of paragraphs that have ended
	closed    extent // the last paragraph that has ended
	filled    int    // number of paragraphs that Fill has begun

	placing bool   // whether Fill records the positions of words
	places  []Word // positions of the words of the last Fill, without their text
}

// An extent is a byte range. It is unset if end is 0.
type extent struct{ start, end int }

// cover extends x to the end of [start, end), which must not begin before x.
func (x *extent) cover(start, end int) {
	if x.end == 0 {
		x.start = start
	}
	x.end = end
}

// Scan returns a Scanner at the start of text. A mode of Auto is resolved on
// text. Bytes that are not UTF-8 separate words.
func (n *Normalizer) Scan(text string, mode Mode) *Scanner {
	return &Scanner{n: n, text: text, mode: mode.Resolve(text)}
}

// Word returns the normalised word. It is valid until the next call of Next.
func (s *Scanner) Word() []byte { return s.word[:s.size] }

// Span returns the byte range of the word in the original text.
func (s *Scanner) Span() (start, end int) { return s.start, s.end }

// Paragraph returns the index of the paragraph of the current word, from 0.
// Paragraphs without words are not counted.
func (s *Scanner) Paragraph() int { return s.paragraph }

// Ended returns the byte range of the last paragraph that has ended: the paragraph
// before that of the current word, or the last paragraph of the text after Next has
// returned false.
func (s *Scanner) Ended() (start, end int) { return s.closed.start, s.closed.end }

// Next advances to the next word and reports whether there is one.
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

// seek advances to the start of the next word. It returns false at the end of the
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

// alone reports whether the byte at s.at cannot be followed by a mark.
func (s *Scanner) alone() bool { return s.at+1 == len(s.text) || s.text[s.at+1] < firstMarkByte }

// pass skips size bytes of class c between words.
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

// collect reads the word that starts at s.at, and deleted characters after it.
func (s *Scanner) collect() {
	s.start, s.size = s.at, 0
	end := s.at // end of the content of the line
	for s.run(); s.at < len(s.text); {
		if s.n.table.parts[s.text[s.at]] != keep && s.alone() && !s.unspaced() {
			break
		}
		c, size := s.look()
		if c == keep && s.fits() {
			s.size += copy(s.word[s.size:], s.unit)
			s.end = s.at + size
		} else if (c == space || c == breaks) && s.bridge() {
			end = s.at
			continue
		} else if c != keep && s.divided(size) {
			end = s.at
			continue
		} else if c != gone && c != tag && c != hidden {
			break
		}
		s.at += size
		if c != hidden {
			end = s.at
		}
		if !s.unspaced() {
			s.run()
		}
	}
	s.line.cover(s.start, max(end, s.end))
	s.visible = true
}

// unspaced reports whether the word ends with a character of a script without spaces.
func (s *Scanner) unspaced() bool {
	return s.size >= 3 && s.word[s.size-2]&0xC0 == 0x80 && Unspaced(s.last()) // they have at least three bytes
}

// last returns the last character of the word.
func (s *Scanner) last() rune {
	r, _ := utf8.DecodeLastRune(s.word[:s.size])
	return r
}

// fits reports whether s.unit continues the word.
func (s *Scanner) fits() bool {
	if s.size == 0 || s.size+len(s.unit) > maxWord {
		return s.size == 0
	}
	first, _ := utf8.DecodeRune(s.unit)
	return !cut(s.last(), first)
}

// bridge passes the white space at s.at if the word continues after it, and reports
// whether it does: only words of scripts without spaces can, within a paragraph.
func (s *Scanner) bridge() bool {
	if !s.unspaced() {
		return false
	}
	from, visible := s.at, true // whether the line has content
	for s.at < len(s.text) {
		c, size := s.look()
		if c == keep && s.fits() {
			s.passTo(from)
			return true
		}
		if c == keep || c == split || c == breaks && (s.mode == Line || s.mode == Blank && !visible) {
			break
		}
		visible = visible && c != breaks || c == gone
		s.at += size
	}
	s.at = from
	return false
}

// divided passes the hyphen at s.at and the line end after it if they divide a word, and reports
// whether they do: a letter or digit precedes the hyphen and starts the next line. Where hyphens
// are deleted, a compound that a line end divides is thus the same word as one on a line.
func (s *Scanner) divided(size int) bool {
	hyphen := s.text[s.at : s.at+size]
	if s.mode == Line || s.at+size == len(s.text) || !divides(hyphen, s.n.class) || !wordStart(s.last()) || endsInHyphen(s.text[:s.at]) {
		return false
	}
	from, lines := s.at, 0
	for s.at += size; s.at < len(s.text) && lines < 2; s.at += size {
		var c class
		if c, size = s.look(); c == breaks {
			lines++
		}
		first, _ := utf8.DecodeRune(s.unit)
		if c == keep && lines == 1 && wordStart(first) && s.fits() && !(endsInHyphen(hyphen) && Suspends(s.text[s.at:])) {
			s.passTo(from)
			return true
		}
		if c != space && c != breaks {
			break
		}
	}
	s.at = from
	return false
}

// passTo passes the bytes from an offset to s.at, which do not end the current word.
func (s *Scanner) passTo(from int) {
	to := s.at
	s.line.cover(s.start, s.end)
	s.visible = true
	for s.at = from; s.at < to; {
		s.pass(s.look())
	}
}

// run appends the characters at s.at that are in the fast tables to the word.
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
		// The last character has a mark, so it is put back. Its normalised form is as long.
		_, last := utf8.DecodeLastRuneInString(text[:at])
		at -= last
		size -= uint(last)
	}
	s.at, s.size = at, int(size)
	if at > from {
		s.end = at
	}
}

// look returns the class and the length of the character or markup at s.at. For a
// word character, it sets s.unit to the normalised form.
func (s *Scanner) look() (c class, size int) {
	rest, t := s.text[s.at:], &s.n.table
	r, size := utf8.DecodeRuneInString(rest)
	if r >= tableSize {
		if _, marked := isMark(t, rest[size:]); !marked && isPlain(r) && !s.n.deleted[r] && !s.n.markup.begins(foldRune(r)) {
			s.unit = utf8.AppendRune(s.unit[:0], foldRune(r))
			return keep, size
		}
		return s.examine(rest)
	}
	if t.slow[r] {
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
		s.unit = utf8.AppendRune(s.unit[:0], foldRune(r))
	}
	return c, size
}

// examine is like look, but handles any input.
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

// fold returns the class of a unit, which is the class of the first character of its
// composed form that is not an omissible mark. Thus all forms of é have the same class, and
// marks have the class of their base character. For a word character, fold sets s.unit to the normalised form.
func (s *Scanner) fold(unit string) class {
	if r, _ := utf8.DecodeRuneInString(unit); s.n.deleted[r] && isForm(r) {
		return gone
	}
	composed := s.folder.compose(unit)
	first, size := utf8.DecodeRune(composed)
	for size < len(composed) && unicode.Is(omissible, first) {
		composed = composed[size:]
		first, size = utf8.DecodeRune(composed)
	}
	if c := s.n.class(first); c != keep {
		return c
	}
	kept := composed[:size]
	for i := size; i < len(composed); i += size {
		var r rune
		if r, size = utf8.DecodeRune(composed[i:]); s.n.class(r) == keep && !isStress(first, r) {
			kept = append(kept, composed[i:i+size]...)
		}
	}
	s.unit = append(s.unit[:0], s.folder.lower(kept)...)
	return keep
}

// endLine ends the line, and the paragraph if the mode requires it.
func (s *Scanner) endLine() {
	if s.visible {
		s.open.cover(s.line.start, s.line.end)
	}
	if s.mode == Line || s.mode == Blank && !s.visible {
		s.endParagraph()
	}
	s.line, s.visible = extent{}, false
}

// endParagraph ends the paragraph. Paragraphs without words are not counted.
func (s *Scanner) endParagraph() {
	if s.hasWords {
		s.closed = s.open
		s.paragraph++
	}
	s.open, s.hasWords = extent{}, false
}

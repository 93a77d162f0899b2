package layout

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/document/pdf"
)

// Much text that nobody sees was hidden by nobody: marks of printers and what is cut off
// a figure, the line of a program that made the file, labels of a diagram that are
// white. Left out of the text it is all the same, but only what can serve to hide a
// copy is flagged: text within lines, which parts words or joins them, and prose.
// The rest is a note.

// Bounds of what is flagged.
const (
	withinLines = 3   // places within lines
	proseWords  = 5   // of a place that is prose
	proseChars  = 100 // of all such places together
	proseShare  = 200 // bytes of the text for one of them
	sameLine    = 1   // points that two pieces of a line differ in height
)

// A hiding is the text of one document that is not seen for one reason.
type hiding struct {
	why           string
	chars, places int
	within        int // places within lines
	prose         int // characters of places that are prose
	pages         int
	first, last   int             // of these
	texts         map[string]bool // of the places, without what numbers count
	stamps        map[int][]byte  // the letters of each page, in no order
	onPage        map[int]int     // characters of each page
	text          int             // bytes of what is seen in the document
}

// hidings returns what is not seen, in the order of reasons as they come.
func hidings(pages []pdf.Page) []*hiding {
	var list []*hiding
	by := map[string]*hiding{}
	text := 0
	for _, p := range pages {
		for _, l := range p.Lines {
			text += len(l.Text)
		}
	}
	for i, p := range pages {
		for _, h := range p.Hidden {
			if h.Chars == 0 {
				continue
			}
			s := by[h.Why]
			if s == nil {
				s = &hiding{why: h.Why, texts: map[string]bool{}, stamps: map[int][]byte{}, onPage: map[int]int{}, text: text}
				by[h.Why] = s
				list = append(list, s)
			}
			s.add(p, h, i+1)
		}
	}
	return list
}

func (s *hiding) add(p pdf.Page, h pdf.Hidden, page int) {
	if page != s.last {
		s.pages++
	}
	if s.first == 0 {
		s.first = page
	}
	s.last = page
	s.places++
	s.chars += h.Chars
	letters := lettersOf(h.Text)
	s.texts[letters] = true
	s.stamps[page] = append(s.stamps[page], letters...)
	s.onPage[page] += h.Chars
	if within(p, h) {
		if disturbs(p, h) && ofWords(besides(p, h)) {
			s.within++
		}
	} else if len(strings.Fields(h.Text)) >= proseWords && ofWords(h.Text) {
		s.prose += h.Chars
	}
}

// besides returns the text of the line that hidden text is within.
func besides(p pdf.Page, h pdf.Hidden) string {
	line := p.Lines[h.Line].Text
	if h.Line > 0 && math.Abs(p.Lines[h.Line-1].Base-p.Lines[h.Line].Base) < sameLine {
		line = p.Lines[h.Line-1].Text + " " + line
	}
	return line
}

// ofWords reports whether at least half of a text is words: neither the names that a
// program for circuits gives to parts and pins, to be searched for, nor numbers.
func ofWords(text string) bool {
	words, fields := 0, 0
	for f := range strings.FieldsSeq(text) {
		fields++
		f = strings.TrimFunc(f, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		if f != "" && strings.IndexFunc(f, func(r rune) bool { return unicode.IsDigit(r) || r == '_' }) < 0 {
			words++
		}
	}
	return 2*words >= fields
}

// within reports whether hidden text is within a line, or between two pieces of one.
func within(p pdf.Page, h pdf.Hidden) bool {
	if h.Line < len(p.Lines) && h.At > 0 && h.At < len(p.Lines[h.Line].Text) {
		return true
	}
	return h.Line > 0 && h.Line < len(p.Lines) && math.Abs(p.Lines[h.Line-1].Base-p.Lines[h.Line].Base) < sameLine
}

// disturbs reports whether hidden text within a line can change its words: a letter or
// number does, and a sign that is not apart from the words on both sides. What fills the
// cells of a table does not.
func disturbs(p pdf.Page, h pdf.Hidden) bool {
	if strings.ContainsFunc(h.Text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) || h.Line >= len(p.Lines) {
		return true
	}
	line := p.Lines[h.Line].Text
	at := min(max(h.At, 0), len(line))
	before, _ := utf8.DecodeLastRuneInString(line[:at] + h.Text[:len(h.Text)-len(strings.TrimLeftFunc(h.Text, unicode.IsSpace))])
	after, _ := utf8.DecodeRuneInString(h.Text[len(strings.TrimRightFunc(h.Text, unicode.IsSpace)):] + line[at:])
	return at > 0 && !unicode.IsSpace(before) || at < len(line) && !unicode.IsSpace(after)
}

// lettersOf returns a text without what differs where it is repeated on every page.
func lettersOf(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, text)
}

// suspicious reports whether text may have been hidden to hide a copy.
func (s *hiding) suspicious() bool {
	if s.stamped() {
		return false
	}
	if s.within >= withinLines {
		return true
	}
	beside := s.why == pdf.Cropped || s.why == pdf.Outside
	repeated := s.places > 2 && 3*len(s.texts) <= s.places
	return s.prose >= max(proseChars, s.text/proseShare) && !beside && !repeated
}

// stamped reports whether the pages hide the same letters: those of a stamp, which is in
// other pieces on each page where it crosses the lines.
func (s *hiding) stamped() bool {
	same, most := map[string]int{}, 0
	for page, letters := range s.stamps {
		slices.Sort(letters)
		if same[string(letters)]++; len(letters) > 0 && s.onPage[page] >= stampLeast {
			most = max(most, same[string(letters)])
		}
	}
	return most >= stampPages && 3*most >= 2*len(s.stamps)
}

// A stamp has so many characters at least, of which one is a letter, and is on so many pages.
const (
	stampLeast = 8
	stampPages = 4
)

// say notes what is not seen and not suspicious.
func (s *hiding) say(t *format.Text, pages int) {
	note := "%d characters on %d of %d pages are not seen, the first on page %d: %s: they are left out"
	if s.chars == 1 {
		note = "%d character on %d of %d pages is not seen, the first on page %d: %s: they are left out"
	}
	t.Notes = append(t.Notes, fmt.Sprintf(note, s.chars, s.pages, pages, s.first, s.why))
}

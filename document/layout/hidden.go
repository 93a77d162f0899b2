package layout

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/document/pdf"
	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/lang/phrase"
)

// Much invisible text hides nothing: printer's marks, parts clipped off a figure, the line of
// a program that made the file, white labels of a diagram. All of it is omitted from the text,
// but only text that can serve to hide a copy is flagged: text within lines, which splits or
// joins words, and prose, both on pages in a language. The rest is noted.

// Thresholds for flags.
const (
	withinLines  = 3   // places within lines
	withinVeiled = 10  // the same for text that drawings, layers or clip paths hide, such as text under a stamp
	linePlaces   = 2   // of these on a line, on withinLines lines: a stamp covers one place of a line
	proseWords   = 5   // words of a place that make it prose
	proseChars   = 100 // characters of all such places together
	proseShare   = 200 // bytes of text for one of these characters
	sameLine     = 1   // maximum difference in height, in points, of two pieces of a line
)

// A hiding is the text of a document that is invisible for one reason.
type hiding struct {
	why           string
	chars, places int
	within        int            // places within lines
	lines         map[[2]int]int // the same for each line, by page and line
	prose         int            // characters of places that are prose
	pages         int
	first, last   int             // of the pages with such text
	texts         map[string]bool // distinct texts, without numbers
	stamps        map[int][]byte  // letters of each page, unordered
	onPage        map[int]int     // characters of each page
	text          int             // visible bytes of the document
}

// hidings returns the invisible text by reason, in order of occurrence.
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
		shown, offPage, judged := "", cutLines(p), len(p.Hidden) > 0 && p.IsLanguage()
		for _, h := range p.Hidden {
			if h.Chars == 0 {
				continue
			}
			s := by[h.Why]
			if s == nil {
				s = &hiding{why: h.Why, texts: map[string]bool{}, stamps: map[int][]byte{}, onPage: map[int]int{}, lines: map[[2]int]int{}, text: text}
				by[h.Why] = s
				list = append(list, s)
			}
			if shown == "" && len(h.Text) >= copyLeast {
				shown = shownLetters(p)
			}
			if s.count(h, i+1); judged {
				s.weigh(p, h, i+1, shown, offPage)
			}
		}
	}
	return list
}

// count adds hidden text of a page.
func (s *hiding) count(h pdf.Hidden, page int) {
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
}

// weigh counts hidden text that can serve to hide a copy, on a page whose visible letters and lines that run off
// it are given.
func (s *hiding) weigh(p pdf.Page, h pdf.Hidden, page int, shown string, cut map[int]bool) {
	letters := lettersOf(h.Text)
	switch {
	case len(letters) >= copyLeast && strings.Contains(shown, letters), isOff(h.Why) && cut[h.Line], isReduced(p, h):
	case within(p, h):
		if disturbs(p, h) && ofWords(besides(p, h)) {
			s.within++
			s.lines[[2]int{page, h.Line}]++
		}
	case len(strings.Fields(h.Text)) >= proseWords && ofWords(h.Text):
		s.prose += h.Chars
	}
}

// copyLeast is the least size in bytes of hidden text that hides nothing if the page also shows it.
const copyLeast = 10

// shownLetters returns the letters of the visible text of a page.
func shownLetters(p pdf.Page) string {
	var b strings.Builder
	for _, l := range p.Lines {
		b.WriteString(lettersOf(l.Text))
	}
	return b.String()
}

// isOff reports whether text that is hidden for a reason is off the page.
func isOff(why string) bool { return why == pdf.Outside || why == pdf.Cropped }

// cutLines returns the lines that run off the page, as those of wide tables do.
func cutLines(p pdf.Page) map[int]bool {
	cut := map[int]bool{}
	for _, h := range p.Hidden {
		if h.Edge {
			cut[h.Line] = true
		}
	}
	return cut
}

// smallPrint is the font size in points below which visible lines are those of a reduced page, such as the
// picture of a poster: at least half of smallLines lines on each side of its tiny text.
const (
	smallPrint = 4.5
	smallLines = 4
)

// isReduced reports whether tiny text is of a reduced page, whose larger lines are around it.
func isReduced(p pdf.Page, h pdf.Hidden) bool {
	around := p.Lines[max(h.Line-smallLines, 0):min(h.Line+smallLines, len(p.Lines))]
	small := lists.Count(around, func(l pdf.Line) bool { return 0 < l.Size && l.Size < smallPrint })
	return h.Why == pdf.Tiny && 2*small >= len(around) && small > 0
}

// besides returns the text of the line that contains hidden text.
func besides(p pdf.Page, h pdf.Hidden) string {
	line := p.Lines[h.Line].Text
	if h.Line > 0 && math.Abs(p.Lines[h.Line-1].Base-p.Lines[h.Line].Base) < sameLine {
		line = p.Lines[h.Line-1].Text + " " + line
	}
	return line
}

// ofWords reports whether at least half of a text is words, unlike names of electronic parts
// and pins, which programs embed for searching, and numbers.
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

// within reports whether hidden text is within a line or between two pieces of one.
func within(p pdf.Page, h pdf.Hidden) bool {
	if h.Line < len(p.Lines) && h.At > 0 && h.At < len(p.Lines[h.Line].Text) && strings.TrimSpace(p.Lines[h.Line].Text[:h.At]) != "" {
		return true
	}
	return h.Line > 0 && h.Line < len(p.Lines) && math.Abs(p.Lines[h.Line-1].Base-p.Lines[h.Line].Base) < sameLine
}

// disturbs reports whether hidden text within a line can change its words: letters and digits
// do, as do signs that touch one. Fill characters of table cells and dots before or after a word, as where comments
// start, do not, nor does a tiny number before a word, as Word puts one before each heading.
func disturbs(p pdf.Page, h pdf.Hidden) bool {
	if h.Line >= len(p.Lines) {
		return true
	}
	line, piece := p.Lines[h.Line].Text, ""
	at := min(max(h.At, 0), len(line))
	if strings.ContainsFunc(h.Text, isOfWord) {
		return h.Why != pdf.Tiny || ofWords(h.Text) || at > 0 && line[at-1] != ' '
	}
	if h.Line > 0 && at == 0 {
		piece = p.Lines[h.Line-1].Text
	}
	before, _ := utf8.DecodeLastRuneInString(piece + line[:at] + h.Text[:len(h.Text)-len(strings.TrimLeftFunc(h.Text, unicode.IsSpace))])
	after, _ := utf8.DecodeRuneInString(h.Text[len(strings.TrimRightFunc(h.Text, unicode.IsSpace)):] + line[at:])
	if strings.Trim(h.Text, ". ") == "" {
		return at > 0 && isOfWord(before) && isOfWord(after)
	}
	return isOfWord(before) || isOfWord(after)
}

func isOfWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// lettersOf returns a text without the characters that vary between repetitions on pages.
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
	if pdf.Veiled(s.why) {
		crowded := 0
		for _, places := range s.lines {
			if places >= linePlaces {
				crowded++
			}
		}
		return s.within >= withinVeiled && crowded >= withinLines
	}
	if s.within >= withinLines {
		return true
	}
	beside := isOff(s.why)
	repeated := s.places > 2 && 3*len(s.texts) <= s.places
	return s.prose >= max(proseChars, s.text/proseShare) && !beside && !repeated
}

// stamped reports whether the pages hide the same letters: those of a stamp, which the lines
// of each page divide differently.
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

// Thresholds of a stamp: least characters, with at least one letter, and least pages.
const (
	stampLeast = 8
	stampPages = 4
)

// addNote notes invisible text that is not suspicious.
func (s *hiding) addNote(t *format.Text, pages int) {
	t.Note(phrase.Counted("said.not-seen", "{n} character on {pages} of {all} pages is invisible, the first on page {page}: {why}: they are left out",
		"{n} characters on {pages} of {all} pages are invisible, the first on page {page}: {why}: they are left out", s.chars, "pages", s.pages, "all", pages, "page", s.first, "why", phrase.Fixed(s.why)))
}

package search

import (
	"sort"
	"sync"
	"unicode/utf8"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/fingerprint"
	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/search/align"
	"github.com/otisk/otisk/store"
)

// A suspect is the text being checked, taken apart.
type suspect struct {
	doc        *document.Document
	mode       normalize.Mode
	paragraphs []normalize.Paragraph
	words      []normalize.Word // of all paragraphs, in order
	first      []int            // first word of each paragraph in words
	grams      []gram           // n-grams, by position
	runes      runeIndex
	prepared   func() *align.Prepared
}

// A gram is one n-gram of the suspect.
type gram struct {
	hash      store.Hash
	word      int32 // its first word
	paragraph int32
}

// takeApart makes the words and n-grams of n words of doc.
func takeApart(doc *document.Document, norms *normalize.Set, n int) *suspect {
	norm, _ := norms.For(doc.Types()...)
	mode := doc.Mode(norm)
	s := &suspect{doc: doc, mode: mode, runes: newRuneIndex(doc.Text)}
	s.paragraphs = norm.Paragraphs(doc.Text, mode)
	roller := fingerprint.NewRoller(n)
	for i, p := range s.paragraphs {
		s.first = append(s.first, len(s.words))
		roller.Break()
		for _, w := range p.Words {
			s.words = append(s.words, w)
			if h, ok := roller.Add([]byte(w.Text)); ok {
				s.grams = append(s.grams, gram{h, int32(len(s.words) - n), int32(i)})
			}
		}
	}
	s.prepared = sync.OnceValue(func() *align.Prepared {
		return align.Prepare(align.Text{Words: s.words, Text: doc.Text})
	})
	return s
}

// span returns the place of words [from, to).
func (s *suspect) span(from, to int) Span {
	return s.runes.span(s.words[from].Start, s.words[to-1].End)
}

// gramsOf returns the n-grams of a paragraph as a range of s.grams.
func (s *suspect) gramsOf(paragraph int) (from, to int) {
	at := func(p int) int {
		return sort.Search(len(s.grams), func(i int) bool { return int(s.grams[i].paragraph) >= p })
	}
	return at(paragraph), at(paragraph + 1)
}

// runeStep is how many bytes of text lie between two entries of a runeIndex.
const runeStep = 1024

// A runeIndex turns byte offsets of a text into code points.
type runeIndex struct {
	text   string
	before []int // code points before each runeStep bytes
}

func newRuneIndex(text string) runeIndex {
	x := runeIndex{text: text, before: make([]int, 0, len(text)/runeStep+1)}
	count := 0
	for at := 0; at < len(text); at += runeStep {
		x.before = append(x.before, count)
		count += starts(text[at:min(at+runeStep, len(text))])
	}
	return x
}

// starts counts the bytes of s that start a code point, so that a code point
// cut by the end of a step counts where it starts.
func starts(s string) int {
	count := 0
	for i := range len(s) {
		if utf8.RuneStart(s[i]) {
			count++
		}
	}
	return count
}

// at returns the number of code points before the byte offset, which lies on
// the start of one or at the end of the text.
func (x *runeIndex) at(offset int) int {
	if len(x.before) == 0 {
		return 0
	}
	step := min(offset/runeStep, len(x.before)-1)
	return x.before[step] + starts(x.text[step*runeStep:offset])
}

func (x *runeIndex) span(start, end int) Span {
	return Span{Start: start, End: end, RuneStart: x.at(start), RuneEnd: x.at(end)}
}

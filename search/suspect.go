package search

import (
	"sync"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/internal/offset"
	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/search/align"
	"github.com/otisk/otisk/search/exclude"
	"github.com/otisk/otisk/search/hint"
)

// A suspect is the checked text with its words and paragraphs.
type suspect struct {
	doc        *document.Document
	mode       normalize.Mode
	paragraphs []normalize.Paragraph
	words      []normalize.Word // of all paragraphs, in order
	runes      offset.Index
	prepared   func() *align.Prepared
	numbers    func() wordNumbers
	hinters    func() []hintSearch
	options    exclude.Options          // what the format states
	excluded   func() []exclude.Range   // stretches that a reader may leave out, in bytes
	lists      func() []stretch         // words of stretches that resemble each other in all texts of a kind; see [suspect.findLists]
	copies     func() map[int32][]int32 // by origin: the places of its copies, if there are several
	pairs      func() *ownPairs
	similarTo  []Similar
	unproven   int // passages that witnesses do not confirm
}

// newSuspect splits doc into words. templates are texts given to everyone, and finders look for hints.
func newSuspect(doc *document.Document, norms *normalize.Set, templates []string, finders ...hint.Finder) *suspect {
	norm, _ := norms.For(doc.Types()...)
	mode := doc.Mode(norm)
	s := &suspect{doc: doc, mode: mode, runes: offset.Runes(doc.Text)}
	s.paragraphs = norm.Paragraphs(doc.Text, mode)
	for _, p := range s.paragraphs {
		s.words = append(s.words, p.Words...)
	}
	s.prepared = sync.OnceValue(func() *align.Prepared {
		return align.Prepare(align.Text{Words: s.words, Text: doc.Text})
	})
	s.options = optionsOf(doc, mode, templates)
	s.excluded = sync.OnceValue(func() []exclude.Range { return exclude.Find(doc.Text, s.options) })
	s.lists = sync.OnceValue(s.findLists)
	s.hinters = sync.OnceValue(func() (list []hintSearch) {
		text := s.hintText()
		for _, f := range finders {
			list = append(list, hintSearch{f, f.Prepare(text)})
		}
		return list
	})
	s.numbers = sync.OnceValue(func() wordNumbers { return numbersOf(s.words) })
	s.copies = sync.OnceValue(s.copyPlaces)
	s.pairs = sync.OnceValue(func() *ownPairs { return pairsOf(s.words, doc.Text) })
	return s
}

// place returns the place of words [from, to).
func (s *suspect) place(from, to int) Span {
	return spanOf(&s.runes, s.words[from].Start, s.words[to-1].End)
}

// spanOf returns the place of bytes [start, end) of the text that runes counts.
func spanOf(runes *offset.Index, start, end int) Span {
	return Span{Start: start, End: end, RuneStart: runes.At(start), RuneEnd: runes.At(end)}
}

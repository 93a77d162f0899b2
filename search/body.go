package search

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/otisk/otisk/fingerprint"
	"github.com/otisk/otisk/internal/offset"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/search/align"
	"github.com/otisk/otisk/store"
)

// A body is the examined part of the original text of a source.
type body struct {
	plan  *plan
	parts []*textPart // in order, apart
}

// A textPart is a part of an original text, of whole blocks.
type textPart struct {
	text        string
	before, end *store.Mark   // what lies before it, and before what follows
	counted     *offset.Index // code points, computed when first needed
	words       []normalize.Word
	breaks      []int // words that begin a paragraph
	prepared    *align.Source
}

// release returns the prepared text to the pool.
func (b *body) release() {
	for _, p := range b.parts {
		if p.prepared != nil {
			p.prepared.Release()
			p.prepared = nil
		}
	}
}

// wordRooms are buffers for the words of parts. Allocating and collecting them for each part
// took a tenth of the time of a long suspect.
var wordRooms = sync.Pool{New: func() any { return new([]normalize.Word) }}

// maxWordRoom is how many words a room has at most that is used again.
const maxWordRoom = 1 << 15

// free gives back the words. The body is of no use then.
func (b *body) free() {
	for _, p := range b.parts {
		if words := p.words[:0]; cap(words) <= maxWordRoom {
			wordRooms.Put(&words)
		}
		p.words = nil
	}
}

// whole returns the words of the part, by number in the whole text.
func (p *textPart) whole() stretch { return stretch{int(p.before.Word), int(p.end.Word)} }

// span returns the place of bytes [start, end) of the part in the whole text.
func (p *textPart) span(start, end int) Span {
	if p.counted == nil {
		p.counted = new(offset.Runes(p.text))
	}
	s := spanOf(p.counted, start, end)
	return Span{
		Start: s.Start + int(p.before.Byte), End: s.End + int(p.before.Byte),
		RuneStart: s.RuneStart + int(p.before.Rune), RuneEnd: s.RuneEnd + int(p.before.Rune),
	}
}

// whole returns the body of a source with its whole text.
func (s *Searcher) whole(src *source, text string) (*body, error) {
	norm, mode, err := s.norms.AsIndexed(src.entry.Rules, src.entry.NewLine)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", src.entry.Name(), err)
	}
	plan, _ := s.planFor(src, marksOf(norm, text, mode, src.in.n))
	if plan == nil { // the text differs from the indexed one: runs are refuted one by one
		plan = s.planAll(norm, text, mode, src.in.n)
	}
	pieces, err := store.Cut(text, plan.pieces())
	if err != nil {
		return nil, err
	}
	b, err := s.bodyOf(src, plan, pieces)
	if b == nil && err == nil {
		err = phrase.Error("damage.body", "{name}: its text has other words in parts than as a whole", "name", src.entry.Name())
	}
	return b, err
}

// planAll returns a plan to look at all of a text.
func (s *Searcher) planAll(norm *normalize.Normalizer, text string, mode normalize.Mode, n int) *plan {
	marks := marksOf(norm, text, mode, n)
	return &plan{marks: marks, ranges: [][2]int{{0, len(marks.Blocks) - 1}}}
}

// marksOf makes the marks of a text, as they are made when it is indexed.
func marksOf(norm *normalize.Normalizer, text string, mode normalize.Mode, n int) *store.Marks {
	marker := store.NewMarker(text, []int{n})
	var words fingerprint.Stretch
	var pairer fingerprint.Pairer
	var found []fingerprint.Pair
	pairs := int64(0)
	for scan := norm.Scan(text, mode); scan.Fill((*normalize.Stretch)(&words)); {
		found = pairer.AppendAll(found[:0], &words)
		pairs += int64(len(found))
		marker.Add(scan.Offset(), len(words.Ends), words.Breaks, pairs)
	}
	return marker.Marks()
}

// bodyOf splits pieces of a source's text into words, by the rules of its indexing. It returns
// nil if the words differ from those of the marks.
func (s *Searcher) bodyOf(src *source, plan *plan, pieces []string) (*body, error) {
	norm, mode, err := s.norms.AsIndexed(src.entry.Rules, src.entry.NewLine)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", src.entry.Name(), err)
	}
	b := &body{plan: plan}
	for i, text := range pieces {
		r := plan.ranges[i]
		p := &textPart{text: text, before: &plan.marks.Blocks[r[0]], end: &plan.marks.Blocks[r[1]]}
		room := wordRooms.Get().(*[]normalize.Word)
		p.words, p.breaks = norm.AppendWords((*room)[:0], nil, text, mode)
		if len(p.words) != p.whole().len() {
			return nil, nil
		}
		b.parts = append(b.parts, p)
	}
	return b, nil
}

// textOf returns the body of a source from its text, as the index has it or, where that keeps none,
// from the file. It is nil if neither has the text.
func (s *Searcher) textOf(ctx context.Context, src *source, text string, missing error) (*body, error) {
	err := missing
	if errors.Is(err, store.ErrNoText) && s.opts.Reread != nil {
		text, err = s.opts.Reread(ctx, src.entry)
		if err != nil && ctx.Err() == nil {
			src.notes = append(src.notes, phrase.Error("said.text-not-again", "{name}: its text is not kept, and its file cannot be read again: {cause}", "name", src.entry.Name(), "cause", err))
			return nil, nil
		}
	}
	if errors.Is(err, store.ErrNoText) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return s.whole(src, text)
}

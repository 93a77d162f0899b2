package flow

import (
	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/internal/lists"
)

// A Body builds the text of an office document from paragraphs, tables and side texts, such as
// notes, which follow their paragraph.
type Body struct {
	*Builder
	outer []*Builder // those interrupted by a note or a text box
	kinds []format.MarkKind
	open  []int  // open paragraphs in the text and in each interrupted one
	cells []int  // paragraphs in each open table cell
	after []side // side texts that follow the paragraph
	joins bool   // the next paragraph continues this one
}

// A side is a finished side text.
type side struct {
	text *Builder
	kind format.MarkKind // "" for none
	at   int             // length of the text before the reference to it
}

// NewBody returns an empty body.
func NewBody() *Body { return &Body{Builder: new(Builder), open: make([]int, 1)} }

// Begin starts a paragraph.
func (b *Body) Begin() {
	b.open[len(b.open)-1]++
	if b.joins {
		b.joins = false
		return
	}
	if n := len(b.cells); n > 0 {
		if b.cells[n-1]++; b.cells[n-1] == 1 {
			return
		}
	}
	b.Gap(Part)
}

// JoinNext records that the end of the current paragraph was deleted.
func (b *Body) JoinNext() { b.joins = true }

// Finish ends a paragraph. Outside notes and tables, its side texts follow.
func (b *Body) Finish() {
	top := len(b.open) - 1
	if b.open[top] > 0 {
		b.open[top]--
	}
	if b.joins {
		return
	}
	if len(b.cells) == 0 {
		b.Gap(Part)
	}
	if b.open[top] == 0 && len(b.outer) == 0 && len(b.cells) == 0 {
		b.sides()
	}
}

// sides adds the side texts of the paragraph that ended.
func (b *Body) sides() {
	for _, s := range b.after {
		if s.kind == format.Footnote && s.text.Len() > 0 {
			b.markNote("", min(s.at, b.Len()))
		}
		b.Gap(Part)
		b.join(s.text, s.kind)
		b.Gap(Part)
	}
	b.after = nil
}

// Table ends a table or another block of paragraphs. Its side texts follow, unless it is
// inside a cell or a note.
func (b *Body) Table() {
	b.Gap(Part)
	if len(b.cells) == 0 && len(b.outer) == 0 {
		b.sides()
	}
}

// BeginSide starts a side text.
func (b *Body) BeginSide(kind format.MarkKind) {
	b.outer, b.kinds = append(b.outer, b.Builder), append(b.kinds, kind)
	b.open = append(b.open, 0)
	b.cells = append(b.cells, 0) // acts as a cell: its first paragraph needs no gap
	b.Builder = new(Builder)
}

// EndSide ends a side text.
func (b *Body) EndSide() {
	top := len(b.outer) - 1
	if top < 0 {
		return
	}
	text := b.Builder
	b.Builder = b.outer[top]
	b.after = append(b.after, side{text, b.kinds[top], b.Len()})
	b.outer, b.kinds, b.open = b.outer[:top], b.kinds[:top], b.open[:top+1]
	b.EndCell()
}

// Beside adds a finished side text.
func (b *Body) Beside(text *Builder, kind format.MarkKind) {
	b.after = append(b.after, side{text, kind, b.Len()})
}

// DetachSides removes and returns the side texts of the paragraph.
func (b *Body) DetachSides() []*Builder {
	texts := lists.Map(b.after, func(s side) *Builder { return s.text })
	b.after = nil
	return texts
}

// BeginCell starts a table cell, whose first paragraph needs no gap.
func (b *Body) BeginCell() { b.cells = append(b.cells, 0) }

// EndCell ends a table cell.
func (b *Body) EndCell() {
	if n := len(b.cells); n > 0 {
		b.cells = b.cells[:n-1]
	}
}

// Done ends everything that is open and returns the text.
func (b *Body) Done() (*format.Text, error) {
	for len(b.outer) > 0 {
		b.EndSide()
	}
	b.sides()
	return b.Builder.Done()
}

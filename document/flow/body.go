package flow

import "github.com/otisk/otisk/document/format"

// A Body builds the text of an office document: paragraphs, tables, and texts
// that are beside a paragraph, such as notes, which come after it.
type Body struct {
	*Builder
	outer []*Builder // those that a note or a text box interrupts
	kinds []format.MarkKind
	open  []int  // paragraphs open in the text, and in each outer one
	cells []int  // paragraphs begun in each open cell of a table
	after []side // what comes after the paragraph
	joins bool   // the paragraph goes on in the next
}

// A side is a finished text from beside a paragraph.
type side struct {
	text *Builder
	kind format.MarkKind // "" for none
}

// NewBody returns a body without text.
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

// JoinNext says that the end of the current paragraph was deleted.
func (b *Body) JoinNext() { b.joins = true }

// Finish ends a paragraph; outside of notes, what is beside it follows.
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

// sides adds the texts from beside the paragraph that ended.
func (b *Body) sides() {
	for _, s := range b.after {
		b.Gap(Part)
		b.join(s.text, s.kind)
		b.Gap(Part)
	}
	b.after = nil
}

// Table ends a table, or what else is no paragraph and holds some: what is
// beside it follows, unless it is within a cell or a note.
func (b *Body) Table() {
	b.Gap(Part)
	if len(b.cells) == 0 && len(b.outer) == 0 {
		b.sides()
	}
}

// BeginSide starts a text beside the paragraph.
func (b *Body) BeginSide(kind format.MarkKind) {
	b.outer, b.kinds = append(b.outer, b.Builder), append(b.kinds, kind)
	b.open = append(b.open, 0)
	b.cells = append(b.cells, 0) // a cell of its own: its first paragraph has no gap
	b.Builder = new(Builder)
}

// EndSide ends it.
func (b *Body) EndSide() {
	top := len(b.outer) - 1
	if top < 0 {
		return
	}
	b.after = append(b.after, side{b.Builder, b.kinds[top]})
	b.Builder = b.outer[top]
	b.outer, b.kinds, b.open = b.outer[:top], b.kinds[:top], b.open[:top+1]
	b.EndCell()
}

// Beside puts a text that is finished beside the paragraph.
func (b *Body) Beside(text *Builder, kind format.MarkKind) {
	b.after = append(b.after, side{text, kind})
}

// TakeSides returns the texts from beside the paragraph, which then come after
// none.
func (b *Body) TakeSides() []*Builder {
	var texts []*Builder
	for _, s := range b.after {
		texts = append(texts, s.text)
	}
	b.after = nil
	return texts
}

// BeginCell starts a cell of a table, whose first paragraph makes no gap.
func (b *Body) BeginCell() { b.cells = append(b.cells, 0) }

// EndCell ends it.
func (b *Body) EndCell() {
	if n := len(b.cells); n > 0 {
		b.cells = b.cells[:n-1]
	}
}

// Done ends what is open and returns the text.
func (b *Body) Done() (*format.Text, error) {
	for len(b.outer) > 0 {
		b.EndSide()
	}
	b.sides()
	return b.Builder.Done()
}

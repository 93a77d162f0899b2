package document

import "unicode"

// A body builds the text of an office document: paragraphs, tables, and texts
// that stand beside a paragraph, such as notes, which come after it.
type body struct {
	*flow
	outer []*flow // those that a note or a text box interrupts
	kinds []MarkKind
	open  []int  // paragraphs open in the flow, and in each outer one
	cells []int  // paragraphs begun in each open cell of a table
	after []side // what comes after the paragraph
	joins bool   // the paragraph goes on in the next
}

// A side is a finished text from beside a paragraph.
type side struct {
	flow *flow
	kind MarkKind // "" for none
}

func newBody() *body { return &body{flow: new(flow), open: make([]int, 1)} }

// begin starts a paragraph.
func (b *body) begin() {
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
	b.gap(part)
}

// joinNext says that the end of the current paragraph was deleted.
func (b *body) joinNext() { b.joins = true }

// finish ends a paragraph; outside of notes, what stands beside it follows.
func (b *body) finish() {
	top := len(b.open) - 1
	if b.open[top] > 0 {
		b.open[top]--
	}
	if b.joins {
		return
	}
	if len(b.cells) == 0 {
		b.gap(part)
	}
	if b.open[top] == 0 && len(b.outer) == 0 && len(b.cells) == 0 {
		b.sides()
	}
}

// sides adds the texts from beside the paragraph that ended.
func (b *body) sides() {
	for _, s := range b.after {
		b.gap(part)
		b.join(s.flow, s.kind)
		b.gap(part)
	}
	b.after = nil
}

// beginSide starts a text beside the paragraph.
func (b *body) beginSide(kind MarkKind) {
	b.outer, b.kinds = append(b.outer, b.flow), append(b.kinds, kind)
	b.open = append(b.open, 0)
	b.cells = append(b.cells, 0) // a cell of its own: its first paragraph has no gap
	b.flow = new(flow)
}

// endSide ends it.
func (b *body) endSide() {
	top := len(b.outer) - 1
	if top < 0 {
		return
	}
	b.after = append(b.after, side{b.flow, b.kinds[top]})
	b.flow = b.outer[top]
	b.outer, b.kinds, b.open = b.outer[:top], b.kinds[:top], b.open[:top+1]
	b.endCell()
}

func (b *body) beginCell() { b.cells = append(b.cells, 0) }

func (b *body) endCell() {
	if n := len(b.cells); n > 0 {
		b.cells = b.cells[:n-1]
	}
}

// done puts the text and what is known of it into doc.
func (b *body) done(doc *Document) error {
	for len(b.outer) > 0 {
		b.endSide()
	}
	b.sides()
	doc.Text, doc.Marks, doc.Flags, doc.Parted = b.String(), b.marks, b.flags, true
	return hasText(doc)
}

// hide notes that s stands here and is not seen. Stretches that follow each
// other are one.
func (f *flow) hide(s []byte, detail string) {
	count := visibleCount(s)
	if count == 0 {
		return
	}
	at := len(f.buf)
	if n := len(f.flags); n > 0 && f.flags[n-1].Start == at && f.flags[n-1].Detail == detail {
		f.flags[n-1].Count += count
		return
	}
	f.flags = append(f.flags, Flag{Kind: HiddenText, Start: at, End: at, Count: count, Detail: detail})
}

// mark notes that the text from start to here is of a kind.
func (f *flow) mark(kind MarkKind, start int) {
	if kind != "" && start < len(f.buf) {
		f.marks = append(f.marks, Mark{kind, start, len(f.buf)})
	}
}

// join adds the text of another flow with its marks and flags.
func (f *flow) join(other *flow, kind MarkKind) {
	if len(other.buf) > 0 {
		f.flush()
	}
	at := len(f.buf)
	f.buf = append(f.buf, other.buf...)
	f.mark(kind, at)
	for _, m := range other.marks {
		f.marks = append(f.marks, Mark{m.Kind, m.Start + at, m.End + at})
	}
	for _, l := range other.flags {
		l.Start, l.End = l.Start+at, l.End+at
		f.flags = append(f.flags, l)
	}
}

// visibleCount counts the characters of s that are no white space.
func visibleCount(s []byte) int {
	count := 0
	for _, r := range string(s) {
		if !unicode.IsSpace(r) {
			count++
		}
	}
	return count
}

package web

import (
	"slices"
	"strings"

	"github.com/otisk/otisk/document/flow"
	"github.com/otisk/otisk/document/format"
)

// Pages that LaTeXML makes, such as those of arXiv, have their footnotes within the
// sentence, and show each only under the mouse. They are notes as others are: after their
// paragraph.

// noted looks at the classes of an element that is here: whether it is the text of a
// note, or within one its number.
func (p *place) noted(classes string, within bool) {
	if !strings.Contains(classes, "ltx_") {
		return
	}
	list := strings.Fields(classes)
	p.note = within || slices.Contains(list, "ltx_note_content")
	p.instead = p.instead || within && (slices.Contains(list, "ltx_note_mark") || slices.Contains(list, "ltx_tag_note"))
}

// notes follows the tag that was looked at into a note or out of it.
func (r *htmlReader) notes() {
	n := len(r.hiding.place)
	switch within := n > 0 && r.hiding.place[n-1].note; {
	case within && r.outer == nil:
		r.outer = new(flow.Builder)
		*r.outer, r.flow = r.flow, flow.Builder{}
	case !within && r.outer != nil:
		note := r.flow
		r.flow, r.outer = *r.outer, nil
		r.sides = append(r.sides, &note)
	}
}

// putNotes adds the notes of the paragraph that ended.
func (r *htmlReader) putNotes() {
	if r.outer != nil {
		return
	}
	for _, note := range r.sides {
		start := r.flow.Len()
		r.flow.Append(note)
		r.flow.Mark(format.Footnote, start)
		r.flow.Gap(flow.Part)
	}
	r.sides = nil
}

package web

import (
	"slices"
	"strings"

	"github.com/otisk/otisk/document/flow"
	"github.com/otisk/otisk/document/format"
)

// Pages made by LaTeXML, such as those of arXiv, have footnotes within the sentence and show them
// only on hover. Their text is moved after the paragraph, like that of other footnotes.

// noted recognises the text of a footnote, and the number within it, by the classes of an
// element.
func (p *place) noted(classes string, within bool) {
	if !strings.Contains(classes, "ltx_") {
		return
	}
	list := strings.Fields(classes)
	p.note = within || slices.Contains(list, "ltx_note_content")
	p.instead = p.instead || within && (slices.Contains(list, "ltx_note_mark") || slices.Contains(list, "ltx_tag_note"))
}

// notes enters or leaves a footnote at the current tag.
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

// putNotes adds the footnotes of the paragraph that ended.
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

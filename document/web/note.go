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

// written matches the classes, ids, roles and types by which Word, LibreOffice, Pandoc, Mammoth and e-books state
// tables of contents, and those by which they state notes.
var written = format.Pattern(`(?i)(?:^|\s)(?:(msotoc[1-9]|toc|doc-toc|table of contents\d+)|mso(?:foot|end)notetext|sd(?:foot|end)note\d*|footnotes?|endnotes?|rearnotes?|doc-footnote|doc-endnotes?|(?:foot|end)note-\d+)(?:\s|$)`)

// states sets the role of an element if an attribute states one.
func (p *place) states(value string) {
	if m := written().FindStringSubmatch(value); m != nil && m[1] != "" {
		p.kind = format.Contents
	} else if m != nil {
		p.kind = format.Footnote
	}
}

// markWritten marks the text whose role a page states when it ends at the current tag.
func (r *htmlReader) markWritten() {
	var kind format.MarkKind
	if n := len(r.hiding.place); n > 0 {
		kind = r.hiding.place[n-1].kind
	}
	if kind == r.written {
		return
	}
	if r.written != "" && r.outer == nil {
		r.flow.Mark(r.written, r.writtenAt)
	}
	r.written, r.writtenAt = kind, r.flow.Len()
}

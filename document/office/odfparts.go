package office

import (
	"archive/zip"
	"cmp"
	"context"
	"encoding/xml"
	"fmt"
	"strings"

	"github.com/otisk/otisk/document/archive"
	"github.com/otisk/otisk/document/flow"
	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/document/look"
	"github.com/otisk/otisk/document/xmlwalk"
	"github.com/otisk/otisk/lang/phrase"
)

// hiddenParts counts hidden slides, sheets, rows, columns and cells. Most are spare slides and
// intermediate results, so their text is read, with a note.
type hiddenParts struct {
	slides, sheets []string
	rows           int
	columns        int // ranges of hidden columns
	cells          int
	aside          int      // words outside of slides
	missing        []string // parts that are listed and missing
}

// check returns [format.ErrDamaged] instead of [format.ErrEmpty] if parts are missing.
func (h *hiddenParts) check(err error) error {
	if err == format.ErrEmpty && len(h.missing) > 0 {
		return fmt.Errorf("%w: %w", format.ErrDamaged, h.lacks())
	}
	return err
}

// lacks names the missing parts.
func (h *hiddenParts) lacks() *phrase.Phrase {
	return phrase.Error("said.not-in-file", "not in the file: {list}", "list", strings.Join(h.missing, ", "))
}

// note adds notes about them to t.
func (h *hiddenParts) note(t *format.Text) {
	if len(h.slides) > 0 {
		t.Note(phrase.Error("said.hidden-slides", "hidden slides are read, too: {list}", "list", strings.Join(h.slides, ", ")))
	}
	if len(h.sheets) > 0 {
		t.Note(phrase.Error("said.hidden-sheets", "hidden sheets are read, too: {list}", "list", strings.Join(h.sheets, ", ")))
	}
	if h.rows > 0 {
		t.Note(phrase.Error("said.hidden-rows", "hidden rows are read, too: {count}", "count", h.rows))
	}
	if h.columns > 0 {
		t.Note(phrase.Error("said.hidden-columns", "hidden columns are read, too: {count}", "count", h.columns))
	}
	if h.cells > 0 {
		t.Note(phrase.Error("said.cells-unseen", "cells with letters that are not seen are read, too: {count}", "count", h.cells))
	}
	t.Note(phrase.Counted("said.beside-slides", "{n} word outside of the slides is read, too", "{n} words outside of the slides are read, too", h.aside))
	if len(h.missing) > 0 {
		t.Note(h.lacks())
	}
}

// HoldsODP reports whether a member of a zip archive states that it is a presentation of
// OpenDocument or OpenOffice 1.
func HoldsODP(f *zip.File) bool {
	mime := archive.MIME(f)
	return strings.HasPrefix(mime, "application/vnd.oasis.opendocument.presentation") || strings.HasPrefix(mime, "application/vnd.sun.xml.impress")
}

// HoldsODS reports whether a member of a zip archive states that it is a spreadsheet of
// OpenDocument or OpenOffice 1.
func HoldsODS(f *zip.File) bool {
	mime := archive.MIME(f)
	return strings.HasPrefix(mime, "application/vnd.oasis.opendocument.spreadsheet") || strings.HasPrefix(mime, "application/vnd.sun.xml.calc")
}

// ODP reads an OpenDocument presentation: each slide followed by its notes. The background of text
// is unknown.
func ODP(ctx context.Context, src *format.Source) (*format.Text, error) {
	r := newODTReader()
	r.look.drawn, r.look.page, r.more = false, look.Unknown, &odpSlides{styles: map[string]bool{}}
	return odf(ctx, src, r)
}

// ODS reads an OpenDocument spreadsheet: the name of each sheet followed by its cells.
func ODS(ctx context.Context, src *format.Source) (*format.Text, error) {
	r := newODTReader()
	r.look.drawn, r.look.page, r.more = false, look.Unknown, &odsSheets{styles: map[string]bool{}}
	return odf(ctx, src, r)
}

// odpSlides reads slides.
type odpSlides struct {
	styles map[string]bool // styles of hidden slides
	slide  int
	frames []string // classes of open frames
}

// odpFrames are frames whose text is the same on all slides.
var odpFrames = format.Names("footer", "header", "date-time", "page-number")

func (o *odpSlides) start(r *odtReader, name string, attrs []xml.Attr) bool {
	switch name {
	case "drawing-page-properties":
		o.styles[r.look.style] = xmlwalk.Attr(attrs, "visibility") == "hidden"
	case "page":
		if o.slide++; o.styles["drawing-page/"+xmlwalk.Attr(attrs, "style-name")] {
			r.hidden.slides = append(r.hidden.slides, fmt.Sprint(o.slide))
		}
	case "frame":
		class := xmlwalk.Attr(attrs, "class")
		if odpFrames[class] {
			return true
		}
		o.frames = append(o.frames, class)
	case "h", "p":
		if n := len(o.frames); n > 0 && o.frames[n-1] == "title" {
			r.headed = true
		}
	}
	return false
}

func (o *odpSlides) end(r *odtReader, name string) {
	switch name {
	case "frame":
		if n := len(o.frames); n > 0 {
			o.frames = o.frames[:n-1]
		}
	case "notes", "page":
		r.Table()
	}
}

// odsSheets reads sheets.
type odsSheets struct {
	styles map[string]bool // styles of hidden sheets
	value  string          // text that the open cell states as its value
	cell   int             // where the open cell starts
}

func (o *odsSheets) start(r *odtReader, name string, attrs []xml.Attr) bool {
	switch name {
	case "table-properties":
		o.styles[r.look.style] = xmlwalk.Attr(attrs, "display") == "false"
	case "table":
		sheet := cmp.Or(xmlwalk.Attr(attrs, "name"), "?")
		if o.styles["table/"+xmlwalk.Attr(attrs, "style-name")] {
			r.hidden.sheets = append(r.hidden.sheets, sheet)
		}
		start := r.Builder.Start(flow.Part)
		r.Builder.Text([]byte(sheet))
		r.Mark(format.Heading, start)
		r.Gap(flow.Part)
	case "table-cell":
		o.value, o.cell = xmlwalk.Attr(attrs, "string-value"), r.Len()
	case "table-row":
		if v := xmlwalk.Attr(attrs, "visibility"); v == "collapse" || v == "filter" {
			r.hidden.rows++
		}
	}
	return false
}

// end adds the value of a cell without text, which programs display.
func (o *odsSheets) end(r *odtReader, name string) {
	if name == "table-cell" {
		if r.Len() == o.cell {
			r.Builder.Text([]byte(o.value))
		}
		o.value = ""
	}
}

// odfEncrypted reports whether the manifest states that the content is encrypted.
func odfEncrypted(c *archive.Container) bool {
	content, encrypted := false, false
	c.WalkIf("META-INF/manifest.xml", xmlwalk.Starts(func(name string, attrs []xml.Attr) {
		switch name {
		case "file-entry":
			path := xmlwalk.Attr(attrs, "full-path")
			content = path == "content.xml" || path == "encrypted-package"
		case "encryption-data":
			encrypted = encrypted || content
		}
	}))
	return encrypted
}

package office

import (
	"archive/zip"
	"context"
	"encoding/xml"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/otisk/otisk/document/archive"
	"github.com/otisk/otisk/document/flow"
	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/document/look"
	"github.com/otisk/otisk/document/xmlwalk"
	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/lang/phrase"
)

// HoldsXLSX reports whether a member of a zip archive is one of an Excel workbook.
func HoldsXLSX(f *zip.File) bool {
	kind := archive.ContentType(f)
	return strings.EqualFold(f.Name, "xl/workbook.xml") || strings.Contains(kind, ".spreadsheetml.") || strings.Contains(kind, ".ms-excel.") && !strings.Contains(kind, ".binary.")
}

// XLSX reads a workbook in Office Open XML: the name of each sheet followed by its cells and
// drawings. Numbers and dates appear as stored.
func XLSX(ctx context.Context, src *format.Source) (*format.Text, error) {
	c, err := archive.NewContainer(ctx, src)
	if err != nil {
		return nil, err
	}
	main := mainPart(c, "xl/workbook.xml")
	list := partList{element: "sheet"}
	if err := c.Walk(main, xmlwalk.Starts(list.start)); err != nil {
		return nil, err
	}
	r := &sheetReader{slideReader: newSlideReader(), unpacked: c.Unpacked, most: src.Bytes}
	parts := c.Relations(main)
	if err := format.Ended(ctx); err != nil {
		return nil, err
	}
	r.looks.blank = map[string]bool{}
	for _, name := range partsOf(c, parts, main, "styles") {
		c.WalkIf(name, &r.looks)
	}
	for _, name := range partsOf(c, parts, main, "sharedStrings") {
		if err := c.Walk(name, &r.shared); err != nil {
			return nil, err
		}
	}
	for _, p := range list.parts {
		if err := r.sheet(c, parts.Target(p.id), p); err != nil {
			return nil, err
		}
	}
	t, err := r.Done()
	r.note(t)
	coreFields(c, t)
	return t, r.hidden.check(err)
}

// sharedStrings are the texts shared by cells.
type sharedStrings struct {
	texts   []string
	white   map[int]bool // texts with white letters
	isWhite bool         // the letters of the open run are white
	buf     []byte
	inText  bool
	sound   int  // number of open phonetic elements
	raised  bool // the open run is raised above the line
}

func (s *sharedStrings) Start(name string, attrs []xml.Attr) {
	switch name {
	case "si":
		s.buf = s.buf[:0]
	case "r":
		s.isWhite, s.raised = false, false
	case "vertAlign":
		s.raised = xmlwalk.Attr(attrs, "val") == "superscript"
	case "color":
		s.isWhite = cellTone(attrs).Like(look.Hex("FFFFFF"))
	case "rPh":
		s.sound++
	case "t":
		s.inText = s.sound == 0
	}
}

func (s *sharedStrings) End(name string) {
	switch name {
	case "si":
		s.texts = append(s.texts, string(s.buf))
	case "r":
		s.isWhite = false
	case "rPh":
		s.sound--
	case "t":
		s.inText = false
	}
}

func (s *sharedStrings) Text(b []byte) {
	if !s.inText || s.raised && flow.RefersToNote(string(b), string(s.buf)) {
		return
	}
	if s.buf = append(s.buf, b...); s.isWhite {
		lists.Put(&s.white, len(s.texts), true)
	}
}

// A sheetReader reads sheets.
type sheetReader struct {
	slideReader // for drawings
	shared      sharedStrings
	looks       cellLooks
	style       string // number of the cell format
	most        int64  // size limit for the text in bytes
	unpacked    func() int64
	kind        string // type of the cell value
	cell        sharedStrings
	value       []byte
	inValue     bool
	err         error
}

// sheet reads a sheet of the list. Sheets of other types, such as charts, have no cells.
func (r *sheetReader) sheet(c *archive.Container, part string, p listedPart) error {
	if !c.Has(part) {
		r.hidden.missing = append(r.hidden.missing, "sheet "+p.name)
		return nil
	}
	if p.state == "hidden" || p.state == "veryHidden" {
		r.hidden.sheets = append(r.hidden.sheets, p.name)
	}
	start := r.Builder.Start(flow.Part)
	r.Builder.Text([]byte(p.name))
	r.Mark(format.Heading, start)
	r.Gap(flow.Part)
	if err := c.Walk(part, r); err != nil {
		return err
	}
	if r.err != nil {
		return r.err
	}
	r.Gap(flow.Part)
	countParts(c, c.Relations(part), &r.unread, r.counted)
	return r.drawings(c, part)
}

// silentCells are elements of sheets whose content is no text.
var silentCells = format.Names("f", "formula", "formula1", "formula2", "sqref", "rPh")

func (r *sheetReader) Start(name string, attrs []xml.Attr) {
	switch r.element = name; name {
	case "row":
		if h := xmlwalk.Attr(attrs, "hidden"); h == "1" || h == "true" {
			r.hidden.rows++
		}
	case "col":
		if h := xmlwalk.Attr(attrs, "hidden"); h == "1" || h == "true" {
			r.hidden.columns++
		}
	case "c":
		r.kind, r.value, r.cell = xmlwalk.Attr(attrs, "t"), r.value[:0], sharedStrings{}
		r.style = xmlwalk.Attr(attrs, "s")
	case "v":
		r.inValue = true
	default:
		r.cell.Start(name, attrs)
	}
}

func (r *sheetReader) End(name string) {
	switch name {
	case "v":
		r.inValue = false
	case "c":
		r.endCell()
	case "row":
		r.Gap(flow.Line)
	default:
		r.cell.End(name)
	}
}

// endCell adds the text of a cell. The total size is limited, since any number of cells may share a
// text.
func (r *sheetReader) endCell() {
	text, white := r.value, false
	switch r.kind {
	case "s":
		if n, err := strconv.Atoi(string(text)); err == nil && n >= 0 && n < len(r.shared.texts) {
			text, white = []byte(r.shared.texts[n]), r.shared.white[n]
		}
	case "inlineStr":
		text, white = r.cell.buf, r.cell.white[0]
	case "b", "e": // Boolean values and errors
		text = nil
	}
	if r.err == nil {
		r.err = roomFor(int64(r.Len()+len(text)), r.most, r.unpacked())
	}
	if r.err != nil {
		return
	}
	if hidden, hidesWhite := r.looks.hides(r.style); len(text) > 0 && (hidden || white && hidesWhite) {
		r.hidden.cells++
	}
	r.Builder.Text(cellCode().ReplaceAllFunc(text, func(m []byte) []byte {
		n, _ := strconv.ParseUint(string(m[2:6]), 16, 16)
		return utf8.AppendRune(nil, max(rune(n), ' '))
	}))
	r.Gap(flow.Cell)
}

// cellCode matches the code of a character that XML cannot hold, such as CR.
var cellCode = format.Pattern(`_x[0-9A-Fa-f]{4}_`)

// Limits for the total size of texts shared by cells, which a small file can make arbitrarily large.
const (
	mostRepeated = 64 << 20 // bytes of text
	repetition   = 16       // times the bytes of the cells, if that is more
)

// roomFor returns an error if the text of cells with this many bytes exceeds the limits.
func roomFor(text, most, cells int64) error {
	if most = min(most, max(mostRepeated, repetition*cells)); text > most {
		return fmt.Errorf("%w: %w", format.ErrTooLarge, phrase.Error("cause.text-exceeds", "its text exceeds {bytes} bytes", "bytes", most))
	}
	return nil
}

func (r *sheetReader) Text(s []byte) {
	switch {
	case r.inValue:
		r.value = append(r.value, s...)
	case r.cell.inText:
		r.cell.Text(s)
	case r.cell.sound == 0 && !silentCells[r.element]:
		r.unread.Words("<"+r.element+">", countWords(string(s)))
	}
}

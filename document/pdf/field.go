package pdf

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/tetratelabs/wazero/api"
)

// Values of form fields and free-text annotations are visible on a page but are not part of
// its content.

// Types of annotations and fields, and flags that hide them, as in PDFium.
const (
	annotComment  = 1
	annotLink     = 2
	annotFreeText = 3
	annotPopup    = 16
	annotWidget   = 20

	fieldCombo = 4
	fieldList  = 5
	fieldText  = 6

	annotUnseen = 1<<0 | 1<<1 | 1<<5 // invisible, hidden, not to be viewed
)

// unreadAnnotations are the names of annotations whose content or comment is not read.
var unreadAnnotations = map[int]string{
	4: "Line", 5: "Square", 6: "Circle", 7: "Polygon", 8: "PolyLine", 9: "Highlight", 10: "Underline", 11: "Squiggly", 12: "StrikeOut",
	13: "Stamp", 14: "Caret", 15: "Ink", 17: "FileAttachment", 18: "Sound", 19: "Movie", 21: "Screen", 25: "3D", 26: "RichMedia",
}

// Limits for annotations.
const (
	maxAnnotations = 10_000  // per page
	maxValue       = 1 << 20 // bytes of one value
)

// A value is the text that a field or an annotation states, "" for one that states none.
type value struct {
	text string
	at   box
}

// fields reads the fields and free-text annotations of the loaded page from top to bottom and
// counts its comments.
func (r *reader) fields(page handle, p *Page) {
	m := r.engine
	var values []value
	for i := range min(m.int(fnAnnotCount, uint64(page)), maxAnnotations) {
		annot := m.handle(fnAnnot, uint64(page), uint64(i))
		if annot == 0 {
			continue
		}
		if text, ok := r.annotation(annot, p); ok {
			at, _ := r.rect(fnAnnotRect, uint64(annot))
			values = append(values, value{text, at})
		}
		m.call(fnAnnotClose, uint64(annot))
	}
	slices.SortStableFunc(values, func(a, b value) int {
		return cmp.Or(-cmp.Compare(a.at.top, b.at.top), cmp.Compare(a.at.left, b.at.left))
	})
	for _, v := range values {
		if v.text != "" {
			p.Fields = append(p.Fields, v.text)
		}
	}
	p.values = values
}

// Thresholds for a field or an annotation that shows other words than it states.
const (
	shownWords  = 8   // least words that it shows
	shownRun    = 10  // consecutive letters that are looked for in the stated words
	shownOthers = 0.5 // least share of these runs that the stated words lack
)

// shownFields adds the texts that fields and annotations of a page show to those that they state, if
// they differ. It changes the page.
func (r *reader) shownFields(index int, p *Page) {
	m := r.engine
	if len(p.values) == 0 {
		return
	}
	page := m.handle(fnLoadPage, uint64(r.doc), uint64(index))
	if page == 0 {
		return
	}
	before := r.textsIn(page, p.values)
	flat := m.int(fnFlatten, uint64(page), 0)
	m.call(fnClosePage, uint64(page))
	if flat != flattened {
		return
	}
	if page = m.handle(fnLoadPage, uint64(r.doc), uint64(index)); page == 0 {
		return
	}
	defer m.call(fnClosePage, uint64(page))
	for i, shown := range r.textsIn(page, p.values) {
		words := strings.Fields(string(utf16.Decode(shown)))
		stated := append(utf16.Encode([]rune(p.values[i].text+" ")), before[i]...)
		if len(words) >= shownWords && isOther(foldedLetters(shown), foldedLetters(stated)) {
			p.Fields = append(p.Fields, strings.Join(words, " "))
			p.Differ++
		}
	}
}

// isOther reports whether most runs of shown letters are not in the stated letters.
func isOther(shown, stated []rune) bool {
	known := map[string]bool{}
	for i := shownRun; i <= len(stated); i++ {
		known[string(stated[i-shownRun:i])] = true
	}
	others := 0
	for i := shownRun; i <= len(shown); i++ {
		if !known[string(shown[i-shownRun:i])] {
			others++
		}
	}
	return float64(others) > shownOthers*float64(len(shown)-shownRun)
}

// textsIn returns the text of a page in the box of each value.
func (r *reader) textsIn(page handle, values []value) [][]uint16 {
	text := r.engine.handle(fnTextLoadPage, uint64(page))
	defer r.engine.call(fnTextClosePage, uint64(text))
	texts := make([][]uint16, len(values))
	for i, v := range values {
		if text != 0 {
			texts[i] = r.textIn(text, v.at)
		}
	}
	return texts
}

// flattened is the result of a successful merge of annotations into the content of a page.
const flattened = 1

// textIn returns the text in a box.
func (r *reader) textIn(text handle, at box) []uint16 {
	m := r.engine
	args := []uint64{uint64(text), api.EncodeF64(at.left), api.EncodeF64(at.top), api.EncodeF64(at.right), api.EncodeF64(at.bottom), 0, 0}
	size := min(m.int(fnBoundedText, args...), r.left, maxValue)
	if size <= 0 {
		return nil
	}
	r.left -= size
	buf := m.malloc(2 * size)
	defer m.free(buf)
	if buf == 0 {
		return nil
	}
	args[5], args[6] = uint64(buf), uint64(size)
	return m.units16(buf, min(m.int(fnBoundedText, args...), size))
}

// annotation returns the visible text that an annotation states. ok is false if it is of a kind that shows
// none, or whose text is searched for in the drawings of the page.
func (r *reader) annotation(annot handle, p *Page) (text string, ok bool) {
	m := r.engine
	if m.int(fnAnnotFlags, uint64(annot))&annotUnseen != 0 {
		return "", false
	}
	kind := m.int(fnAnnotKind, uint64(annot))
	switch kind {
	case annotComment:
		p.Comments++
	case annotFreeText:
		text = r.annotText(annot, "Contents")
		return text, text != ""
	case annotWidget:
		form := r.formHandle()
		switch m.int(fnFieldKind, uint64(form), uint64(annot)) {
		case fieldText, fieldCombo, fieldList:
			text = r.long(fnFieldValue, uint64(form), uint64(annot))
		}
		return text, true
	default:
		if name, ok := unreadAnnotations[kind]; ok {
			if p.Aside == nil {
				p.Aside = map[string]int{}
			}
			p.Aside[name] += len(strings.Fields(r.annotText(annot, "Contents")))
		}
	}
	return "", false
}

// annotText returns an entry of an annotation.
func (r *reader) annotText(annot handle, key string) string {
	name := r.engine.put(append([]byte(key), 0))
	defer r.engine.free(name)
	return r.long(fnAnnotText, uint64(annot), uint64(name))
}

// long calls a function that writes UTF-16 into a buffer and returns its size in bytes.
func (r *reader) long(f function, of ...uint64) string {
	m := r.engine
	size := m.int(f, append(slices.Clone(of), 0, 0)...)
	if size <= 2 || size > maxValue || r.left < size {
		return ""
	}
	r.left -= size
	buf := m.malloc(size)
	defer m.free(buf)
	m.call(f, append(slices.Clone(of), uint64(buf), uint64(size))...)
	return strings.TrimSpace(string(utf16.Decode(m.units16(buf, size/2-1))))
}

// formHandle returns the form environment of the engine, created at the first call. The
// callbacks of a window stay 0.
func (r *reader) formHandle() handle {
	const infoSize, version = 256, 2
	if r.filler == 0 {
		info := r.engine.put(append([]byte{version}, make([]byte, infoSize-1)...))
		r.filler = r.engine.handle(fnFormInit, uint64(r.doc), uint64(info))
	}
	return r.filler
}

// xfa returns the values of an XFA form.
func (r *reader) xfa() []string {
	m := r.engine
	for i := range min(m.int(fnPacketCount, uint64(r.doc)), maxAnnotations) {
		if r.packet(fnPacketName, i, 0) != "datasets\x00" {
			continue
		}
		return textsOf(r.packet(fnPacketContent, i, 1))
	}
	return nil
}

// packet returns the name or the content of an XFA packet. The functions return the size
// either directly or by a pointer.
func (r *reader) packet(f function, i, pointed int) string {
	m := r.engine
	size := m.int(f, append([]uint64{uint64(r.doc), uint64(i), 0, 0}, pointers(m, pointed)...)...)
	if pointed > 0 {
		size = int(m.u32(0))
	}
	if size <= 0 || size > r.left {
		return ""
	}
	buf := m.malloc(size)
	defer m.free(buf)
	m.call(f, append([]uint64{uint64(r.doc), uint64(i), uint64(buf), uint64(size)}, pointers(m, pointed)...)...)
	return string(m.bytes(buf, size))
}

func pointers(m *machine, n int) (list []uint64) {
	for i := range n {
		list = append(list, m.out(4, i))
	}
	return list
}

// textsOf returns the texts in the data of an XFA form, each once. Lists of choices are
// outside the data.
func textsOf(data string) []string {
	var list []string
	known := map[string]bool{}
	inside := 0
	d := xml.NewDecoder(bytes.NewReader([]byte(data)))
	d.Strict = false
	for {
		token, err := d.RawToken()
		if err != nil {
			return list
		}
		switch t := token.(type) {
		case xml.StartElement:
			if inside > 0 || t.Name.Local == "data" {
				inside++
			}
		case xml.EndElement:
			inside = max(inside-1, 0)
		case xml.CharData:
			if s := strings.Join(strings.Fields(string(t)), " "); inside > 0 && s != "" && !known[s] {
				known[s] = true
				list = append(list, s)
			}
		}
	}
}

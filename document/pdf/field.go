package pdf

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"slices"
	"strings"
	"unicode/utf16"
)

// What somebody filled into a form, or wrote on a page as a box of text, is seen on the
// page but is not part of what the page draws.

// Kinds of annotations and of fields, and what hides them, in the engine's numbers.
const (
	annotComment  = 1
	annotFreeText = 3
	annotWidget   = 20

	fieldCombo = 4
	fieldList  = 5
	fieldText  = 6

	annotUnseen = 1<<0 | 1<<1 | 1<<5 // invisible, hidden, not to be viewed
)

// Bounds of what is read of annotations.
const (
	maxAnnotations = 10_000  // of a page
	maxValue       = 1 << 20 // bytes of one
)

// A value is a text that is on a page without being drawn by it.
type value struct {
	text string
	at   box
}

// fields takes the values of fields and the boxes of text of the page that is loaded,
// as they stand from top to bottom. Comments are counted.
func (r *reader) fields(page handle, p *Page) {
	m := r.engine
	var values []value
	for i := range min(m.int(fnAnnotCount, uint64(page)), maxAnnotations) {
		annot := m.handle(fnAnnot, uint64(page), uint64(i))
		if annot == 0 {
			continue
		}
		if text := r.annotation(annot, p); text != "" {
			at, _ := r.rect(fnAnnotRect, uint64(annot))
			values = append(values, value{text, at})
		}
		m.call(fnAnnotClose, uint64(annot))
	}
	slices.SortStableFunc(values, func(a, b value) int {
		return cmp.Or(-cmp.Compare(a.at.top, b.at.top), cmp.Compare(a.at.left, b.at.left))
	})
	for _, v := range values {
		p.Fields = append(p.Fields, v.text)
	}
}

// annotation returns the text of an annotation that is seen on the page.
func (r *reader) annotation(annot handle, p *Page) string {
	m := r.engine
	if m.int(fnAnnotFlags, uint64(annot))&annotUnseen != 0 {
		return ""
	}
	switch m.int(fnAnnotKind, uint64(annot)) {
	case annotComment:
		p.Comments++
	case annotFreeText:
		return r.annotText(annot, "Contents")
	case annotWidget:
		form := r.formHandle()
		switch m.int(fnFieldKind, uint64(form), uint64(annot)) {
		case fieldText, fieldCombo, fieldList:
			return r.long(fnFieldValue, uint64(form), uint64(annot))
		}
	}
	return ""
}

// annotText returns an entry of an annotation.
func (r *reader) annotText(annot handle, key string) string {
	name := r.engine.put(append([]byte(key), 0))
	defer r.engine.free(name)
	return r.long(fnAnnotText, uint64(annot), uint64(name))
}

// long calls a function that writes a text in UTF-16 where it is told, and says how many
// bytes that takes.
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

// formHandle returns what the engine knows fields by, made for the first of them. It
// asks for functions that a window has; they stay 0.
func (r *reader) formHandle() handle {
	const infoSize, version = 256, 2
	if r.filler == 0 {
		info := r.engine.put(append([]byte{version}, make([]byte, infoSize-1)...))
		r.filler = r.engine.handle(fnFormInit, uint64(r.doc), uint64(info))
	}
	return r.filler
}

// xfa returns what is filled into a form in Adobe's XML.
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

// packet returns the name or the content of a part of such a form. The functions differ
// in how they say the size: as what they return, or by a pointer.
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

// textsOf returns the texts in the data of a form in XML, each once. Beside the data
// are lists to choose from.
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

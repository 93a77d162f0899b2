package pdf

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"slices"
	"strings"
	"unicode/utf16"
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

// Limits for annotations.
const (
	maxAnnotations = 10_000  // per page
	maxValue       = 1 << 20 // bytes of one value
)

// A value is text of a field or an annotation.
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

// annotation returns the visible text of an annotation.
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

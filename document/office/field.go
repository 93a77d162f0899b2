package office

import "strings"

// A wordField is an open field of a Word document: a code, such as that of a reference, then a
// separator and the result, which is text. A code may contain fields, whose results are part
// of the code.
type wordField struct {
	code   string // start of the code
	result bool   // the separator was read
}

// wordFields are the open fields, the outermost first.
type wordFields []wordField

// mark reads a field character: begin, separate or end.
func (r *wordFields) mark(kind string) {
	n := len(*r)
	switch {
	case kind == "begin":
		*r = append(*r, wordField{})
	case n == 0:
	case kind == "separate":
		(*r)[n-1].result = true
	case kind == "end":
		*r = (*r)[:n-1]
	}
}

// code reads text of a field code.
func (r wordFields) code(s []byte) {
	if n := len(r); n > 0 && len(r[n-1].code) < 16 {
		r[n-1].code += string(s)
	}
}

// hide reports whether the next text is not shown: part of a code, or the value of an ASK field,
// which other fields repeat.
func (r wordFields) hide() bool {
	for _, f := range r {
		if !f.result || f.unseen() {
			return true
		}
	}
	return false
}

func (f wordField) unseen() bool {
	name, _, _ := strings.Cut(strings.TrimSpace(f.code), " ")
	return strings.EqualFold(name, "ASK") || strings.EqualFold(name, "SET")
}

// show ends field codes at the end of a paragraph, so that a field without an end, as in a
// damaged file, does not hide the rest of the text.
func (r wordFields) show() {
	for i := range r {
		r[i].result = true
	}
}

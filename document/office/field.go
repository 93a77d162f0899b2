package office

import "strings"

// A wordField is an open field of a Word document: a code, such as that of a
// reference, and after a mark the result, which is text. A code may hold other
// fields, whose results are part of it.
type wordField struct {
	code   string // its start
	result bool   // what comes is the result
}

// wordFields are those that are open, the outermost first.
type wordFields []wordField

// mark takes a mark of a field: begin, separate or end.
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

// code takes text of a code.
func (r wordFields) code(s []byte) {
	if n := len(r); n > 0 && len(r[n-1].code) < 16 {
		r[n-1].code += string(s)
	}
}

// hide reports whether text that comes now is not shown: part of a code, or
// the answer to a question, which other fields repeat.
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

// show ends the codes at the end of a paragraph: a field without a
// result, which a damaged file has, must not take the rest of the text.
func (r wordFields) show() {
	for i := range r {
		r[i].result = true
	}
}

package office

import "strings"

// A wordField is an open field of a Word document: a code, such as that of a
// reference, and after a mark the result, which is text. A code may hold other
// fields, whose results are part of it.
type wordField struct {
	code   string // its start
	result bool   // what comes is the result
}

// fieldChar takes a mark of a field: begin, separate or end.
func (r *docxReader) fieldChar(kind string) {
	n := len(r.fields)
	switch {
	case kind == "begin":
		r.fields = append(r.fields, wordField{})
	case n == 0:
	case kind == "separate":
		r.fields[n-1].result = true
	case kind == "end":
		r.fields = r.fields[:n-1]
	}
}

func (r *docxReader) fieldCode(s []byte) {
	if n := len(r.fields); n > 0 && len(r.fields[n-1].code) < 16 {
		r.fields[n-1].code += string(s)
	}
}

// inField reports whether text that comes now is not shown: part of a code, or
// the answer to a question, which other fields repeat.
func (r *docxReader) inField() bool {
	for _, f := range r.fields {
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

// showFields ends the codes at the end of a paragraph: a field without a
// result, which a damaged file has, must not take the rest of the text.
func (r *docxReader) showFields() {
	for i := range r.fields {
		r.fields[i].result = true
	}
}

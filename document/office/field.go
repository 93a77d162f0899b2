package office

import (
	"strconv"
	"strings"

	"github.com/otisk/otisk/document/format"
)

// A wordField is an open field of a Word document: a code, such as that of a
// cross-reference, then, after a separator, the result, which is text. A code may contain
// other fields, whose results are part of the code.
type wordField struct {
	code   string // the first bytes of the code, all if it is shown
	result bool   // the separator was read
	hides  bool   // counted in wordFields.hiding
}

// wordFields is the stack of open fields. Fields may be nested as deep as a file is long,
// so no method but the amortized show visits all of them.
type wordFields struct {
	open    []wordField // the outermost first
	hiding  int         // open fields whose text is not shown
	results int         // the first fields of open that are all in their results
	shown   string      // text that Word shows by the code of the field that ended
}

// maxCode limits how many bytes of a code that is shown are kept.
const maxCode = 1 << 16

// mark processes a mark of a field: begin, separate or end.
func (r *wordFields) mark(kind string) {
	top := len(r.open) - 1
	switch {
	case kind == "begin":
		r.open = append(r.open, wordField{hides: true})
		r.hiding++
	case top < 0:
	case kind == "separate":
		r.open[top].result = true
		r.update(top)
	case kind == "end":
		if r.open[top].hides {
			r.hiding--
		}
		if r.shown = ""; !r.open[top].result && r.hiding == 0 {
			r.shown = shownCode(r.open[top].code)
		}
		r.open = r.open[:top]
		r.results = min(r.results, top)
	}
}

// update counts field i as hiding its text if it is in its code, or an ASK or a SET.
func (r *wordFields) update(i int) {
	f := &r.open[i]
	hides := !f.result || f.unseen()
	switch {
	case hides && !f.hides:
		r.hiding++
	case f.hides && !hides:
		r.hiding--
	}
	f.hides = hides
}

// inCode reports whether the innermost field is still in its code.
func (r *wordFields) inCode() bool {
	n := len(r.open)
	return n > 0 && !r.open[n-1].result
}

// code adds text to the code of the innermost field.
func (r *wordFields) code(s []byte) {
	if n := len(r.open); n > 0 && (len(r.open[n-1].code) < 16 || len(r.open[n-1].code) < maxCode && shownFields[r.open[n-1].name()]) {
		r.open[n-1].code += string(s)
		r.update(n - 1)
	}
}

// hide reports whether the next text is not shown: it is part of a code, or the answer to
// a question, which other fields repeat.
func (r *wordFields) hide() bool { return r.hiding > 0 }

// unseen reports whether the field is an ASK or a SET, whose result is not shown.
func (f *wordField) unseen() bool {
	name := f.name()
	return name == "ASK" || name == "SET"
}

// inContents reports whether the outermost field is a table of contents.
func (r *wordFields) inContents() bool {
	return len(r.open) > 0 && r.open[0].name() == "TOC"
}

// name returns the first word of the code.
func (f *wordField) name() string {
	name, _, _ := strings.Cut(strings.TrimSpace(f.code), " ")
	return strings.ToUpper(name)
}

// shownFields are the fields without a result, whose code Word shows.
var shownFields = format.Names("EQ", "MACROBUTTON")

var (
	eqRuby   = format.Pattern(`(?i)\\s *\\up *\d*\([^()]*\)`) // the reading of a word, above it
	eqSwitch = format.Pattern(`(?i)\\\* *(?:\w+|"[^"]*")|\bhps\d+|\\[a-z]+ *\d*|\\.`)
)

// shownCode returns the text of the code of a field that Word shows.
func shownCode(code string) string {
	name, rest, _ := strings.Cut(strings.TrimSpace(code), " ")
	switch strings.ToUpper(name) {
	case "EQ":
		return strings.TrimSpace(strings.NewReplacer("(", " ", ")", " ", ",", " ", ";", " ").Replace(eqSwitch().ReplaceAllString(eqRuby().ReplaceAllString(rest, ""), "")))
	case "MACROBUTTON":
		_, text, _ := strings.Cut(strings.TrimSpace(rest), " ") // after the name of the macro
		return text
	}
	return ""
}

// show ends all open codes at the end of a paragraph, so that a field without a result,
// as in a damaged file, does not hide the rest of the text.
func (r *wordFields) show() {
	for ; r.results < len(r.open); r.results++ {
		r.open[r.results].result = true
		r.update(r.results)
	}
}

// A choice is the drop-down list of a form field. Word shows the chosen entry, which is not text.
type choice struct {
	entries []string
	chosen  int
	stated  bool // chosen is not the default
	before  int  // length of the text before the field
}

// set records an entry, or the number of the chosen one; without a list, it does nothing.
func (c *choice) set(name, value string) {
	switch n, err := strconv.Atoi(value); {
	case c == nil:
	case name == "listEntry":
		c.entries = append(c.entries, value)
	case err == nil && n >= 0 && !c.stated:
		c.chosen, c.stated = n, name == "result"
	}
}

// putChoice adds the chosen entry of a field that ends without other text.
func (r *docxReader) putChoice() {
	if c := r.choice; c != nil && r.Len() == c.before && c.chosen < len(c.entries) {
		r.Builder.Text([]byte(c.entries[c.chosen]))
	}
	r.choice = nil
}

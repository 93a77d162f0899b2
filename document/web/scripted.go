package web

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"

	"github.com/otisk/otisk/document/format"
)

// A page with programs has much that is not seen and that nobody wants to hide: menus,
// forms, what is said to those who cannot see. Whoever saves such a page and hands it in
// is no suspect for that. Left out it is all the same, but only what can hide a copy is
// flagged: text within lines of prose, which parts words or joins them.

// Bounds of what is flagged in a page with programs.
const (
	withinLines = 3 // places within prose that are hidden in one way
	proseWords  = 8 // of a paragraph that is prose
)

// runs reports whether a page has a program: what is in <script> may be data, too.
func runs(page []byte) bool {
	for count := 0; count < maxElements; count++ {
		tag, rest := nextTag(page, "<script")
		if tag == nil {
			return false
		}
		page = rest
		z := html.NewTokenizer(bytes.NewReader(tag))
		z.Next()
		kind := strings.ToLower(attributes(z)["type"])
		if kind == "" || kind == "module" || strings.Contains(kind, "script") {
			return true
		}
	}
	return true
}

// excuse makes a note of what a page with programs hides, unless it can hide a copy.
func excuse(t *format.Text) {
	within := map[string]int{}
	for _, f := range t.Flags {
		if f.Kind == format.HiddenText && inProse(t.Text, f.Start) {
			within[f.Detail]++
		}
	}
	var kept []format.Flag
	excused := 0
	for _, f := range t.Flags {
		if f.Kind != format.HiddenText || within[f.Detail] >= withinLines {
			kept = append(kept, f)
		} else {
			excused += f.Count
		}
	}
	if t.Flags = kept; excused > 0 {
		t.Notes = append(t.Notes, format.Counted(excused, "%d character is not seen, in parts of the page that its programs may show: they are left out", "%d characters are not seen, in parts of the page that its programs may show: they are left out"))
	}
}

// inProse reports whether a place is within a paragraph of prose, neither before nor
// after all of it.
func inProse(text string, at int) bool {
	before, after := text[:at], text[at:]
	if i := strings.LastIndexByte(before, '\n'); i >= 0 {
		before = before[i+1:]
	}
	if i := strings.IndexByte(after, '\n'); i >= 0 {
		after = after[:i]
	}
	first, last := len(strings.Fields(before)), len(strings.Fields(after))
	return first > 0 && last > 0 && first+last >= proseWords
}

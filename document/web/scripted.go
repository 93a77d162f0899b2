package web

import (
	"bytes"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/lang/phrase"
)

// A page with scripts, or a template of pages, has much invisible text that hides nothing: menus, forms, text for screen
// readers. It is left out, but only text that can hide a copy is flagged: invisible text
// within lines of prose, which splits or joins words.

// Thresholds for flagging invisible text in a page with scripts.
const (
	withinLines = 3    // places within prose that can hide a copy
	proseWords  = 8    // words of a paragraph that counts as prose
	proseBytes  = 1000 // bytes of a paragraph that are examined on each side
)

// templates are signs of a page that a program completes: Jinja, Mustache, PHP, JSP, Angular and Vue.
var templates = []string{"{{", "{%", "<%", "<?php", " ng-", " v-if=", " th:"}

// runs reports whether a page has a script, or is a template; a <script> element may also contain only data.
func runs(page []byte) bool {
	if hasAny(page, templates) {
		return true
	}
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

// excuse replaces the flag for invisible text in a page with scripts by a note, unless that
// text can hide a copy.
func excuse(t *format.Text) {
	within := map[string]int{}
	for _, f := range t.Flags {
		if f.Kind == format.HiddenText && InProse(t.Text, f.Start) {
			within[f.Detail]++
		}
	}
	excused := 0
	t.Flags = slices.DeleteFunc(t.Flags, func(f format.Flag) bool {
		excuse := f.Kind == format.HiddenText && within[f.Detail] < withinLines
		if excuse {
			excused += f.Count
		}
		return excuse
	})
	t.Note(phrase.Counted("said.programs-show", "{n} character is not seen, in parts of the page that its programs may show: they are left out", "{n} characters are not seen, in parts of the page that its programs may show: they are left out", excused))
}

// InProse reports whether offset at is inside a paragraph of prose, neither at its start nor at
// its end.
func InProse(text string, at int) bool {
	before, after := text[max(0, at-proseBytes):at], text[at:min(len(text), at+proseBytes)]
	before = before[strings.LastIndexByte(before, '\n')+1:]
	after, _, _ = strings.Cut(after, "\n")
	first, last := len(strings.Fields(before)), len(strings.Fields(after))
	return first > 0 && last > 0 && first+last >= proseWords
}

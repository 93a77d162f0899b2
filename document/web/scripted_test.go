package web_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/document/internal/readtest"
)

// TestPageWithPrograms reads pages with scripts, whose hidden parts are menus and the like:
// they are omitted with a note. Text hidden within prose is flagged; on pages without
// scripts, all hidden paragraphs are.
func TestPageWithPrograms(t *testing.T) {
	const program = `<script src="menu.js"></script>`
	const menu = `<div style="display:none"><p>Sign in to read all of what we have written for you, and then look at the pages in which others have written ` +
		`about us, at our shop, and at the list of the people who work here</p></div>`
	const prose = `<p>One can <span hidden>x</span>read this <b hidden>y</b> as a line of prose, <i hidden>z</i> and so on.</p>`
	const twice = `<p>One can <span hidden>x</span>read this <b hidden>y</b> as a line of prose, and so on.</p>`
	tests := []struct {
		name, page string
		hidden     int // characters that are flagged
		note       bool
	}{
		{"a menu", program + menu + "<p>The text.</p>", 0, true},
		{"a menu after all", program + "<p>The text.</p>" + menu, 0, true},
		{"a menu of a page without programs", menu + "<p>The text.</p>", 138, false},
		{"a template for a program", menu + "<p>The text of {{ user.name }}.</p>", 0, true},
		{"a template with conditions", menu + `<p v-if="user">The text.</p>`, 0, true},
		{"a message of a page without programs", menu[:60] + "</div>" + strings.Repeat("<p>The text.</p>", 12), 0, false},
		{"data are no program", `<script type="application/ld+json">{}</script>` + menu + "<p>The text.</p>", 138, false},
		{"a module is", `<script type="module">go()</script>` + menu + "<p>The text.</p>", 0, true},
		{"within prose", program + menu + prose, 141, false},
		{"hardly within prose", program + menu + twice, 0, true},
		{"within a few words", program + strings.Repeat(`<p>Share <span hidden>with all</span> now</p>`, 5), 0, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			doc := &document.Document{Path: "a.html", Ext: "html"}
			if err := readtest.Read(t.Context(), doc, []byte("<html><body>"+tt.page+"</body></html>"), document.Options{}); err != nil {
				t.Fatal(err)
			}
			note := strings.Contains(fmt.Sprint(doc.Notes), "that its programs may show")
			hidden := 0
			for _, f := range doc.Flags {
				hidden += f.Count
			}
			if hidden != tt.hidden || note != tt.note {
				t.Errorf("%d characters flagged, notes %q; want %d, a note: %v", hidden, doc.Notes, tt.hidden, tt.note)
			}
		})
	}
}

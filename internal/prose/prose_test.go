package main

import (
	"fmt"
	"strings"
	"testing"
)

const goFile = `package p

// The server is
// told who asks.
//
//	make it anew
func f() {
	g("read %s: verdict is none") // a short one
	g("anew") // too short to be a sentence
	g("it goes on and on")        // prose:ok
}

// There is none of them here. /* anew */
`

const markdown = "# What it is\n\nIt does this anew, in `front of` all.\n\n```\nanew\n```\n- What is cut off\n  is reported.\n- Again [anew](anew.md). <!-- prose:ok -->\n"

const messages = `{
  "a.one": "read {name}: the verdict is none",
  "a.two": "anew",
  "a.three": {
    "one": "the server is told \"stop\" once",
    "other": "all is well here"
  }
}
`

func TestFindings(t *testing.T) {
	tests := []struct {
		name, text string
		split      func([]byte, bool) []block
		only       bool
		want       string
	}{
		{"a program", goFile, goBlocks, false, `3 "is told", 8 "is none", 13 "anew"`},
		{"a test", goFile, goBlocks, true, `3 "is told", 13 "anew"`},
		{"messages", messages, messageBlocks, false, `2 "is none", 5 "is told"`},
		{"a document", markdown, markdownBlocks, false, `3 "anew", 8 "What is cut off", 8 "What"`},
	}
	for _, tt := range tests {
		var got []string
		for _, b := range tt.split([]byte(tt.text), tt.only) {
			for _, f := range b.check() {
				got = append(got, fmt.Sprintf("%d %q", f.line, f.phrase))
			}
		}
		if g := strings.Join(got, ", "); !strings.EqualFold(g, tt.want) {
			t.Errorf("%s: found %s, want %s", tt.name, g, tt.want)
		}
	}
}

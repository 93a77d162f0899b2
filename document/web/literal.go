package web

import (
	"bytes"
	"encoding/base64"

	"strings"

	"github.com/otisk/otisk/document/format"
)

// Scripts are not run. The prose in their strings counts as text that they may show.

var (
	// literal matches a string of a script.
	literal = format.Pattern(`"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|` + "`(?:[^`\\\\]|\\\\(?s:.))*`")
	// separator matches the code between two strings of a list.
	separator = format.Pattern(`^[\s,+]*$`)
	// codes matches a list of character codes.
	codes = format.Pattern(`from(?:CharCode|CodePoint)\(([\d\s,x]+)\)`)
	// encoded matches a string that is decoded.
	encoded = format.Pattern(`atob\(["'` + "`" + `]([A-Za-z0-9+/=]+)`)
)

// writes matches the names by which scripts write into a page.
var writes = format.Pattern(`innerHTML|outerHTML|innerText|textContent|nodeValue|\.write|TextNode|\.data\b|\.value\b|\.content\b|insertAdjacent|append|prepend|replace(?:With|Children)|` +
	`\.(?:after|before)\(|setAttribute|setProperty|srcdoc|setHTML|fillText|strokeText|DOMParser|createContextualFragment|createObjectURL|eval|Function`)

// comments matches the names by which scripts read the comments of a page.
var comments = format.Pattern(`nodeType|COMMENT|Comment`)

// literalWords counts the words of prose in the strings of a script: in strings of eight words or more, in
// lists of as many strings as make it worth a note, and in encoded strings.
func literalWords(code []byte) int {
	n, list, end := 0, 0, 0
	for _, at := range literal().FindAllIndex(code, -1) {
		words := len(bytes.Fields(code[at[0]+1 : at[1]-1]))
		if !separator().Match(code[end:at[0]]) {
			n += ifMany(list)
			list = 0
		}
		if end = at[1]; words >= fieldWords {
			n += words
		} else {
			list += words
		}
	}
	n += ifMany(list)
	for _, m := range codes().FindAllSubmatch(code, -1) {
		n += ifMany(bytes.Count(m[1], []byte("32")))
	}
	for _, m := range encoded().FindAllSubmatch(code, -1) {
		if text, err := base64.StdEncoding.DecodeString(string(m[1])); err == nil {
			n += ifMany(len(strings.Fields(string(text))))
		}
	}
	return n
}

// ifMany returns n if it is worth a note, else 0.
func ifMany(n int) int {
	if n < leastUnread {
		return 0
	}
	return n
}

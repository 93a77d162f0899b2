package web

import (
	"bytes"
	"encoding/base64"
	"iter"
	"slices"
	"strings"

	"github.com/otisk/otisk/document/format"
)

// Scripts are not run. The prose in their strings counts as text that they may show.

var (
	// codes matches a list of character codes.
	codes = format.Pattern(`from(?:CharCode|CodePoint)\(([\d\s,x]+)\)`)
	// encoded matches a string that is decoded.
	encoded = format.Pattern(`atob\(["'` + "`" + `]([A-Za-z0-9+/=]+)`)
)

// Names by which scripts write into a page, whole properties for that, and names by which they read
// its comments. They are searched for one by one, which takes a tenth of the time of a regular
// expression: pages of news sites have hundreds of kilobytes of scripts.
var (
	writing = []string{"innerHTML", "outerHTML", "innerText", "textContent", "nodeValue", ".write", "TextNode", "insertAdjacent", "append", "prepend", "replaceWith", "replaceChildren",
		".after(", ".before(", "setAttribute", "setProperty", "srcdoc", "setHTML", "fillText", "strokeText", "DOMParser", "createContextualFragment", "createObjectURL", "eval", "Function"}
	properties = []string{".data", ".value", ".content"}
	comments   = []string{"nodeType", "COMMENT", "Comment"}
)

// writes reports whether a script may write into a page.
func writes(code []byte) bool {
	return hasAny(code, writing) || slices.ContainsFunc(properties, func(name string) bool { return hasWord(code, name) })
}

func hasAny(code []byte, names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return bytes.Contains(code, []byte(name)) })
}

// hasWord reports whether a name is in code and no letter, digit or underscore follows it.
func hasWord(code []byte, name string) bool {
	for {
		at := bytes.Index(code, []byte(name))
		if at < 0 {
			return false
		}
		if code = code[at+len(name):]; len(code) == 0 || !isWord(code[0]) {
			return true
		}
	}
}

func isWord(b byte) bool {
	return b == '_' || '0' <= b && b <= '9' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z'
}

// literalWords counts the words of prose in the strings of a script: in strings of eight words or more, in
// lists of as many strings as make it worth a note, and in encoded strings.
func literalWords(code []byte) int {
	n, list, end := 0, 0, 0
	for from, to := range literals(code) {
		words := len(bytes.Fields(code[from+1 : to-1]))
		if len(bytes.Trim(code[end:from], "\t\n\f\r ,+")) > 0 { // not between two strings of a list
			n += ifMany(list)
			list = 0
		}
		if end = to; words >= fieldWords {
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

// literals yields the ranges of the strings of a script, quotation marks included. Of those of one kind, a
// mark without an end before its line ends shows that those up to there have none, either, so that the code
// is scanned three times at most.
func literals(code []byte) iter.Seq2[int, int] {
	return func(yield func(from, to int) bool) {
		var open [256]int // by mark: before this offset no string ends
		for at := 0; at < len(code); at++ {
			mark := code[at]
			if mark != '"' && mark != '\'' && mark != '`' || at < open[mark] {
				continue
			}
			end, ok := literalEnd(code, at)
			if !ok {
				open[mark] = end
				continue
			}
			if !yield(at, end) {
				return
			}
			at = end - 1
		}
	}
}

// literalEnd returns the end of the string that starts at from; without one, ok is false, and no string that
// starts before end with the same mark has one.
func literalEnd(code []byte, from int) (end int, ok bool) {
	mark := code[from]
	for at := from + 1; at < len(code); at++ {
		switch code[at] {
		case mark:
			return at + 1, true
		case '\\':
			if at++; at < len(code) && code[at] == '\n' && mark != '`' {
				return at, false
			}
		case '\n':
			if mark != '`' {
				return at, false
			}
		}
	}
	return len(code), false
}

// ifMany returns n if it is worth a note, else 0.
func ifMany(n int) int {
	if n < leastUnread {
		return 0
	}
	return n
}

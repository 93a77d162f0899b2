package document

import (
	"bytes"
	"regexp"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

var (
	cssHidden = regexp.MustCompile(`(?i)(^|[;\s])(display\s*:\s*none|visibility\s*:\s*hidden|opacity\s*:\s*0(\.0+)?\s*(;|$))`)
	cssTiny   = regexp.MustCompile(`(?i)(^|[;\s])font-size\s*:\s*(0|0?\.\d+|1|1\.\d+)\s*(px|pt)?\s*(!important)?\s*(;|$)`)
	cssWhite  = regexp.MustCompile(`(?i)(^|[;\s])color\s*:\s*(white|#fff|#ffffff|transparent|rgba?\(\s*255\s*,\s*255\s*,\s*255\s*[,)])`)
)

// A htmlHiding is the open element that hides what is in it.
type htmlHiding struct {
	tag   atom.Atom
	name  string
	depth int    // open elements of that name within, itself included; 0 for none
	why   string // why it is not seen
	dark  bool   // something gives the page a ground, on which white is seen
}

// enter looks at a start tag. Whether white text can be seen on the page is
// told by the page itself only: if anything on it sets a ground, it can.
func (h *htmlHiding) enter(z *html.Tokenizer, tag atom.Atom, name []byte, more bool) {
	if h.depth > 0 {
		switch {
		case string(name) == h.name:
			h.depth++
			if h.tag == atom.P || h.tag == atom.Li {
				h.depth = 0 // it ended the one before
			}
		case h.tag == atom.P && elementGaps[tag] == part:
			h.depth = 0
		}
	}
	for more {
		var key, value []byte
		key, value, more = z.TagAttr()
		switch string(key) {
		case "hidden":
			h.hide(tag, name, "marked as hidden")
		case "bgcolor", "background":
			h.dark = true
		case "style":
			h.style(tag, name, value)
		case "rel":
			h.dark = h.dark || bytes.Contains(value, []byte("stylesheet"))
		case "color":
			if tag == atom.Font && !h.dark && cssWhite.Match(append([]byte("color:"), value...)) {
				h.hide(tag, name, "white on white")
			}
		}
	}
}

func (h *htmlHiding) style(tag atom.Atom, name, value []byte) {
	h.dark = h.dark || bytes.Contains(bytes.ToLower(value), []byte("background"))
	switch {
	case cssHidden.Match(value):
		h.hide(tag, name, "marked as hidden")
	case cssTiny.Match(value):
		h.hide(tag, name, "too small to see")
	case !h.dark && cssWhite.Match(value):
		h.hide(tag, name, "white on white")
	}
}

// voidElements have no content, and no end.
var voidElements = setOf("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr", "html", "body")

func (h *htmlHiding) hide(tag atom.Atom, name []byte, why string) {
	if h.depth == 0 && !voidElements[string(name)] {
		h.tag, h.name, h.depth, h.why = tag, string(name), 1, why
	}
}

// leave looks at an end tag.
func (h *htmlHiding) leave(name []byte) {
	if h.depth > 0 && string(name) == h.name {
		h.depth--
	}
}

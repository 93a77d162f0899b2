package web

import (
	"bytes"
	"encoding/base64"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html/atom"

	"github.com/otisk/otisk/document/flow"
	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/internal/phrase"
)

// A browser shows text outside of the text of a page: in form fields, in frames whose page is in an
// attribute, in pictures of SVG, in the alternative text of pictures without an address, and in
// strings that scripts write. Fields with prose and frames are read; a note counts the words of the
// rest.

// Thresholds for text outside of the text of a page.
const (
	fieldWords  = 8  // words of a field that is read
	leastUnread = 20 // words that make it worth a note
	maxFrames   = 100
)

// fieldTexts are the attributes of elements that a browser shows as text.
var fieldTexts = map[atom.Atom][]string{
	atom.Input: {"value", "placeholder"}, atom.Textarea: {"placeholder"}, atom.Option: {"label"}, atom.Optgroup: {"label"}, atom.Track: {"label"},
}

// showsAttributes are the elements whose attributes may show text, or decide whether it is shown.
var showsAttributes = map[atom.Atom]bool{
	atom.Input: true, atom.Textarea: true, atom.Option: true, atom.Optgroup: true, atom.Track: true, atom.Iframe: true, atom.Object: true, atom.Embed: true, atom.Img: true,
	atom.Template: true,
}

// unseenInputs are the types of input elements that show no text.
var unseenInputs = format.Names("hidden", "checkbox", "radio", "file", "image", "color", "range", "password", "date", "month", "time", "number")

// attributesShown reads the text in the attributes of the element that starts.
func (r *htmlReader) attributesShown(tag atom.Atom, attrs map[string]string) {
	if r.raw != 0 || r.template > 0 || r.hiding.left() {
		return
	}
	switch tag {
	case atom.Input, atom.Textarea, atom.Option, atom.Optgroup, atom.Track:
		if tag == atom.Input && unseenInputs[strings.ToLower(attrs["type"])] {
			return
		}
		for _, name := range fieldTexts[tag] {
			if text := attrs[name]; text != "" {
				r.field(text)
				break // a placeholder is shown in an empty field only
			}
		}
	case atom.Iframe, atom.Object, atom.Embed:
		r.frame(attrs)
	case atom.Img:
		r.picture(attrs)
	}
}

// field reads the text of a form field.
func (r *htmlReader) field(text string) {
	words := len(strings.Fields(text))
	if words < fieldWords {
		r.unread += words
		return
	}
	r.flow.Gap(flow.Part)
	r.show([]byte(text))
	r.flow.Gap(flow.Part)
}

// frame reads a page in an attribute.
func (r *htmlReader) frame(attrs map[string]string) {
	page, ok := attrs["srcdoc"]
	if !ok {
		page, ok = dataPage(attrs["src"] + attrs["data"])
	}
	if small(attrs["width"]) || small(attrs["height"]) || !ok {
		return
	}
	if why, _ := r.hiding.Unseen(); why != "" {
		return
	}
	if r.depth == maxDepth || r.frames == maxFrames {
		r.unread += len(strings.Fields(page))
		return
	}
	r.frames++
	inner := newHTMLReader(r.ctx)
	inner.depth = r.depth + 1
	if err := inner.page([]byte(page)); err != nil {
		r.unread += len(strings.Fields(page))
		return
	}
	r.flow.Gap(flow.Part)
	r.flow.Append(&inner.flow)
	r.flow.Gap(flow.Part)
	r.unread += inner.unread
}

// maxDepth limits frames in frames.
const maxDepth = 4

// small reports whether a dimension of a frame is at most one pixel.
func small(s string) bool {
	n, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(s), "px"))
	return err == nil && n <= 1
}

// dataPage returns the page in a data: address.
func dataPage(address string) (string, bool) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(address), "data:text/html")
	if !ok {
		return "", false
	}
	parameters, data, _ := strings.Cut(rest, ",")
	return dataOf(parameters, data), true
}

// dataOf decodes the content of a data: address.
func dataOf(parameters, data string) string {
	if plain, err := url.PathUnescape(data); err == nil {
		data = plain
	}
	if strings.HasSuffix(parameters, ";base64") {
		if b, err := base64.StdEncoding.DecodeString(strings.TrimSpace(data)); err == nil {
			return string(b)
		}
	}
	return data
}

// picture counts the words of a picture of SVG in its address, and of the alternative text of a
// picture without an address.
func (r *htmlReader) picture(attrs map[string]string) {
	address := strings.TrimSpace(attrs["src"])
	if rest, ok := strings.CutPrefix(address, "data:image/svg+xml"); ok {
		parameters, data, _ := strings.Cut(rest, ",")
		if svg := dataOf(parameters, data); strings.Contains(svg, "<text") {
			inner := newHTMLReader(r.ctx)
			if inner.page([]byte(svg)) == nil {
				r.unread += len(strings.Fields(inner.flow.String()))
			}
		}
	}
	if address == "" && attrs["srcset"] == "" {
		r.unread += len(strings.Fields(attrs["alt"]))
	}
}

// scriptWrites matches a call or assignment that writes a string into a page, up to the string.
var scriptWrites = regexp.MustCompile("(?:document\\.write(?:ln)?\\(|\\.(?:innerHTML|innerText|textContent)\\s*\\+?=|createTextNode\\(|insertAdjacent(?:HTML|Text)\\([^,()]{1,40},)\\s*[\"'`]")

// script counts the words of prose in string literals that a script writes into the page.
func (r *htmlReader) script(code []byte) {
	for {
		at := scriptWrites.FindIndex(code)
		if at == nil {
			return
		}
		mark := code[at[1]-1]
		code = code[at[1]:]
		end := bytes.IndexByte(code, mark)
		if end < 0 {
			return
		}
		if n := len(bytes.Fields(code[:end])); n >= fieldWords {
			r.unread += n
		}
		code = code[end:]
	}
}

// noteUnread adds notes about unread text that a browser may show, and about conditions of style
// sheets that were not evaluated.
func (r *htmlReader) noteUnread() {
	if r.unread >= leastUnread {
		r.said = append(r.said, phrase.Counted("said.browser-shows", "{n} word that a browser may show is not read: form fields, pictures, scripts", "{n} words that a browser may show are not read: form fields, pictures, scripts", r.unread))
	}
	if slices.Sort(r.undecided); len(r.undecided) > 0 {
		r.said = append(r.said, phrase.Error("said.style-conditions", "style sheets hide text by conditions that are not evaluated: {conditions}", "conditions", strings.Join(slices.Compact(r.undecided), ", ")))
	}
}

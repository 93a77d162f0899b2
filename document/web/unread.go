package web

import (
	"bytes"
	"encoding/base64"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/otisk/otisk/document/flow"
	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/document/look"
	"github.com/otisk/otisk/lang/phrase"
)

// A browser shows text outside of the text of a page: in form fields, in frames whose page is in an
// attribute, in pictures of SVG, in the alternative text of missing pictures, and in strings of
// scripts. Fields with prose and frames are read; a note counts the words of the rest and names the
// constructs.

// Thresholds for text outside of the text of a page.
const (
	fieldWords   = 8  // words of a field that is read
	readingWords = 3  // words of an annotation of ruby that is more than the reading of a word
	leastUnread  = 20 // words that make it worth a note; an alternative text of so many counts beside an address, too
	maxFrames    = 100
)

// fieldTexts are the attributes of elements that a browser shows as text.
var fieldTexts = map[atom.Atom][]string{
	atom.Input: {"value", "placeholder"}, atom.Textarea: {"placeholder"}, atom.Option: {"label"}, atom.Optgroup: {"label"}, atom.Track: {"label"},
}

// showsAttributes are the elements whose attributes may show text, or decide whether it is shown.
var showsAttributes = map[atom.Atom]bool{
	atom.Input: true, atom.Textarea: true, atom.Option: true, atom.Optgroup: true, atom.Track: true, atom.Iframe: true, atom.Frame: true, atom.Object: true, atom.Embed: true,
	atom.Img: true, atom.Area: true, atom.Template: true, atom.Script: true,
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
			r.picture(attrs)
			return
		}
		for _, name := range fieldTexts[tag] {
			if text := attrs[name]; text != "" {
				r.field(text)
				break // a placeholder is shown in an empty field only
			}
		}
	case atom.Iframe, atom.Frame, atom.Object, atom.Embed:
		if r.frame(attrs); tag == atom.Frame {
			r.hiding.unread.Part("<frame> " + attrs["src"])
		}
	case atom.Img, atom.Area:
		r.picture(attrs)
	}
}

// field reads the text of a form field.
func (r *htmlReader) field(text string) {
	words := len(strings.Fields(text))
	if words < fieldWords {
		r.hiding.unread.Words("<input>", words)
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
		r.hiding.unread.Words("<iframe>", len(strings.Fields(page)))
		return
	}
	r.frames++
	inner := newHTMLReader(r.ctx)
	inner.depth = r.depth + 1
	if err := inner.page([]byte(page)); err != nil {
		r.hiding.unread.Words("<iframe>", len(strings.Fields(page)))
		return
	}
	r.flow.Gap(flow.Part)
	r.flow.Append(&inner.flow)
	r.flow.Gap(flow.Part)
	r.unread.Merge(inner.unread)
}

// maxDepth limits frames in frames.
const maxDepth = 4

// small reports whether a dimension of a frame is at most one pixel.
func small(s string) bool {
	n, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(s), "px"))
	return err == nil && n <= 1
}

// shownTypes are the media types of data: addresses that show text as a page does.
var shownTypes = format.Names("", "text/plain", "text/html", "application/xhtml+xml", "image/svg+xml")

// dataPage returns the page in a data: address.
func dataPage(address string) (string, bool) {
	kind, data, ok := dataOf(address)
	if !ok || !shownTypes[kind] {
		return "", false
	}
	if kind == "" || kind == "text/plain" {
		data = html.EscapeString(data)
	}
	return data, true
}

// dataOf returns the media type and the decoded content of a data: address.
func dataOf(address string) (kind, data string, ok bool) {
	address = strings.TrimSpace(address)
	if len(address) < len("data:") || !strings.EqualFold(address[:len("data:")], "data:") {
		return "", "", false
	}
	parameters, data, ok := strings.Cut(address[len("data:"):], ",")
	kind, _, _ = strings.Cut(strings.ToLower(parameters), ";")
	if plain, err := url.PathUnescape(data); err == nil {
		data = plain
	}
	if strings.HasSuffix(parameters, ";base64") {
		if b, err := base64.StdEncoding.DecodeString(strings.TrimSpace(data)); err == nil {
			data = string(b)
		}
	}
	return strings.TrimSpace(kind), data, ok
}

// countAddressed counts the words that the content of the data: addresses in style sheets and
// attributes shows.
func (r *htmlReader) countAddressed() {
	for _, s := range r.hiding.addressed {
		r.countIn(s)
	}
	r.hiding.addressed = nil
}

func (r *htmlReader) countIn(s []byte) {
	for r.depth < maxDepth {
		at := indexFold(s, "data:")
		if at < 0 {
			return
		}
		end := len(s) - at
		if at > 0 {
			if i := bytes.IndexByte(s[at:], closer[s[at-1]]); i >= 0 && closer[s[at-1]] != 0 {
				end = i
			}
		}
		s = s[at:]
		if kind, data, ok := dataOf(string(s[:end])); ok {
			r.hiding.unread.Words("data:"+kind, r.wordsOf(kind, data))
		}
		s = s[min(end+1, len(s)):]
	}
}

// closer maps the character before an address to the one after it, which the address cannot contain.
var closer = map[byte]byte{'"': '"', '\'': '\'', '(': ')', ' ': ' '}

// wordsOf counts the words that content of a media type may show.
func (r *htmlReader) wordsOf(kind, data string) int {
	switch {
	case kind == "text/css":
		return look.StringWords(strings.ReplaceAll(data, "{", " "))
	case strings.HasSuffix(kind, "javascript"):
		return literalWords([]byte(data))
	case kind == "" || kind == "text/plain":
		return len(strings.Fields(data))
	case shownTypes[kind] && (kind != "image/svg+xml" || strings.Contains(data, "<text")):
		inner := newHTMLReader(r.ctx)
		if inner.depth = r.depth + 1; inner.page([]byte(data)) == nil {
			return len(strings.Fields(inner.flow.String()))
		}
	}
	return 0
}

// picture counts the words of the alternative text of a picture without an address, and of a long
// one, since the picture may be missing.
func (r *htmlReader) picture(attrs map[string]string) {
	words := len(strings.Fields(attrs["alt"]))
	if strings.TrimSpace(attrs["src"]) == "" && attrs["srcset"] == "" || words >= leastUnread {
		r.hiding.unread.Words("alt", words)
	}
}

// script counts the words that a script may write into the page; data may be written by another one.
func (r *htmlReader) script(code []byte) {
	switch kind := strings.ToLower(r.hiding.values["type"]); {
	case kind == "application/json" && r.runs, (kind == "" || kind == "module" || strings.HasSuffix(kind, "javascript")) && writes(code):
		r.hiding.unread.Words("<script>", literalWords(code))
	}
	if hasAny(code, comments) {
		r.hiding.unread.Words("<!-- -->", ifMany(r.comments))
		r.comments = 0
	}
}

// noteUnread adds notes about unread text that a browser may show, and about conditions of style
// sheets that were not evaluated.
func (r *htmlReader) noteUnread() {
	if r.moved >= leastUnread {
		r.said = append(r.said, phrase.Counted("said.other-order", "{n} part of the page is displayed in another order than it is read", "{n} parts of the page are displayed in another order than they are read", r.moved))
	}
	if slices.Sort(r.undecided); len(r.undecided) > 0 {
		r.said = append(r.said, phrase.Error("said.style-conditions", "style sheets hide text by conditions that are not evaluated: {conditions}", "conditions", strings.Join(slices.Compact(r.undecided), ", ")))
	}
}

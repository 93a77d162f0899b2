package web

import (
	"bytes"
	"strings"

	"github.com/otisk/otisk/document/format"
)

// Pages of the web have text around their text: navigation, notes about cookies,
// footers. Where it is to be left out, elements are recognised by what they are
// (<nav>, role="search"), and by words of their classes and ids, which builders
// of pages choose alike. A page with a <main> is that, if it holds most text.
//
// Libraries that extract articles return a page of their own, without its styles:
// what they leave would be read with the hidden text in it.

// frameElements are around the text of a page, whatever is in them.
var frameElements = format.Names("nav", "footer", "aside", "dialog", "form", "menu")

// frameRoles are the same as roles.
var frameRoles = format.Names("navigation", "banner", "contentinfo", "complementary", "search", "dialog", "alertdialog", "menu", "menubar", "toolbar")

// frameWords are what the classes and ids of such elements are called, alone, at
// the start (cookie-bar) or at the end (site-footer).
var frameWords = format.Names("nav", "navbar", "navigation", "menu", "submenu", "breadcrumb", "breadcrumbs", "footer", "cookie", "cookies", "cookiebar", "cookiebanner",
	"consent", "gdpr", "sidebar", "social", "share", "sharing", "newsletter", "masthead", "advert", "advertisement", "ads", "popup", "pagination", "pager",
	"toolbar", "skip", "skiplink", "paticka", "navigace", "drobecky", "topbar")

// notFrameWords at the start of a class say something of what is in the element.
var notFrameWords = format.Names("has", "with", "without", "no", "is", "page", "layout", "body", "js", "not")

// contentElements are never left out for what they are called.
var contentElements = format.Names("html", "body", "main", "article", "p", "h1", "h2", "h3", "blockquote", "pre")

// isFrame reports whether an element is around the text of a page. within says
// that it is in an article, whose own header and notes are text.
func isFrame(name, role string, names []string, within bool) bool {
	switch {
	case name == "main" || role == "main":
		return false
	case frameElements[name] && !(within && (name == "footer" || name == "aside")):
		return true
	case frameRoles[role]:
		return true
	case contentElements[name] || strings.HasPrefix(name, "h") && len(name) == 2:
		return false
	}
	for _, n := range names {
		if isFrameName(n) {
			return true
		}
	}
	return false
}

func isFrameName(class string) bool {
	words := strings.FieldsFunc(strings.ToLower(class), func(r rune) bool { return r == '-' || r == '_' })
	if len(words) == 0 || notFrameWords[words[0]] {
		return false
	}
	return frameWords[words[0]] || frameWords[words[len(words)-1]]
}

// stripping says what a reader of pages leaves out.
type stripping uint8

const (
	keepAll   stripping = iota
	stripKind           // what elements are
	stripName           // and what they are called
	stripMain           // and all that is outside of <main>
)

// enough is the share of the text of a page that must be left after more of it
// is left out, so that a page which calls its text by a wrong name is not lost.
const enough = 0.25

// strip reads a page without what is around its text, as much of that as leaves
// enough.
func (r *htmlReader) strip(data []byte) error {
	all, err := r.stripped(data, keepAll)
	if err != nil {
		return err
	}
	best, least := all, int(enough*float64(all.flow.Len()))
	for s := stripKind; s <= stripMain; s++ {
		if s == stripMain && !bytes.Contains(data, []byte("<main")) && !bytes.Contains(data, []byte("role=\"main\"")) {
			break
		}
		less, err := r.stripped(data, s)
		if err != nil {
			return err
		}
		if less.flow.Len() < least || less.flow.Blank() {
			break
		}
		best = less
	}
	r.title, r.author = best.title, best.author
	r.flow.Append(&best.flow)
	if cut := all.flow.Len() - best.flow.Len(); cut > 0 {
		r.said = append(r.said, format.Counted(cut, "%d byte around the text of the page is left out", "%d bytes around the text of the page are left out"))
	}
	return nil
}

// stripped reads a page as far as s leaves it.
func (r *htmlReader) stripped(data []byte, s stripping) (*htmlReader, error) {
	inner := newHTMLReader(r.ctx)
	inner.title, inner.author, inner.linked, inner.strips = r.title, r.author, r.linked, s
	return inner, inner.page(data)
}

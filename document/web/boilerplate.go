package web

import (
	"bytes"
	"slices"
	"strings"

	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/lang/phrase"
)

// Web pages have boilerplate around their text: navigation, cookie notices, footers. To
// remove it, elements are recognised by their kind (<nav>, role="search") and by common words
// in their classes and ids. If a page has a <main> element with most of the text, only that is
// kept.
//
// Libraries that extract articles return a new page without the styles of the original, so
// hidden text would be read as visible.

// frameElements are boilerplate, whatever they contain.
var frameElements = format.Names("nav", "footer", "aside", "dialog", "form", "menu")

// frameRoles are the roles of boilerplate.
var frameRoles = format.Names("navigation", "banner", "contentinfo", "complementary", "search", "dialog", "alertdialog", "menu", "menubar", "toolbar")

// frameWords are classes and ids of boilerplate: alone, at the start (cookie-bar) or at the end
// (site-footer).
var frameWords = format.Names("nav", "navbar", "navigation", "menu", "submenu", "breadcrumb", "breadcrumbs", "footer", "cookie", "cookies", "cookiebar", "cookiebanner",
	"consent", "gdpr", "sidebar", "social", "share", "sharing", "newsletter", "masthead", "advert", "advertisement", "ads", "popup", "pagination", "pager",
	"toolbar", "skip", "skiplink", "paticka", "navigace", "drobecky", "topbar")

// notFrameWords at the start of a class describe the content of the element.
var notFrameWords = format.Names("has", "with", "without", "no", "is", "page", "layout", "body", "js", "not")

// contentElements are never removed because of a class or id.
var contentElements = format.Names("html", "body", "main", "article", "p", "h1", "h2", "h3", "blockquote", "pre")

// isFrame reports whether an element is boilerplate. within is true inside an article, whose
// own header and notes are text.
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
	return slices.ContainsFunc(names, isFrameName)
}

func isFrameName(class string) bool {
	words := strings.FieldsFunc(strings.ToLower(class), func(r rune) bool { return r == '-' || r == '_' })
	if len(words) == 0 || notFrameWords[words[0]] {
		return false
	}
	return frameWords[words[0]] || frameWords[words[len(words)-1]]
}

// stripping is a set of rules for the removal of boilerplate.
type stripping uint8

const (
	keepAll   stripping = iota
	stripKind           // by kind and role of elements
	stripName           // by class and id
	stripMain           // everything outside <main>
)

// enough is the share of the text that a further rule must leave; otherwise that rule is not
// applied. It protects pages whose text has a misleading class or id.
const enough = 0.25

// strip reads a page without boilerplate, by the strictest rules that leave enough text.
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
	r.unread, r.undecided, r.moved = best.unread, best.undecided, best.moved
	r.flow.Append(&best.flow)
	if cut := all.flow.Len() - best.flow.Len(); cut > 0 {
		r.said = append(r.said, phrase.Counted("said.around-page", "{n} byte around the text of the page is left out", "{n} bytes around the text of the page are left out", cut))
	}
	return nil
}

// stripped reads a page by the rules s.
func (r *htmlReader) stripped(data []byte, s stripping) (*htmlReader, error) {
	inner := newHTMLReader(r.ctx)
	inner.title, inner.author, inner.linked, inner.strips = r.title, r.author, r.linked, s
	inner.depth = r.depth
	return inner, inner.page(data)
}

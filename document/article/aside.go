package article

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/otisk/otisk/document/format"
)

// setAside removes captions of pictures and lists of links from the element that looks like the
// article, such as links to other articles, and then elements whose names say so.
func setAside(article *html.Node) {
	if article == nil {
		return
	}
	var readings, lists, named []*html.Node
	for n := range article.Descendants() {
		switch n.DataAtom {
		case atom.Rt, atom.Rp: // how characters are read
			readings = append(readings, n)
		case atom.Figcaption:
			lists = append(lists, n)
		case atom.P, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
			if isPointer(n) {
				lists = append(lists, n)
			}
		case atom.Ul, atom.Ol:
			if all, linked := wordsOf(n); 2*linked > all {
				lists = append(lists, n)
			}
		}
	}
	for _, n := range readings {
		n.Parent.RemoveChild(n)
	}
	remove(article, lists)
	for n := range article.Descendants() {
		if isAside(n) {
			named = append(named, n)
		}
	}
	remove(article, named)
}

// isPointer reports whether a paragraph is only a link, as to another article.
func isPointer(p *html.Node) bool {
	all, linked := wordsOf(p)
	return all > 0 && all == linked && all <= mostLine
}

// mostAside is the maximum share of the words of an article that is removed. An element with more
// belongs to the article, such as the captions of a gallery or a list of sources.
const mostAside = 0.4

// remove removes elements from an article, but none that has more than mostAside of its words,
// and nothing if all have more together.
func remove(article *html.Node, aside []*html.Node) {
	all, _ := wordsOf(article)
	left := all
	small, removed := aside[:0], map[*html.Node]bool{}
	for _, n := range aside {
		words, _ := wordsOf(n)
		if float64(words) > mostAside*float64(all) || within(n, removed) {
			continue
		}
		small, removed[n] = append(small, n), true
		left -= words
	}
	if float64(left) < (1-mostAside)*float64(all) {
		return
	}
	for _, n := range small {
		n.Parent.RemoveChild(n)
	}
}

// within reports whether an ancestor of n is in set.
func within(n *html.Node, set map[*html.Node]bool) bool {
	for n = n.Parent; n != nil; n = n.Parent {
		if set[n] {
			return true
		}
	}
	return false
}

// asideNames matches usual classes and ids of elements that are not part of an article.
var asideNames = format.Pattern(`(?i)(?:^|[\s_-])(?:` +
	`ads?|advert(?:isement|orial)?|also-?(?:read|like)|anzeige|author-?(?:box|bio|info)|breadcrumbs?|byline|caption|bildunterschrift|img-?(?:description|metadata)|image-?(?:description|metadata|credits?)|legend|comments?|kommentare?|consent|content-?blocker|cookie|cta|copyright|credits?|` +
	`disclaimer|footer|hidden|lea-tambien|lee-tambien|leer-mas|mehr-zum-thema|meta|modal|more-?(?:on|news|stories|articles)|nav|navigation|newsletter|noprint|outbrain|pager|pagination|paywall|popup|post-?meta(?:data)?|entry-?meta(?:data)?|print|promo|promotion|rating|` +
	`read-?(?:more|also|next)|recommend(?:ed|ations)?|related(?:links|posts|articles)?|shar(?:e|ing)|sharedaddy|sidebar|signup|skip|social|sponsor|subscri(?:be|ption)|taboola|tag-?list|tags?|` +
	`teasers?|toolbar|tools|widget)(?:[\s_-]|$)`)

// isAside reports whether an element is not part of an article by its kind or its names.
func isAside(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Footer, atom.Nav, atom.Aside, atom.Form, atom.Button:
		return true
	case atom.Body, atom.Article, atom.Main:
		return false
	}
	return n.Type == html.ElementNode && asideNames().MatchString(namesOf(n))
}

// namesOf returns the classes and the id of an element.
func namesOf(n *html.Node) (names string) {
	for _, a := range n.Attr {
		if a.Key == "class" || a.Key == "id" {
			names += " " + strings.ReplaceAll(a.Val, "elementor-widget", "") // the page builder Elementor calls every part of a page so
		}
	}
	return names
}

// bodyNames matches usual classes and ids of the element with the text of an article, such as
// entry-content and article__body.
var bodyNames = format.Pattern(`(?i)(?:^|[\s_-])(?:entry|post|article|artikel|story|news|blog|articulo|nota|art|single|page|content|text|body|main|beitrag|recipe|node|field)[-_]*` +
	`(?:full|single)?[-_]*(?:content|body|text|entry|copy|inhalt|contenido|cuerpo|article|main)(?:[\s_-]|$)`)

// namedBody returns the element with the most words in paragraphs among those whose names say
// that they have the text of an article, or nil. A later
// element has to have a fifth more words than an earlier one.
func namedBody(root *html.Node) (best *html.Node) {
	const least, more = 50, 1.2 // minimum words, and minimum ratio to the words of the best candidate
	most := 0
	for n := range root.Descendants() {
		switch n.DataAtom {
		case 0, atom.Html, atom.Body, atom.P, atom.A:
			continue
		}
		if names := namesOf(n); !isBody(n, names) || asideNames().MatchString(names) {
			continue
		}
		if words := wordsInParagraphs(n); words >= least && float64(words) > more*float64(most) {
			best, most = n, words
		}
	}
	return best
}

func isBody(n *html.Node, names string) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "itemprop" && a.Val == "articleBody" }) || bodyNames().MatchString(names)
}

// wordsInParagraphs returns the number of words in the paragraphs of an element that are not
// mostly links.
func wordsInParagraphs(n *html.Node) (words int) {
	for p := range n.Descendants() {
		if p.DataAtom == atom.P {
			if all, linked := wordsOf(p); 2*linked < all {
				words += all
			}
		}
	}
	return words
}

// wordsOf returns the number of words in an element, and the number of those in links.
func wordsOf(n *html.Node) (all, linked int) {
	if n.Type == html.TextNode {
		return len(strings.Fields(n.Data)), 0
	}
	for child := range n.ChildNodes() {
		a, l := wordsOf(child)
		all, linked = all+a, linked+l
	}
	if n.DataAtom == atom.A {
		linked = all
	}
	return all, linked
}

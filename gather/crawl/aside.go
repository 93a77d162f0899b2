package crawl

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// setAside removes captions of pictures and lists of links, such as links to other
// articles, from the element that looks like the article. If they have more than
// 40 % of its words, as in a gallery or a list of sources, nothing is removed.
func setAside(article *html.Node) {
	if article == nil {
		return
	}
	var aside []*html.Node
	for n := range article.Descendants() {
		switch n.DataAtom {
		case atom.Figcaption:
			aside = append(aside, n)
		case atom.Ul, atom.Ol:
			if all, linked := wordsOf(n); 2*linked > all {
				aside = append(aside, n)
			}
		}
	}
	all, _ := wordsOf(article)
	left := all
	for _, n := range aside {
		words, _ := wordsOf(n) // nested elements count twice, which errs towards removing nothing
		left -= words
	}
	const most = 0.4 // share that may be removed
	if float64(left) < (1-most)*float64(all) {
		return
	}
	for _, n := range aside {
		n.Parent.RemoveChild(n)
	}
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

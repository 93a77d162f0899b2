package crawl

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// setAside removes from what looks like an article what is not its text: captions of pictures, and
// lists of links, such as other articles. Of a page that has hardly anything else, a gallery or a
// list of sources, all stays.
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
		words, _ := wordsOf(n) // of one in another twice: then more stays
		left -= words
	}
	const most = 0.4 // may go
	if float64(left) < (1-most)*float64(all) {
		return
	}
	for _, n := range aside {
		n.Parent.RemoveChild(n)
	}
}

// wordsOf returns how many words an element has, and how many of them are in links.
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

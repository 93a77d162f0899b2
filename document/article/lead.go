package article

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// A block is an element with text of its own: a paragraph, a heading, or the like.
type block struct {
	text   string // in one line, without that of blocks in it
	words  int
	linked int  // words in links
	title  bool // a heading of the first level
	beside bool // a caption, or in an element that is not part of an article
}

// inlines are the elements that do not end a paragraph.
var inlines = map[atom.Atom]bool{atom.A: true, atom.Abbr: true, atom.B: true, atom.Bdi: true, atom.Bdo: true, atom.Big: true, atom.Cite: true, atom.Code: true, atom.Del: true, atom.Dfn: true,
	atom.Em: true, atom.Font: true, atom.I: true, atom.Ins: true, atom.Kbd: true, atom.Mark: true, atom.Q: true, atom.S: true, atom.Samp: true, atom.Small: true, atom.Span: true, atom.Strike: true,
	atom.Strong: true, atom.Sub: true, atom.Sup: true, atom.Time: true, atom.Tt: true, atom.U: true, atom.Var: true, atom.Wbr: true}

// silent are the elements without text that is shown.
var silent = map[atom.Atom]bool{atom.Script: true, atom.Style: true, atom.Noscript: true, atom.Template: true, atom.Head: true, atom.Iframe: true, atom.Svg: true, atom.Button: true, atom.Select: true}

// blocksOf returns the blocks of a tree in the order in which they start.
func blocksOf(root *html.Node) []block {
	var all []block
	var walk func(n *html.Node, own int, link, beside bool)
	walk = func(n *html.Node, own int, link, beside bool) {
		switch {
		case n.Type == html.TextNode && own >= 0:
			all[own].text += n.Data
			if link {
				all[own].linked += len(strings.Fields(n.Data))
			}
			return
		case n.Type != html.ElementNode:
		case silent[n.DataAtom]:
			return
		case n.DataAtom == atom.Br && own >= 0:
			all[own].text += " "
		default:
			link = link || n.DataAtom == atom.A
			beside = beside || n.DataAtom == atom.Figcaption || n.DataAtom == atom.Figure || isAside(n)
			if !inlines[n.DataAtom] {
				own = len(all)
				all = append(all, block{title: n.DataAtom == atom.H1, beside: beside})
			}
		}
		for child := range n.ChildNodes() {
			walk(child, own, link, beside)
		}
	}
	walk(root, -1, false, false)
	kept := all[:0]
	for _, b := range all {
		if words := strings.Fields(b.text); len(words) > 0 {
			b.text, b.words = strings.Join(words, " "), len(words)
			kept = append(kept, b)
		}
	}
	return kept
}

// Limits of a lead, in words: of all its paragraphs, and of one.
const (
	mostLead  = 150
	leastLead = 8
)

// leadOf returns the paragraphs between the title of an article and its text, which starts with
// first: many pages have the lead in a separate element.
func leadOf(blocks []block, first string) (lead []string) {
	titled, words := false, 0
	for _, b := range blocks {
		switch {
		case titled && strings.HasPrefix(b.text, first):
			return lead
		case b.title:
			titled, lead, words = true, nil, 0
		case !titled || b.words < leastLead || 2*b.linked > b.words || b.beside:
		default:
			if words += b.words; words > mostLead {
				titled, lead = false, nil
				continue
			}
			lead = append(lead, b.text)
		}
	}
	return nil
}

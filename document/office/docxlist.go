package office

import (
	"cmp"
	"encoding/xml"
	"strconv"
	"strings"

	"github.com/otisk/otisk/document/archive"
	"github.com/otisk/otisk/document/flow"
	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/document/xmlwalk"
)

// mostLevels is the number of levels that a list of Word can have.
const mostLevels = 9

// A docxItem is the place of a paragraph in a list: the list, "" if none is stated and "0" for none, and the level from 0.
type docxItem struct {
	list  string
	level int
}

// set reads an element of the properties of a paragraph.
func (i *docxItem) set(name, value string) {
	if name == "numId" {
		i.list = value
	} else if n, err := strconv.Atoi(value); err == nil {
		i.level = min(max(n, 0), mostLevels-1)
	}
}

// A docxLevel is a level of a definition of lists.
type docxLevel struct {
	start  int
	format string // bullet, decimal, lowerLetter …
	text   string // of the label, with %1 for the number of the first level
}

// docxNumbering reads the definitions of lists, numbering.xml and styles.xml, and counts the items.
type docxNumbering struct {
	abstract map[string]*[mostLevels]docxLevel // by id
	lists    map[string]string                 // id of a list: that of its definition
	styles   map[string]docxItem               // styles of items
	counts   map[string]*[mostLevels]int       // by list: the number of the last item on each level
	open     *[mostLevels]docxLevel            // definition, list and style that are being read
	list     string
	style    string
	level    int
	labels   listLabels
}

// readNumbering reads the definitions of lists of a document, if it has any.
func readNumbering(c *archive.Container, lists, styles []string) *docxNumbering {
	n := &docxNumbering{abstract: map[string]*[mostLevels]docxLevel{}, lists: map[string]string{}, styles: map[string]docxItem{}, counts: map[string]*[mostLevels]int{}}
	for _, name := range lists {
		c.WalkIf(name, xmlwalk.Starts(n.define))
	}
	n.open, n.list = nil, ""
	for _, name := range styles {
		c.WalkIf(name, xmlwalk.Starts(n.define))
	}
	return n
}

func (n *docxNumbering) define(name string, attrs []xml.Attr) {
	value := xmlwalk.Attr(attrs, "val")
	switch name {
	case "abstractNum":
		n.open = &[mostLevels]docxLevel{}
		n.abstract[xmlwalk.Attr(attrs, "abstractNumId")] = n.open
	case "num":
		n.open, n.list = nil, xmlwalk.Attr(attrs, "numId")
	case "abstractNumId":
		n.lists[n.list] = value
	case "style":
		n.style = xmlwalk.Attr(attrs, "styleId")
	case "lvl":
		level, err := strconv.Atoi(xmlwalk.Attr(attrs, "ilvl"))
		if n.level = min(max(level, 0), mostLevels-1); err == nil && n.open != nil {
			n.open[n.level].start = 1
		}
	case "ilvl", "numId":
		if n.style != "" {
			item := n.styles[n.style]
			item.set(name, value)
			n.styles[n.style] = item
		}
	}
	if n.open == nil {
		return
	}
	switch l := &n.open[n.level]; name {
	case "start":
		if first, err := strconv.Atoi(value); err == nil {
			l.start = first
		}
	case "numFmt":
		l.format = value
	case "lvlText":
		l.text = value
	}
}

// ofStyle returns the place in a list of paragraphs with a style.
func (n *docxNumbering) ofStyle(style string) docxItem {
	if n == nil {
		return docxItem{}
	}
	return n.styles[style]
}

// mark marks the paragraph from start as the next item of a list.
func (n *docxNumbering) mark(b *flow.Builder, start int, i docxItem) {
	if n == nil || b.Len() <= start {
		return
	}
	label := n.label(i)
	if n.isProse(i) {
		label = ""
	}
	b.Item(start, i.level+1, label)
}

// prose returns the label of the next item if it is text, otherwise "".
func (n *docxNumbering) prose(i docxItem) string {
	if n == nil || !n.isProse(i) {
		return ""
	}
	return n.pattern(i)
}

// isProse reports whether the labels of a level are text.
func (n *docxNumbering) isProse(i docxItem) bool { return n.labels.prose(n.pattern(i)) }

// pattern returns the label of an item without its numbers.
func (n *docxNumbering) pattern(i docxItem) string {
	levels := n.abstract[n.lists[i.list]]
	if levels == nil {
		return ""
	}
	return docxNumber().ReplaceAllString(levels[i.level].text, "")
}

var docxNumber = format.Pattern(`%[1-9]%?`)

// label counts an item and returns its label, "" for a bullet.
func (n *docxNumbering) label(i docxItem) string {
	levels := n.abstract[n.lists[i.list]]
	if levels == nil {
		return ""
	}
	counts := n.counts[i.list]
	if counts == nil {
		counts = &[mostLevels]int{}
		for k := range counts {
			counts[k] = levels[k].start - 1
		}
		n.counts[i.list] = counts
	}
	counts[i.level]++
	for k := i.level + 1; k < mostLevels; k++ {
		counts[k] = levels[k].start - 1
	}
	if l := levels[i.level]; l.format == "bullet" || l.format == "none" {
		return ""
	}
	label := levels[i.level].text
	for k := range i.level + 1 {
		label = strings.Replace(label, "%"+strconv.Itoa(k+1), flow.Label(cmp.Or(docxFormats[levels[k].format], "1"), max(counts[k], levels[k].start)), 1)
	}
	return label
}

// docxFormats maps formats of numbers to patterns of labels; others are decimal.
var docxFormats = map[string]string{"lowerLetter": "a", "upperLetter": "A", "lowerRoman": "i", "upperRoman": "I"}

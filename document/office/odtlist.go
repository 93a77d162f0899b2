package office

import (
	"encoding/xml"
	"strconv"

	"github.com/otisk/otisk/document/flow"
	"github.com/otisk/otisk/document/xmlwalk"
	"github.com/otisk/otisk/internal/lists"
)

// odtLists follows the lists of an OpenDocument file.
type odtLists struct {
	flow.Lists
	styles map[odtLevel]odtLabel
	style  string              // that is being defined
	names  []string            // styles of the open lists
	prose  map[odtLevel]string // labels that are text
	fresh  bool                // the open item has no text yet
	labels listLabels
}

// headings is the name of the style of lists for headings, which is not a name of a file.
const headings = "\x00"

// An odtLevel is a level, from 1, of a style of lists.
type odtLevel struct {
	style string
	level int
}

// An odtLabel is the pattern of labels of a level, and the number of its first item.
type odtLabel struct {
	labels string
	first  int
}

// define reads the style of a list.
func (l *odtLists) define(name string, attrs []xml.Attr) {
	switch name {
	case "list-style":
		l.style = xmlwalk.Attr(attrs, "name")
	case "outline-style":
		l.style = headings
	case "list-level-style-number", "list-level-style-bullet", "outline-level-style":
		level, err := strconv.Atoi(xmlwalk.Attr(attrs, "level"))
		number := xmlwalk.Attr(attrs, "num-format")
		l.words(odtLevel{l.style, level}, attrs)
		if err != nil || number == "" {
			return
		}
		first, err := strconv.Atoi(xmlwalk.Attr(attrs, "start-value"))
		if err != nil {
			first = 1
		}
		lists.Put(&l.styles, odtLevel{l.style, level}, odtLabel{xmlwalk.Attr(attrs, "num-prefix") + number + xmlwalk.Attr(attrs, "num-suffix"), first})
	}
}

// words reads the label of a level that is text.
func (l *odtLists) words(level odtLevel, attrs []xml.Attr) {
	label := docxNumber().ReplaceAllString(xmlwalk.Attr(attrs, "num-list-format"), "")
	if label == "" {
		label = xmlwalk.Attr(attrs, "num-prefix") + " " + xmlwalk.Attr(attrs, "num-suffix")
	}
	if l.labels.prose(label) {
		lists.Put(&l.prose, level, label)
	}
}

// item starts an item.
func (l *odtLists) item(b *flow.Builder) {
	l.Item(b)
	l.fresh = true
}

// label returns the label of the paragraph that starts if it is text, otherwise "". level is that
// of a heading, 0 for others.
func (l *odtLists) label(level int) string {
	if level > 0 {
		return l.prose[odtLevel{headings, level}]
	}
	if n := len(l.names); l.fresh && n > 0 {
		l.fresh = false
		return l.prose[odtLevel{l.names[n-1], n}]
	}
	return ""
}

// begin starts a list. A list without a style has that of the list around it.
func (l *odtLists) begin(style string) {
	if n := len(l.names); style == "" && n > 0 {
		style = l.names[n-1]
	}
	l.names = append(l.names, style)
	label, ok := l.styles[odtLevel{style, len(l.names)}]
	if l.prose[odtLevel{style, len(l.names)}] != "" {
		label.labels = ""
	}
	if !ok {
		label.first = 1
	}
	l.Begin(label.labels, label.first)
}

// end ends a list.
func (l *odtLists) end(b *flow.Builder) {
	l.End(b)
	l.names = l.names[:max(len(l.names)-1, 0)]
}

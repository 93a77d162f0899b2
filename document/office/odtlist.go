package office

import (
	"encoding/xml"
	"strconv"

	"github.com/otisk/otisk/document/flow"
	"github.com/otisk/otisk/document/xmlwalk"
)

// odtLists follows the lists of an OpenDocument file.
type odtLists struct {
	flow.Lists
	styles map[odtLevel]odtLabel
	style  string   // that is being defined
	names  []string // styles of the open lists
}

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
	case "list-level-style-number":
		level, err := strconv.Atoi(xmlwalk.Attr(attrs, "level"))
		number := xmlwalk.Attr(attrs, "num-format")
		if err != nil || number == "" {
			return
		}
		first, err := strconv.Atoi(xmlwalk.Attr(attrs, "start-value"))
		if err != nil {
			first = 1
		}
		if l.styles == nil {
			l.styles = map[odtLevel]odtLabel{}
		}
		l.styles[odtLevel{l.style, level}] = odtLabel{xmlwalk.Attr(attrs, "num-prefix") + number + xmlwalk.Attr(attrs, "num-suffix"), first}
	}
}

// begin starts a list. A list without a style has that of the list around it.
func (l *odtLists) begin(style string) {
	if n := len(l.names); style == "" && n > 0 {
		style = l.names[n-1]
	}
	l.names = append(l.names, style)
	label, ok := l.styles[odtLevel{style, len(l.names)}]
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

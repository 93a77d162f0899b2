package office

import (
	"strings"

	"github.com/otisk/otisk/document/format"
)

// An rtfItem is the place of a paragraph in a list: the number of the list, 0 for none, and the
// level from 0.
type rtfItem struct{ list, level int }

// rtfLists has the patterns of the labels of lists.
type rtfLists struct {
	levels []string         // of the list that is being defined
	byID   map[int][]string // levels by the id of the list
	byList map[int]int      // ids by the number of the list
	within string           // the open table
	id     int              // last id
	stated string           // label that the file states before the paragraph
	labels listLabels
}

// rtfTables define lists.
var rtfTables = format.Names("listtable", "listoverridetable")

// word processes a control word about lists and reports whether it is one.
func (l *rtfLists) word(s *rtfState, name string, value int) bool {
	switch name {
	case "listtable", "listoverridetable":
		s.skip, s.ends, l.within = true, name, name
	case "list":
		l.levels = nil
	case "listlevel":
	case "listid":
		if l.id = value; l.within == "listtable" {
			if l.byID == nil {
				l.byID, l.byList = map[int][]string{}, map[int]int{}
			}
			l.byID[value] = l.levels
		}
	case "ls":
		if s.item.list = value; l.within == "listoverridetable" && l.byList != nil {
			l.byList[value] = l.id
		}
	case "ilvl":
		s.item.level = value
	default:
		return false
	}
	return true
}

// level adds the pattern of the labels of a level. In the file, it follows the length of the label,
// and control characters mark the numbers.
func (l *rtfLists) level(text string) {
	runes := []rune(strings.TrimSuffix(text, ";"))
	label := strings.Map(func(r rune) rune {
		if r < mostLevels {
			return -1
		}
		return r
	}, string(runes[min(1, len(runes)):]))
	if len(l.levels) < mostLevels {
		l.levels = append(l.levels, label)
	}
}

// prose returns the label of an item if it is text, otherwise "".
func (l *rtfLists) prose(i rtfItem) string {
	label := l.stated
	if levels := l.byID[l.byList[i.list]]; i.list > 0 && 0 <= i.level && i.level < len(levels) {
		label = levels[i.level]
	}
	if l.stated = ""; !l.labels.prose(label) {
		return ""
	}
	return label
}

// label adds the label of a paragraph before its first text, if it is text, too.
func (r *rtfReader) label() {
	if !r.fresh || r.state.skip {
		return
	}
	r.fresh = false
	if label := r.lists.prose(r.state.item); label != "" {
		r.Builder.Text([]byte(label + " "))
	}
}

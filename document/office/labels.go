package office

import (
	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/internal/lists"
)

// The label of a list item may have any words. A label that is prose is read as text; the words of
// others are counted.

const labelProse = 3 // words of a label that is text

// listLabels counts the words of the labels of a document that are not text.
type listLabels struct{ words map[string]int }

// prose reports whether a label with this pattern is text.
func (l *listLabels) prose(pattern string) bool {
	words := countWords(pattern)
	if words > 0 && words < labelProse {
		lists.Put(&l.words, pattern, words)
	}
	return words >= labelProse
}

// count adds the words that were not read to u.
func (l *listLabels) count(u *format.Unread, kind string) {
	for _, n := range l.words {
		u.Words(kind, n)
	}
}

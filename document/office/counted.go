package office

import (
	"strings"

	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/internal/lists"
)

// Besides counts the words of headers, comments and other parts that a reader omits. Equal texts
// count once.
type besides struct {
	format.Unread
	seen map[string]bool
}

// count counts the words of a text of a kind.
func (b *besides) count(kind, text string) {
	text = strings.TrimSpace(text)
	if n := countWords(text); n > 0 && !b.seen[text] {
		lists.Put(&b.seen, text, true)
		b.Words(kind, n)
	}
}

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

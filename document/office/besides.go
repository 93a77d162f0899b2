package office

import (
	"strings"

	"github.com/otisk/otisk/document/format"
)

// Besides collects the prose of headers, comments and other parts that a reader omits. Equal texts
// count once.
type besides struct {
	format.Unread
	seen map[string]bool
}

// prose counts the words of a text of a kind if it is more than a running head or labels.
func (b *besides) prose(kind, text string) {
	text = strings.TrimSpace(text)
	if n := countWords(text); n >= proseBeside && !b.seen[text] {
		if b.seen == nil {
			b.seen = map[string]bool{}
		}
		b.seen[text] = true
		b.Words(kind, n)
	}
}

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

package archive

import (
	"testing"

	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/internal/testing/zipped"
)

func TestResolve(t *testing.T) {
	c, err := NewContainer(t.Context(), &format.Source{Budget: format.Budget{Bytes: 1 << 20}, Data: zipped.Of("book/one.xhtml", "", "book/a%20b.xhtml", "", "book/text/c d.xhtml", "", "x/same.css", "", "y/same.css", "", "text/only.xhtml", "")})
	if err != nil {
		t.Fatal(err)
	}
	for href, want := range map[string]string{
		"one.xhtml": "book/one.xhtml", "ONE.xhtml#part": "book/ONE.xhtml", "one.xhtml?page=1": "book/one.xhtml", "/book/one.xhtml": "book/one.xhtml", `..\book\.\one.xhtml`: "book/one.xhtml",
		"a%20b.xhtml": "book/a%20b.xhtml", "text/c%20d.xhtml": "book/text/c d.xhtml", "/one.xhtml": "book/one.xhtml", "only.xhtml": "text/only.xhtml",
		"same.css": "book/same.css", "gone.xhtml": "book/gone.xhtml", "https://example.com/only.xhtml": "book/https:/example.com/only.xhtml",
	} {
		if got := c.Resolve("book/book.opf", href); got != want {
			t.Errorf("Resolve(%q) = %q, want %q", href, got, want)
		}
	}
}

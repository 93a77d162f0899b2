package document_test

import (
	"strings"
	"testing"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/document/internal/readtest"
	"github.com/otisk/otisk/document/internal/sample"
)

// TestYear: the year of publication, where a format states it.
func TestYear(t *testing.T) {
	const text = "<text><p>one two</p></text>"
	book := sample.EPUB("<html><body><p>one</p></body></html>")
	for _, tt := range []struct {
		name, data string
		want       int
	}{
		{"a.vert", "<doc id=\"a\" year=\"1867\">\none\n</doc>\n", 1867},
		{"b.vert", "<doc id=\"a\" date=\"1867-05-01\">\none\n</doc>\n", 1867},
		{"a.html", `<html><head><meta name="citation_publication_date" content="2014/05/01"></head><body>one</body></html>`, 2014},
		{"b.html", `<html><head><meta name="DC.date" content="2014"></head><body>one</body></html>`, 2014},
		{"d.html", `<html><head><meta property="article:published_time" content="2014-05-01T10:00:00Z"></head><body>one</body></html>`, 2014},
		{"c.html", `<html><head><meta name="viewport" content="2014"></head><body>one</body></html>`, 0},
		// The date of the edition on a computer is not that of the work.
		{"a.xml", "<TEI><teiHeader><publicationStmt><date when=\"2021-04-09\"/></publicationStmt><sourceDesc><bibl><date>2009</date></bibl><bibl><date>1860</date></bibl></sourceDesc></teiHeader>" + text + "</TEI>", 1860},
		{"b.xml", "<TEI><teiHeader><sourceDesc><bibl><date when=\"1855\">long ago</date></bibl></sourceDesc></teiHeader>" + text + "</TEI>", 1855},
		{"c.xml", "<TEI><teiHeader><publicationStmt><date when=\"2021-04-09\"/></publicationStmt></teiHeader>" + text + "</TEI>", 0},
		{"a.epub", string(book), 0},
		{"a.txt", "In 1867 it was so.", 0},
	} {
		years := 0
		err := document.Each(t.Context(), readtest.Write(t, tt.name, tt.data), document.Options{}, func(doc *document.Document, err error) error {
			years = doc.Year
			return err
		})
		if err != nil || years != tt.want {
			t.Errorf("%s %s: year %d, %v, want %d", tt.name, strings.TrimSpace(tt.data)[:min(60, len(strings.TrimSpace(tt.data)))], years, err, tt.want)
		}
	}
}

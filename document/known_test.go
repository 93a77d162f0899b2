package document

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// TestKnown does not read documents that the caller knows.
func TestKnown(t *testing.T) {
	dir := t.TempDir()
	page := "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<title>T</title><p>words"
	for name, data := range map[string]string{
		"a.jsonl": `{"id":"1","title":"T","text":"words"}`,
		"a.csv":   "id,title,text\n1,T,words\n",
		"a.warc":  fmt.Sprintf("WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a/1\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", len(page), page),
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
		doc := func(opts Options) (got *Document) {
			err := Each(t.Context(), path, opts, func(d *Document, err error) error { got = d; return err })
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			return got
		}
		read := doc(Options{})
		for _, known := range []bool{true, false} {
			var asked *Document
			got := doc(Options{Known: func(d *Document, whole bool) bool {
				if asked = d; whole && d.Title != read.Title {
					t.Errorf("%s: the title is %q, and %q of what is asked for", name, read.Title, d.Title)
				}
				return known
			}})
			if (got == nil) != known {
				t.Errorf("%s: known %v, and given %v", name, known, got)
			}
			if asked == nil || asked.Path != read.Path || asked.Content != read.Content || asked.Bytes != read.Bytes || asked.Text != "" {
				t.Errorf("%s: asked for %+v, want that of %+v", name, asked, read)
			}
		}
	}
}

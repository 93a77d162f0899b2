package watch

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/otisk/otisk/store"
)

// TestMetadata: metadata of a table are recorded for documents, for existing ones too when the
// table changes. A malformed table changes nothing.
func TestMetadata(t *testing.T) {
	table := filepath.Join(t.TempDir(), "about.csv")
	change := func(text string) {
		t.Helper()
		if err := os.WriteFile(table, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(table, time.Time{}, time.Now().Add(-time.Hour-time.Duration(len(text))*time.Second)); err != nil {
			t.Fatal(err)
		}
	}
	change("path,title\na.txt,First\n")
	b := newBench(t, func(o *Options) { o.Metadata = table })
	b.do(b.w.readTable(t.Context()))
	want := func(name, title string) {
		t.Helper()
		s, err := b.open()
		b.do(err)
		defer s.Close()
		d, err := store.Entry(t.Context(), s, store.IDOf("", "theses/"+name))
		if says := d.Description(); err != nil || says.Title != title {
			t.Errorf("%s has the title %q, %v, want %q", name, says.Title, err, title)
		}
	}
	b.write("a.txt", "a text of some words")
	b.write("b.txt", "another text of some words")
	b.pass()
	want("a.txt", "First")
	want("b.txt", "")
	change("path,title\na.txt,Again\nb.txt,Second\nc.txt,Third\n")
	b.pass()
	want("a.txt", "Again")
	want("b.txt", "Second")
	b.w.unused()
	b.wantTold(1, "1 of 3 rows match no document here: c.txt")
	change("path,title\n\"")
	b.pass()
	b.pass()
	want("a.txt", "Again")
	b.wantTold(1, "its earlier content applies")
	b.write("c.txt", "a third text of some words")
	b.pass()
	want("c.txt", "Third")
}

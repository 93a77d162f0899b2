package desk

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/otisk/otisk/report"
	"github.com/otisk/otisk/search"
)

// named sets the id by which other reports refer to the text of a check, and clears the overview of the check.
func (c *term) named(check, id string) {
	c.t.Helper()
	data, err := c.d.shelf.Read(c.t.Context(), reportName(check, 1))
	if err != nil {
		c.t.Fatal(err)
	}
	r, err := report.ReadJSON(bytes.NewReader(data))
	if err != nil {
		c.t.Fatal(err)
	}
	r.Suspect.ID = id
	err = c.d.shelf.Put(c.t.Context(), reportName(check, 1), func(w io.Writer) error { return report.Write(w, "json", r, report.Options{}) })
	if err == nil {
		err = c.f.Write(c.t.Context(), execute(`UPDATE checks SET overview = ''`))
	}
	if err != nil {
		c.t.Fatal(err)
	}
}

// TestClassMeanwhile: eight clients read the pairs of a class, while two reviewers decide at once, a text is deleted and a document of the
// collection, too. Afterwards the stored rows match the reports, without the name of the document. A class may be empty or have
// one text.
func TestClassMeanwhile(t *testing.T) {
	t.Parallel()
	c := newTerm(t, true)
	ctx := t.Context()
	class := func() *Class {
		t.Helper()
		got, err := c.d.Class(ctx, c.a, c.id)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	if got := class(); len(got.Texts)+len(got.Pairs)+got.Unchecked != 0 {
		t.Errorf("an empty class has %+v", got)
	}
	ids := c.handIn("a.txt", "b.txt", "c.txt")
	if got := class(); got.Unchecked != 3 || len(got.Texts) != 0 {
		t.Errorf("before the date: %+v, want 3 texts without a report", got)
	}
	c.clock.at = c.clock.at.Add(8 * 24 * time.Hour)
	c.execute()
	const thesis = "0123456789abcdef"
	for i, id := range ids {
		quote(t, c.d, id, search.Source{ID: thesis, Name: "thesis.txt", Title: "A title"}, search.Source{ID: "1123456789abcdef", Name: "kept.txt"})
		c.named(id, strings.Repeat(string(rune('a'+i)), 16))
	}
	if got := class(); len(got.Sharing) != 3 || len(got.Sharing[0].Outside) != 2 || got.Sharing[0].Outside[0].Name != "A title" {
		t.Fatalf("the class has %+v, want two sources of each text", got.Sharing)
	}
	if err := c.f.Write(ctx, execute(`UPDATE checks SET overview = ''`)); err != nil {
		t.Fatal(err)
	}
	var clients, changes sync.WaitGroup
	done := make(chan struct{})
	for range 8 {
		clients.Go(func() {
			for {
				if _, err := c.d.Class(ctx, c.a, c.id); err != nil {
					t.Errorf("Class: %v", err)
				}
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	decided := make([]error, 2)
	for i := range decided {
		changes.Go(func() { decided[i] = c.decide(ids[0]) })
	}
	changes.Go(func() {
		if _, err := c.d.DeleteCheck(ctx, c.a, ids[2]); err != nil {
			t.Error(err)
		}
	})
	changes.Go(func() {
		if _, err := c.d.forgetIn(ctx, ids, replacements("key", []string{"thesis.txt"}), false); err != nil {
			t.Error(err)
		}
	})
	changes.Wait()
	close(done)
	clients.Wait()
	if (decided[0] == nil) == (decided[1] == nil) || !errors.Is(errors.Join(decided...), ErrLater) {
		t.Errorf("two decisions at once: %v, want one of them and ErrLater", decided)
	}
	got := class()
	stored, err := json.Marshal(got.Sharing)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Texts) != 2 || got.Unchecked != 0 || strings.Contains(string(stored), "title") || strings.Contains(string(stored), thesis) || !strings.Contains(string(stored), "kept.txt") {
		t.Errorf("afterwards %d texts, %s, want two, with kept.txt alone", len(got.Texts), stored)
	}
	if err := c.d.Choose(ctx, c.a, c.id, map[string]bool{ids[1]: false}); err != nil {
		t.Fatal(err)
	}
	if got := class(); len(got.Texts) != 1 || len(got.Pairs) != 0 {
		t.Errorf("a class of one: %+v", got)
	}
}

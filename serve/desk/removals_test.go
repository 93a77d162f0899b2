package desk

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/report"
	"github.com/otisk/otisk/search"
	"github.com/otisk/otisk/serve/storage"
	"github.com/otisk/otisk/serve/storage/storagetest"
	"github.com/otisk/otisk/serve/work"
)

// quote adds sources to the report on a check, which share its first word.
func quote(t *testing.T, d *Desk, check string, sources ...search.Source) {
	t.Helper()
	data, err := d.shelf.Read(t.Context(), reportName(check, 1))
	if err != nil {
		t.Fatal(err)
	}
	r, err := report.ReadJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range sources {
		s.Excerpts = []search.Excerpt{{Span: search.Span{End: 8, RuneEnd: 8}, Text: "six more"}}
		s.Words, s.Bytes, s.Covered = 2, 8, 1
		at := search.Span{End: 3, RuneEnd: 3}
		r.Sources = append(r.Sources, s)
		r.Passages = append(r.Passages, search.Passage{Number: i + 1, Source: i, Grade: "verbatim", Suspect: at, Origin: at, Words: 1, OriginWords: 1, Matched: 1, Equal: []search.Run{{Suspect: [2]int{0, 3}, Origin: [2]int{0, 3}, Words: 1}}})
	}
	r.Note(phrase.Error("said.same-text", "secret.txt has the same text", "name", "secret.txt"))
	r.Notes = append(r.Notes, "another note")
	var b bytes.Buffer
	if err := report.Write(&b, "json", r, report.Options{}); err != nil {
		t.Fatal(err)
	}
	if err := d.shelf.Put(t.Context(), reportName(check, 1), func(w io.Writer) error { _, err := w.Write(b.Bytes()); return err }); err != nil {
		t.Fatal(err)
	}
}

// TestRemovalRepeated: if the deletion of a document cannot be recorded after the reports were
// changed, the job runs again with the same result. Other sources, and sources with the same name
// that are texts of the run, stay.
func TestRemovalRepeated(t *testing.T) {
	t.Parallel()
	d, f := open(t, t.TempDir())
	a := administrator(t, d)
	c := submit(t, d, a, "novak.txt", "text", "")
	finish(t, d, f, c)
	quote(t, d, c.ID, search.Source{ID: "0123456789abcdef", Name: "secret.txt", Title: "A title"}, search.Source{ID: "1123456789abcdef", Name: "kept.txt"}, search.Source{ID: "2123456789abcdef", Name: "secret.txt", Among: true})
	sent := report.Decisions{Kind: "decisions", Format: report.Version, Sources: []report.SourceDecision{{ID: "0123456789abcdef", Name: "secret.txt", Reason: "own"}, {ID: "1123456789abcdef", Name: "kept.txt", Reason: "own"}}}
	sent.Suspect.Bytes, sent.Suspect.Words = 29, 7
	data, err := json.Marshal(sent)
	if err == nil {
		_, err = d.Decide(t.Context(), a, c.ID, 0, data)
	}
	if err != nil {
		t.Fatal(err)
	}
	err = f.Write(t.Context(), func(tx *storage.Tx) {
		insertRemoval(tx, c.Collection, &a.User, []string{"secret.txt"}, nil)
		tx.Exec(`UPDATE jobs SET state = 'running' WHERE kind = 'remove'`)
	})
	if err != nil {
		t.Fatal(err)
	}
	jobs, err := list(t.Context(), f.Read, scanString, `SELECT id FROM jobs WHERE kind = 'remove'`)
	if err != nil || len(jobs) != 1 {
		t.Fatal(jobs, err)
	}
	j, task := work.Job{ID: jobs[0], Kind: work.Remove, Collection: c.Collection}, &work.Task{Names: []string{"secret.txt"}}
	fail := execute(storagetest.Refusal("full_disk", "BEFORE UPDATE ON removals"))
	if err := f.Write(t.Context(), fail); err != nil {
		t.Fatal(err)
	}
	overview := func() (names string) {
		t.Helper()
		if _, err := d.readOverview(t.Context(), a, c.ID); err != nil {
			t.Fatal(err)
		}
		if err := f.Read.QueryRowContext(t.Context(), `SELECT overview FROM checks WHERE id = ?`, c.ID).Scan(&names); err != nil {
			t.Fatal(err)
		}
		return names
	}
	if err := d.Finish(t.Context(), j, task, &work.Outcome{Documents: 1}); err == nil {
		t.Error("Finish records the deletion on a full disk")
	}
	if err := f.Write(t.Context(), execute(`UPDATE checks SET overview = '"A title"'`)); err != nil { // as if the server had ended before
		t.Fatal(err)
	}
	if err := f.Write(t.Context(), execute(storagetest.Dropped("full_disk"))); err != nil {
		t.Fatal(err)
	}
	if err := d.Finish(t.Context(), j, task, &work.Outcome{Documents: 1}); err != nil {
		t.Fatal(err)
	}
	if all, err := d.Removals(t.Context(), a, c.Collection, 0); err != nil || len(all) != 1 || all[0].Reports != 1 || all[0].State != work.Done {
		t.Errorf("Removals = %+v, %v, want one that is done, with one report", all, err)
	}
	if names := overview(); names == "" || strings.Contains(names, "title") {
		t.Errorf("the pairs of the course have %q, want no name of the deleted document", names)
	}
	r, err := d.Report(t.Context(), a, c.ID)
	if err != nil {
		t.Fatal(err)
	}
	gone := r.Sources[0]
	if !strings.HasPrefix(gone.Name, report.ForgottenName) || gone.Title != "" || len(gone.Excerpts) > 0 || gone.Covered != 1 || gone.ID == "0123456789abcdef" {
		t.Errorf("the deleted source is %+v", gone)
	}
	if r.Sources[1].Name != "kept.txt" || r.Sources[2].Name != "secret.txt" || len(r.Sources[2].Excerpts) == 0 || len(r.Passages) != 3 {
		t.Errorf("other sources are %+v, with %d passages", r.Sources[1:], len(r.Passages))
	}
	if len(r.Notes) != 2 || strings.Contains(r.Notes[0]+r.Notes[1], "secret") || len(r.Messages) > 2 || r.Messages[gone.Name].Name == "" {
		t.Errorf("notes %q with messages %v, want the one without the name, that documents were deleted, and the name of the source", r.Notes, r.Messages)
	}
	saved, _, err := d.Decisions(t.Context(), a, c.ID)
	if err != nil || strings.Contains(string(saved), "secret") || !strings.Contains(string(saved), gone.ID) || !strings.Contains(string(saved), "kept.txt") {
		t.Errorf("decisions %s, %v, want the new id and no old name", saved, err)
	}
	if r.Review == nil || len(r.Review.Sources) != 2 {
		t.Errorf("the decisions that apply are %+v, want those on two sources", r.Review)
	}
}

// TestRemovedRowsWait: until the deleted rows are also removed from the log of the database, something is still to be removed.
func TestRemovedRowsWait(t *testing.T) {
	t.Parallel()
	d, f := open(t, t.TempDir())
	left := remain{kind: remainFile, name: "gone"}
	if err := f.Write(t.Context(), func(tx *storage.Tx) { left.id = insertRemains(tx, left)[0] }); err != nil {
		t.Fatal(err)
	}
	kinds := func() (kinds []string) {
		all, err := d.remains.waiting(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range all {
			kinds = append(kinds, r.Kind)
		}
		return kinds
	}
	if _, err := d.remains.removeOne(t.Context(), &left); err != nil {
		t.Fatal(err)
	}
	if got := kinds(); !slices.Equal(got, []string{remainRows}) {
		t.Errorf("after the file is removed, %q are left, want %q", got, remainRows)
	}
	if err := d.remains.dueRemains(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := kinds(); len(got) > 0 {
		t.Errorf("in the end, %q are left", got)
	}
}

package desk

import (
	"errors"
	"os"
	"slices"
	"testing"

	"github.com/otisk/otisk/serve/storage"
	"github.com/otisk/otisk/serve/work"
)

// reports returns the names of all files of reports.
func (c *term) reports() (names []string) {
	c.t.Helper()
	files, err := os.ReadDir(c.f.Path(storage.Reports))
	if err != nil {
		c.t.Fatal(err)
	}
	for _, f := range files {
		names = append(names, f.Name())
	}
	return names
}

// interrupt stores the reports of a job whose server is killed before it records them, and sets the state of the job.
func (c *term) interrupt(state string) {
	c.t.Helper()
	ctx := c.t.Context()
	j, task := c.claim()
	results, err := c.d.collect(ctx, j, task, c.outcome(task))
	if err == nil {
		_, err = c.d.storeReports(ctx, j, task, results)
	}
	if err == nil {
		err = c.f.Write(ctx, execute(`UPDATE checks SET state = ? WHERE job_id = ?`, state, j.ID))
	}
	if err == nil {
		err = c.f.Write(ctx, execute(`UPDATE jobs SET state = ?, server = 'another' WHERE id = ?`, state, j.ID))
	}
	if err != nil {
		c.t.Fatal(err)
	}
}

// TestInterruptedBeforeRecording: the reports of a job that is killed before it records them are removed, before the
// next run of the job is recorded: nobody could delete them.
func TestInterruptedBeforeRecording(t *testing.T) {
	t.Parallel()
	c := newTerm(t, true)
	submit(t, c.d, c.a, "class.zip", "text", "")
	c.interrupt(work.Queued)
	if n := len(c.reports()); n != 2 {
		t.Fatalf("%d reports are stored, want 2", n)
	}
	if left, err := c.d.waiting(t.Context()); err != nil || len(left) != 2 || left[0].Kind != remainDraft {
		t.Errorf("remains = %+v, %v, want two drafts", left, err)
	}
	c.execute()
	live, err := list(t.Context(), c.f.Read, scanString, `SELECT id || '.json' AS name FROM checks ORDER BY name`)
	if got := c.reports(); err != nil || !slices.Equal(got, live) {
		t.Errorf("after the next run, the reports are %v, want %v, %v", got, live, err)
	}
	if left, err := c.d.waiting(t.Context()); err != nil || len(left) != 0 {
		t.Errorf("remains = %+v, %v, want none", left, err)
	}
}

// TestInterruptedAndDeleted: the deletion of a text removes the reports of a job that was killed before it recorded them,
// and those of a job that is cancelled are removed without one.
func TestInterruptedAndDeleted(t *testing.T) {
	t.Parallel()
	for name, remove := range map[string]func(c *term, id string) error{
		"deletion": func(c *term, id string) error {
			gone, err := c.d.DeleteCheck(c.t.Context(), c.a, id)
			if err == nil && gone.State != Removed {
				err = errors.New(gone.State)
			}
			return err
		},
		"later": func(c *term, _ string) error { return c.d.Due(c.t.Context()) },
	} {
		t.Run(name, func(t *testing.T) {
			c := newTerm(t, true)
			id := submit(t, c.d, c.a, "class.zip", "text", "").ID
			c.interrupt(work.Cancelled)
			if err := remove(c, id); err != nil {
				t.Fatal(err)
			}
			if got := c.reports(); len(got) != 0 {
				t.Errorf("the reports %v are left", got)
			}
		})
	}
}

// TestDraftsOfAnotherRun: a job whose reports another server has removed is not recorded, and the drafts of a job that runs
// stay.
func TestDraftsOfAnotherRun(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	c := newTerm(t, true)
	submit(t, c.d, c.a, "class.zip", "text", "")
	j, task := c.claim()
	results, err := c.d.collect(ctx, j, task, c.outcome(task))
	if err != nil {
		t.Fatal(err)
	}
	drafts, err := c.d.storeReports(ctx, j, task, results)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.d.Due(ctx); err != nil || len(c.reports()) != 2 {
		t.Errorf("Due removed drafts of a job that runs: %v, %v", c.reports(), err)
	}
	c.d.remove(ctx, drafts[1:])
	if err := c.f.Write(ctx, func(tx *storage.Tx) { recordDrafts(tx, drafts) }); !errors.Is(err, errEnded) {
		t.Errorf("recording a report that is removed = %v, want errEnded", err)
	}
}

package desk

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/otisk/otisk/indexer"
	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/storage"
	"github.com/otisk/otisk/serve/storage/storagetest"
	"github.com/otisk/otisk/serve/work"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/segment"
)

// actions returns the actions of the audit log without a user.
func serverActions(t *testing.T, d *Desk, a accounts.Actor) (all []string) {
	t.Helper()
	log, err := d.Audit(t.Context(), a, 0, 500)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range log {
		if e.Login == "" {
			all = append(all, e.Action+" "+e.Object)
		}
	}
	return all
}

// TestKeepChecks: a check is deleted when its time has come, not before, and at the earliest a day
// after that was set. A check that is queued stays, a clock that was turned back deletes nothing, and
// a check that cannot be deleted is deleted later and does not keep the others.
func TestKeepChecks(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	start := time.Now()
	clock := &testClock{start}
	d, f := openAt(t, clock)
	a := administrator(t, d)
	for _, days := range []int{-1, mostKeep + 1} {
		if err := d.KeepCheck(ctx, a, "any", days); !errors.As(err, new(*Invalid)) {
			t.Errorf("KeepCheck for %d days = %v, want an Invalid", days, err)
		}
	}
	first, second, never, queued := submit(t, d, a, "a.txt", "text", ""), submit(t, d, a, "b.txt", "text", ""), submit(t, d, a, "c.txt", "text", ""), submit(t, d, a, "d.txt", "text", "")
	for _, c := range []*Check{first, second, never} {
		finish(t, d, f, c)
	}
	for _, c := range []*Check{first, second, queued} {
		if err := d.KeepCheck(ctx, a, c.ID, 30); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.KeepCheck(ctx, accounts.Actor{Role: accounts.Administrator, Group: "other"}, first.ID, 1); !errors.Is(err, ErrNotFound) {
		t.Errorf("KeepCheck of another group = %v, want ErrNotFound", err)
	}
	if c, err := d.Check(ctx, a, first.ID); err != nil || c.Keep != 30 || !c.Expires.Equal(c.Created.AddDate(0, 0, 30)) {
		t.Errorf("the check %+v, %v, want it deleted 30 days after %v", c, err, c.Created)
	}
	left := func() (names string) {
		t.Helper()
		all, _, err := d.Checks(ctx, a, Filter{Sort: "name"})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range all {
			names += c.Name[:1]
		}
		return names
	}
	turn := func(to time.Time, want string, fails bool) {
		t.Helper()
		clock.at = to
		if err := d.Due(ctx); (err != nil) != fails || left() != want {
			t.Errorf("after %v: Due = %v, checks %s; want %s", to.Sub(start), err, left(), want)
		}
	}
	turn(start.AddDate(0, 0, 29), "abcd", false)
	turn(start.AddDate(-20, 0, 0), "abcd", false)
	if err := f.Write(ctx, execute(storagetest.Refusal("full_disk", "BEFORE DELETE ON checks WHEN OLD.name = 'a.txt'"))); err != nil {
		t.Fatal(err)
	}
	turn(start.AddDate(0, 0, 30).Add(time.Hour), "acd", true)
	if err := f.Write(ctx, execute(storagetest.Dropped("full_disk"))); err != nil {
		t.Fatal(err)
	}
	turn(clock.at, "cd", false)
	for _, c := range []*Check{first, second} {
		if _, err := d.shelf.Read(ctx, reportName(c.ID, 1)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the report of a deleted check: %v", err)
		}
	}
	if got, want := serverActions(t, d, a), []string{"delete check by retention " + first.ID, "delete check by retention " + second.ID}; !slices.Equal(got, want) {
		t.Errorf("the audit log has %q, want %q", got, want)
	}
	if err := d.KeepCheck(ctx, a, never.ID, 1); err != nil { // long over
		t.Fatal(err)
	}
	turn(clock.at.Add(23*time.Hour), "cd", false)
	turn(clock.at.Add(2*time.Hour), "d", false)
}

// TestKeepUpload: the days of an upload apply to all its checks.
func TestKeepUpload(t *testing.T) {
	t.Parallel()
	d, _ := open(t, t.TempDir())
	a := administrator(t, d)
	collection := submit(t, d, a, "a.txt", "text", "").Collection
	for days, want := range map[int]bool{-1: false, 7: true} {
		u, err := d.Receive(t.Context(), a, accounts.CheckTexts, "b.txt", strings.NewReader("text"))
		if err != nil {
			t.Fatal(err)
		}
		id, err := d.Submit(t.Context(), a, Submission{Collection: collection, Keep: days}, "", []*Upload{u})
		if (err == nil) != want {
			t.Errorf("Submit for %d days = %v", days, err)
		}
		if err != nil {
			continue
		}
		if all, _, err := d.Checks(t.Context(), a, Filter{Submission: id}); err != nil || all[0].Keep != days || !all[0].Expires.Equal(all[0].Created.AddDate(0, 0, days)) {
			t.Errorf("checks %+v, %v, want them deleted after %d days", all, err, days)
		}
	}
}

// TestKeepPreset: the days of a preset apply to uploads that have none and to the texts of courses,
// and a later change does not.
func TestKeepPreset(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	d, _ := open(t, t.TempDir())
	a := administrator(t, d)
	collection := submit(t, d, a, "a.txt", "text", "").Collection
	if _, err := d.SavePreset(ctx, a, "", Preset{Name: "Bad", Keep: -1}); !errors.As(err, new(*Invalid)) {
		t.Errorf("SavePreset for -1 days = %v, want an Invalid", err)
	}
	preset, err := d.SavePreset(ctx, a, "", Preset{Name: "Bachelor", Keep: 9})
	if err != nil {
		t.Fatal(err)
	}
	course, err := d.NewCourse(ctx, a, NewCourse{CourseChange: CourseChange{Name: "Course", Ends: time.Now().AddDate(1, 0, 0)}, Collections: []string{collection}, PresetID: preset})
	if err != nil {
		t.Fatal(err)
	}
	receive := func() []*Upload {
		return []*Upload{must(d.Receive(ctx, a, accounts.CheckTexts, "b.txt", strings.NewReader("text")))}
	}
	own := must(d.Submit(ctx, a, Submission{Collection: collection, PresetID: preset, Keep: 4}, "", receive()))
	plain := must(d.Submit(ctx, a, Submission{Collection: collection, PresetID: preset}, "", receive()))
	must(d.SavePreset(ctx, a, preset, Preset{Name: "Bachelor", Keep: 1}))
	must(d.HandIn(ctx, a, course, "", receive()))
	for id, want := range map[string]int{own: 4, plain: 9, course: 9} {
		if all, _, err := d.Checks(ctx, a, Filter{Submission: id}); err != nil || len(all) != 1 || all[0].Keep != want {
			t.Errorf("checks %+v, %v, want one that is deleted after %d days", all, err, want)
		}
	}
	if s := must(d.Submission(ctx, a, plain)); s.Keep != 9 {
		t.Errorf("the submission has %+v, want 9 days", s)
	}
	if all := must(d.Presets(ctx, a)); len(all) != 1 || all[0].Keep != 1 {
		t.Errorf("presets %+v, want one with 1 day", all)
	}
}

// add adds documents to the index of a collection, as a worker does, and reports them to the desk.
func add(t *testing.T, d *Desk, f *storage.Folder, collection string, names ...string) {
	t.Helper()
	norms, err := normalize.NewSet(normalize.DefaultRules(), nil)
	if err != nil {
		t.Fatal(err)
	}
	index, err := segment.Create(f.Path(storage.Collections, collection), store.Settings{KeepTexts: true}, segment.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		err = errors.Join(err, indexer.AddText(t.Context(), index, name, "the text of "+name+" has some words", 2, norms))
	}
	if err := errors.Join(err, index.Commit(t.Context()), index.Close(), f.Write(t.Context(), func(tx *storage.Tx) {
		setCounts(tx, collection, &work.Outcome{Documents: int64(len(names))})
	})); err != nil {
		t.Fatal(err)
	}
}

// TestKeepDocuments: a document is deleted when its time has come, counted from its addition, by the
// deletion of the desk; the audit log names the server. Documents that existed before the days were
// set count from their addition, too.
func TestKeepDocuments(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	start := time.Now()
	clock := &testClock{start}
	d, f := openAt(t, clock)
	a := administrator(t, d)
	collection, err := d.NewCollection(ctx, a, "Theses", false)
	if err != nil {
		t.Fatal(err)
	}
	due := func(at time.Time) {
		t.Helper()
		clock.at = at
		if err := d.Due(ctx); err != nil {
			t.Fatal(err)
		}
	}
	// removed executes the open deletion, as the queue does, and returns its names.
	removed := func() (names []string) {
		t.Helper()
		jobs, err := list(ctx, f.Read, scanString, `SELECT id FROM jobs WHERE kind = 'remove' AND state = 'queued'`)
		if err != nil || len(jobs) > 1 {
			t.Fatalf("jobs %v, %v, want at most one", jobs, err)
		}
		if len(jobs) == 0 {
			return nil
		}
		j := work.Job{ID: jobs[0], Kind: work.Remove, Collection: collection}
		if err := f.Write(ctx, execute(`UPDATE jobs SET state = 'running' WHERE id = ?`, j.ID)); err != nil {
			t.Fatal(err)
		}
		task, err := d.Start(ctx, j)
		if err != nil {
			t.Fatal(err)
		}
		index, err := segment.OpenWriter(f.Path(storage.Collections, collection), segment.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range task.Names {
			err = errors.Join(err, index.Delete(ctx, store.IDOf("", name)))
		}
		if err := errors.Join(err, index.Commit(ctx), index.Close(), d.Finish(ctx, j, task, &work.Outcome{})); err != nil {
			t.Fatal(err)
		}
		return task.Names
	}
	due(start) // there is no index yet
	add(t, d, f, collection, "old.txt")
	due(start.Add(11 * time.Minute))
	add(t, d, f, collection, "new.txt")
	due(start.AddDate(0, 0, 10))
	if err := d.KeepDocuments(ctx, a, collection, 20); err != nil {
		t.Fatal(err)
	}
	if err := d.KeepDocuments(ctx, accounts.Actor{Role: accounts.Administrator, Group: "other"}, collection, 1); !errors.Is(err, ErrNotFound) {
		t.Errorf("KeepDocuments of another group = %v, want ErrNotFound", err)
	}
	first := time.UnixMilli(start.Add(11*time.Minute).UnixMilli()).UTC().AddDate(0, 0, 20)
	if c, err := d.Collection(ctx, a, collection); err != nil || c.Keep != 20 || !c.Expires.Equal(first) {
		t.Errorf("collection %+v, %v, want the first deletion at %v", c, err, first)
	}
	if docs, err := d.Documents(ctx, a, collection, "old", "", 0); err != nil || len(docs) != 1 || !docs[0].Expires.Equal(first) {
		t.Errorf("documents %+v, %v, want one that is deleted at %v", docs, err, first)
	}
	for _, at := range []time.Time{first.Add(-time.Minute), start.AddDate(-1, 0, 0)} {
		due(at)
		if got := removed(); got != nil {
			t.Errorf("at %v %q are deleted", at, got)
		}
	}
	due(first.Add(time.Minute))
	due(first.Add(2 * time.Minute)) // one deletion is open
	if got := removed(); !slices.Equal(got, []string{"old.txt"}) {
		t.Errorf("deleted %q, want old.txt", got)
	}
	due(first.Add(3 * time.Minute))
	if got := removed(); got != nil {
		t.Errorf("deleted %q again", got)
	}
	due(start.AddDate(0, 0, 31))
	if got := removed(); !slices.Equal(got, []string{"new.txt"}) {
		t.Errorf("deleted %q, want new.txt", got)
	}
	if got, want := serverActions(t, d, a), slices.Repeat([]string{"delete documents by retention " + collection}, 2); !slices.Equal(got, want) {
		t.Errorf("the audit log has %q, want %q", got, want)
	}
	var times int
	if err := f.Read.QueryRowContext(ctx, `SELECT count(*) FROM document_times`).Scan(&times); err != nil || times != 0 {
		t.Errorf("the times of %d deleted documents are stored, %v", times, err)
	}
}

// TestListAgain: documents that an interrupted addition left in the index are listed by the next
// day, and the list of a collection that changes meanwhile does not count.
func TestListAgain(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	clock := &testClock{time.Now()}
	d, f := openAt(t, clock)
	a := administrator(t, d)
	collection, err := d.NewCollection(ctx, a, "Theses", false)
	if err == nil {
		err = d.KeepDocuments(ctx, a, collection, 5)
	}
	if err != nil {
		t.Fatal(err)
	}
	listed := func() (n int) {
		t.Helper()
		if err := errors.Join(d.Due(ctx), f.Read.QueryRowContext(ctx, `SELECT count(*) FROM document_times`).Scan(&n)); err != nil {
			t.Fatal(err)
		}
		return n
	}
	add(t, d, f, collection, "a.txt")
	err = f.Write(ctx, func(tx *storage.Tx) {
		tx.Exec(storagetest.Trigger("later", "AFTER UPDATE OF listed ON collections", "UPDATE collections SET changes = changes + 1"))
	})
	if err == nil {
		err = d.listDocuments(ctx, keeping{id: collection, changes: 1}, 1)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Write(ctx, execute(storagetest.Dropped("later"))); err != nil {
		t.Fatal(err)
	}
	if got := listed(); got != 1 {
		t.Errorf("%d documents are listed, want 1", got)
	}
	add(t, d, f, collection, "b.txt")
	if err := f.Write(ctx, execute(`UPDATE collections SET changes = listed`)); err != nil { // as if nothing had been reported
		t.Fatal(err)
	}
	clock.at = clock.at.Add(23 * time.Hour)
	if got := listed(); got != 1 {
		t.Errorf("%d documents are listed, want 1", got)
	}
	clock.at = clock.at.Add(2 * time.Hour)
	if got := listed(); got != 2 {
		t.Errorf("%d documents are listed a day later, want 2", got)
	}
}

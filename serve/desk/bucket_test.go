package desk

import (
	"errors"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/bucket"
	"github.com/otisk/otisk/serve/bucket/buckettest"
	"github.com/otisk/otisk/serve/storage"
	"github.com/otisk/otisk/serve/work"
)

// openBucket opens a desk whose uploads and reports are in a bucket.
func openBucket(t *testing.T) (*Desk, *buckettest.Server) {
	t.Helper()
	store := buckettest.Start(t)
	b, err := bucket.New(bucket.Config{Address: store.Address(), Region: "us-east-1", Key: "key", Secret: "secret"})
	if err != nil {
		t.Fatal(err)
	}
	f, err := storage.Open(t.Context(), t.TempDir(), storage.Options{Bucket: b})
	if err != nil {
		t.Fatal(err)
	}
	return deskOn(t, f), store
}

// TestBucketRefuses: an upload that the store refuses is not acknowledged. A file that could not be
// deleted is removed when the store answers, and one without a row a day later.
func TestBucketRefuses(t *testing.T) {
	t.Parallel()
	d, store := openBucket(t)
	a := administrator(t, d)
	c := submit(t, d, a, "kept.txt", "text", "")
	if err := d.folder.Write(t.Context(), execute(`UPDATE jobs SET state = 'cancelled'`)); err != nil {
		t.Fatal(err)
	}
	store.Before = func(w http.ResponseWriter, _ *http.Request) bool {
		buckettest.Refuse(w, http.StatusForbidden, "AccessDenied")
		return true
	}
	if _, err := d.Receive(t.Context(), a, accounts.CheckTexts, "a.txt", strings.NewReader("text")); !errors.Is(err, bucket.ErrAway) {
		t.Errorf("Receive = %v, want ErrAway", err)
	}
	if gone, err := d.DeleteCheck(t.Context(), a, c.ID); err != nil || gone.State != RemoveLater || gone.File {
		t.Errorf("DeleteCheck = %+v, %v, want that the file is removed later", gone, err)
	}
	if h, err := d.Health(t.Context(), a); err != nil || len(h.Remains) != 1 || h.Remains[0].Tries != 1 {
		t.Errorf("Health = %+v, %v, want a removal that failed", h, err)
	}
	store.Before = func(http.ResponseWriter, *http.Request) bool { return false }
	if err := d.Due(t.Context()); err != nil || len(store.Keys()) != 2 {
		t.Errorf("Due = %v; the bucket has %q, want the mark and the file for now", err, store.Keys())
	}
	if err := d.folder.Write(t.Context(), execute(`UPDATE remains SET ready = 0`)); err != nil {
		t.Fatal(err)
	}
	if err := d.Due(t.Context()); err != nil || len(store.Keys()) != 1 {
		t.Errorf("Due after the delay = %v; the bucket has %q, want the mark", err, store.Keys())
	}
	u, err := d.Receive(t.Context(), a, accounts.CheckTexts, "interrupted.txt", strings.NewReader("text"))
	if err != nil {
		t.Fatal(err)
	}
	store.Age(25 * time.Hour)
	d.swept = d.swept.Add(-sweepStep)
	if err := d.Due(t.Context()); err != nil || len(store.Keys()) != 1 {
		t.Errorf("Due a day later = %v; the bucket has %q, want the mark and not %s", err, store.Keys(), u.file)
	}
}

// TestBucketLacks: a job whose file is missing in the bucket starts and can report that, as one with a
// folder: it would wait for ever otherwise.
func TestBucketLacks(t *testing.T) {
	t.Parallel()
	d, store := openBucket(t)
	a := administrator(t, d)
	c := submit(t, d, a, "lost.txt", "text", "")
	j := work.Job{ID: c.job, Kind: work.Check, Collection: c.Collection}
	task, err := d.Start(t.Context(), j)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(task.Files[0].Path); err != nil || string(text) != "text" {
		t.Errorf("the job reads %q, %v", text, err)
	}
	for _, key := range store.Keys() {
		store.Delete(key)
	}
	if task, err = d.Start(t.Context(), j); err != nil {
		t.Fatalf("Start without the file = %v", err)
	}
	if _, err := os.Stat(task.Files[0].Path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the missing file: %v", err)
	}
}

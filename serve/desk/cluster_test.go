package desk

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/otisk/otisk/esclient"
	"github.com/otisk/otisk/esclient/wire"
	"github.com/otisk/otisk/serve/indexes"
	"github.com/otisk/otisk/serve/storage/storagetest"
	"github.com/otisk/otisk/serve/work"
)

// A fakeCluster answers as a cluster without indices, unless it is away.
type fakeCluster struct {
	away    atomic.Bool
	deleted atomic.Int64 // indices
	asked   atomic.Int64
}

// ServeHTTP implements [http.Handler].
func (c *fakeCluster) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.asked.Add(1)
	if c.away.Load() {
		panic(http.ErrAbortHandler)
	}
	w.Header().Set("X-Elastic-Product", "Elasticsearch")
	w.Header().Set("Content-Type", "application/json")
	switch {
	case r.URL.Path == "/_cluster/health":
		_, _ = io.WriteString(w, `{"status":"green"}`)
	case r.Method == http.MethodDelete:
		c.deleted.Add(1)
		_, _ = io.WriteString(w, `{"acknowledged":true}`)
	case strings.HasSuffix(r.URL.Path, "-*"):
		_, _ = io.WriteString(w, `{"otisk-x-documents-1":{"mappings":{"_meta":{"otisk":{}}}}}`)
	default:
		_, _ = io.WriteString(w, `{"version":{"number":"9.5.3"}}`)
	}
}

// A countedLog counts a message.
type countedLog struct {
	slog.Handler
	message string
	n       atomic.Int64
}

// Enabled implements [slog.Handler].
func (c *countedLog) Enabled(context.Context, slog.Level) bool { return true }

// Handle implements [slog.Handler].
func (c *countedLog) Handle(_ context.Context, r slog.Record) error {
	if r.Message == c.message {
		c.n.Add(1)
	}
	return nil
}

// WithAttrs implements [slog.Handler].
func (c *countedLog) WithAttrs([]slog.Attr) slog.Handler { return c }

// TestClusterAway stops the cluster of a server: all jobs that need it say so, and none is lost. They
// are done once the cluster answers again, and so is a deletion.
func TestClusterAway(t *testing.T) {
	t.Parallel()
	cluster := new(fakeCluster)
	server := httptest.NewServer(cluster)
	t.Cleanup(server.Close)
	f, err := storagetest.Open(t, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	program := work.Program{Path: os.Args[0], Stall: time.Minute, Memory: 1 << 30}
	failed := &countedLog{Handler: slog.DiscardHandler, message: "job failed"}
	opts := Options{MaxFile: 1 << 20, Passwords: quick, Log: slog.New(failed), Cluster: &esclient.Config{Config: wire.Config{Hosts: []string{server.URL}}, Index: "otisk"}}
	cluster.away.Store(true)
	d, q, err := New(t.Context(), f, program, opts)
	if err != nil {
		t.Fatal(err)
	}
	a := administrator(t, d)
	const jobs = 12
	for i := range jobs {
		submit(t, d, a, fmt.Sprint(i, ".txt"), "text", "")
	}
	gone := must(d.NewCollection(t.Context(), a, "Gone", false))
	if err := f.Write(t.Context(), execute(`UPDATE collections SET index_name = 'otisk-x' WHERE id = ?`, gone)); err != nil {
		t.Fatal(err)
	}
	if err := d.DeleteCollection(t.Context(), a, gone); err != nil {
		t.Errorf("the deletion of a collection without the cluster: %v", err)
	}
	if _, err := d.Documents(t.Context(), a, must(d.Collections(t.Context(), a))[0].ID, "", "", 10); !errors.Is(err, indexes.ErrAway) {
		t.Errorf("documents without the cluster: %v, want ErrAway", err)
	}
	if h := must(d.Health(t.Context(), a)); h.Cluster == nil || h.Cluster.Cause == "" || h.Cluster.Where != server.URL {
		t.Errorf("health %+v, want the cause", h.Cluster)
	}
	wake := func() { // the jobs need not wait
		if err := f.Write(t.Context(), execute(`UPDATE jobs SET ready = 0`)); err != nil {
			t.Error(err)
		}
	}
	go func() {
		for waiting := 0; waiting < jobs; time.Sleep(10 * time.Millisecond) {
			checks, _, err := d.Checks(t.Context(), a, Filter{})
			if err != nil {
				t.Error(err)
				return
			}
			waiting = 0
			for _, c := range checks {
				if c.State == work.Queued && c.Reason == "the cluster with the collections is not available; the server tries again" {
					waiting++
				}
			}
		}
		if n := failed.n.Load(); n > 2 { // two workers
			t.Errorf("%d jobs were tried without the cluster, want 2 of %d", n, jobs)
		}
		cluster.away.Store(false)
		time.Sleep(1100 * time.Millisecond) // the last answer counts for a second
		wake()
		q.Wake()
	}()
	for name, c := range run(t, d, q) {
		if c.State != work.Done || c.Reason != "" {
			t.Errorf("%s is %s: %s", name, c.State, c.Reason)
		}
	}
	if err := d.Due(t.Context()); err != nil {
		t.Error(err)
	}
	if n := cluster.deleted.Load(); n != 1 {
		t.Errorf("%d indices of the deleted collection are deleted, want 1", n)
	}
	var left int
	if err := f.Read.QueryRowContext(t.Context(), `SELECT count(*) FROM deleted_indexes`).Scan(&left); err != nil || left != 0 {
		t.Errorf("%d deletions are left, %v", left, err)
	}
	opts.Cluster = nil
	if _, _, err := New(t.Context(), f, program, opts); err == nil || !strings.Contains(err.Error(), "--cluster") {
		t.Errorf("a start without the cluster: %v, want an error that names --cluster", err)
	}
}

// TestIndexMissing: the index of a collection that has documents is not there. The server does not
// take the collection for an empty one.
func TestIndexMissing(t *testing.T) {
	t.Parallel()
	d, f := open(t, t.TempDir())
	a := administrator(t, d)
	id := must(d.NewCollection(t.Context(), a, "Theses", false))
	if all, err := d.Documents(t.Context(), a, id, "", "", 10); err != nil || len(all) > 0 {
		t.Errorf("documents of a new collection: %v, %v", all, err)
	}
	if err := f.Write(t.Context(), execute(`UPDATE collections SET documents = 1`)); err != nil {
		t.Fatal(err)
	}
	_, listed := d.Documents(t.Context(), a, id, "", "", 10)
	_, one := d.Document(t.Context(), a, id, "a.txt")
	_, deleted := d.DeleteDocuments(t.Context(), a, id, []string{"a.txt"})
	due := d.Due(t.Context())
	for what, err := range map[string]error{"Documents": listed, "Document": one, "DeleteDocuments": deleted, "Due": due} {
		if !errors.Is(err, indexes.ErrMissing) {
			t.Errorf("%s = %v, want ErrMissing", what, err)
		}
	}
}

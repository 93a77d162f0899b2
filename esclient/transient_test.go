package esclient_test

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/otisk/otisk/esclient"
	"github.com/otisk/otisk/esclient/wire"
	"github.com/otisk/otisk/gather/gathertest"
	"github.com/otisk/otisk/internal/testing/need"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/segment"
	"github.com/otisk/otisk/store/storetest"
)

// TestFailuresThatPass has single requests fail, or as many in a row as the client has patience
// for, with and without the server having done the work.
func TestFailuresThatPass(t *testing.T) {
	t.Parallel()
	faults := need.Rounds(6)
	if os.Getenv("OTISK_TEST_LONG") != "" {
		faults = 500
	}
	gathertest.FailuresThatPass(t, faults, failing(t, server(t)), inFolder(t))
}

// TestEachStepFails has each request of each commit fail, as often as exhausts the patience
// of the client, and some of them in short.
func TestEachStepFails(t *testing.T) {
	every := 100
	if need.All() {
		every = 1
	}
	host := server(t)
	storetest.EachStepFails(t, every, func(t *testing.T) *storetest.Flaky { return failing(t, host) })
}

// TestModel compares an index with a model of it, over random operations and faults.
func TestModel(t *testing.T) {
	operations := need.Rounds(40)
	if os.Getenv("OTISK_TEST_LONG") != "" {
		operations = 1000
	}
	gathertest.Model(t, operations, 1, failing(t, server(t)))
}

// inFolder returns an index in a folder, of which no step fails.
func inFolder(t *testing.T) *gathertest.Index {
	dir := filepath.Join(t.TempDir(), "index")
	return &gathertest.Index{
		Open: func() (store.Store, error) {
			return segment.Create(dir, storetest.Settings(), segment.Options{Workers: 1})
		},
		Fail: func(func(string) bool) {},
	}
}

// failing returns an index in a cluster to which single requests can fail.
func failing(t *testing.T, host string) *gathertest.Index {
	var mu sync.Mutex
	var fails func(string) bool
	kind := 0
	kinds := []string{"503 at once", "502 after the work", "connection reset at once", "connection reset after the work", "half an answer"}
	p := newProxy(t, host, func(r *http.Request) *fault {
		mu.Lock()
		defer mu.Unlock()
		if fails == nil || !fails(r.Method+" "+r.URL.Path) {
			return nil
		}
		kind++
		for i := range faults {
			if faults[i].name == kinds[kind%len(kinds)] {
				return &faults[i]
			}
		}
		panic("no such fault")
	})
	cfg := config(t, host)
	cfg.Pause = time.Millisecond
	cfg.Hosts, cfg.Retries, cfg.Timeout = []string{p.URL}, 2, 20*time.Second
	return &gathertest.Index{
		Open: func() (store.Store, error) { return esclient.Create(t.Context(), cfg, storetest.Settings()) },
		Fail: func(fn func(string) bool) {
			mu.Lock()
			defer mu.Unlock()
			fails = fn
		},
		Caused:   func(err error) bool { return errors.Is(err, wire.ErrServer) || errors.Is(err, store.ErrLocked) },
		Patience: 5,
	}
}

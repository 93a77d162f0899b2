package esclient_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/otisk/otisk/esclient"
	"github.com/otisk/otisk/esclient/wire"
	"github.com/otisk/otisk/internal/testing/esnode"
	"github.com/otisk/otisk/internal/testing/need"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/memory"
	"github.com/otisk/otisk/store/storetest"
)

// crashDocs are how many documents the process indexes that is killed.
const crashDocs = 60

// crashGrams is how many n-grams each has: a second or some seconds of work.
func crashGrams() int {
	if os.Getenv("OTISK_TEST_LONG") != "" {
		return 3000
	}
	return 500
}

// crashHashes returns the n-grams of a document.
func crashHashes(doc int) []store.Hash {
	return storetest.Hashes(rand.New(rand.NewPCG(uint64(doc), 9)), crashGrams())
}

// fillCrash indexes all documents, with a commit now and then, as a command
// does that is run again after a crash.
func fillCrash(s store.Store) error {
	ctx := context.Background()
	for i := range crashDocs {
		doc, hashes := storetest.Doc(fmt.Sprintf("/%03d", i), fmt.Sprint("content ", i)), crashHashes(i)
		pairs := storetest.Pairs(storetest.PairsOf(hashes[:len(hashes)/2])...)
		if err := s.Add(ctx, doc, doc.Content, []store.Grams{storetest.Grams(7, hashes...)}, pairs); err != nil {
			return err
		}
		if i%20 == 19 {
			if err := s.Commit(ctx); err != nil {
				return err
			}
		}
	}
	return s.Commit(ctx)
}

// child is the process that is killed. It returns its exit status.
func child(host, index string) int {
	s, err := esclient.Create(context.Background(), esclient.Config{Config: wire.Config{Hosts: []string{host}}, Index: index, BulkLoad: true}, storetest.Settings())
	if err == nil {
		fmt.Println("opened")
		err = fillCrash(s)
	}
	if err == nil {
		err = s.Close()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "child:", err)
		return 1
	}
	return 0
}

// TestKilledClient kills a process that indexes, at random moments, and lets
// another one do it again. OTISK_TEST_LONG has it do so twenty times.
func TestKilledClient(t *testing.T) {
	t.Parallel()
	host := server(t)
	cfg := config(t, host)
	kills := 2
	if os.Getenv("OTISK_TEST_LONG") != "" {
		kills = 20
	}
	begin := time.Now()
	runChild(t, cfg, 0)
	whole := time.Since(begin)
	checkCrash(t, cfg)
	for kill := range kills {
		cfg := config(t, host)
		after := time.Duration(rand.Int64N(int64(whole)))
		runChild(t, cfg, after)
		runChild(t, cfg, 0)
		checkCrash(t, cfg)
		if t.Failed() {
			t.Fatalf("kill %d of %d, %v after the start of a run that takes %v", kill+1, kills, after, whole)
		}
	}
}

// TestFullQueue indexes by several writers on a node that does one request at a time and lets one wait. It
// rejects the others by status 429.
func TestFullQueue(t *testing.T) {
	need.Long(t)
	c := cluster(t, esnode.Elasticsearch8, esnode.Options{Settings: []string{"thread_pool.write.size=1", "thread_pool.write.queue_size=1"}})
	var writers errgroup.Group
	var indices []esclient.Config
	for range 6 {
		cfg := config(t, c.URL(0))
		indices = append(indices, cfg)
		s := create(t, cfg)
		writers.Go(func() error { return errors.Join(fillCrash(s), s.Close()) })
	}
	if err := writers.Wait(); err != nil {
		t.Fatal(err)
	}
	for _, cfg := range indices {
		checkCrash(t, cfg)
	}
	var nodes struct {
		Nodes map[string]struct {
			Pools struct {
				Write struct {
					Rejected int `json:"rejected"`
				} `json:"write"`
			} `json:"thread_pool"`
		} `json:"nodes"`
	}
	if err := json.Unmarshal([]byte(call(t, c.URL(0), "GET", "/_nodes/stats/thread_pool", "")), &nodes); err != nil {
		t.Fatal(err)
	}
	for _, n := range nodes.Nodes {
		if n.Pools.Write.Rejected == 0 {
			t.Error("the node rejected no request: the test shows nothing")
		}
		t.Logf("the node rejected %d requests", n.Pools.Write.Rejected)
	}
}

// runChild runs the process to its end, or kills it after some time.
func runChild(t *testing.T, cfg esclient.Config, after time.Duration) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "OTISK_TEST_CHILD="+cfg.Hosts[0]+" "+cfg.Index)
	var errs strings.Builder
	cmd.Stderr = &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if after > 0 {
		time.AfterFunc(after, func() { _ = cmd.Process.Kill() }) // it may have ended
		_ = cmd.Wait()
		return
	}
	if err := cmd.Wait(); err != nil {
		t.Fatalf("child: %v: %s", err, errs.String())
	}
}

// checkCrash compares the index with one that an undisturbed run makes in memory.
func checkCrash(t *testing.T, cfg esclient.Config) {
	t.Helper()
	oracle := memory.New(storetest.Settings())
	if err := fillCrash(oracle); err != nil {
		t.Fatal(err)
	}
	var asked []store.Hash
	for i := range crashDocs {
		asked = append(asked, crashHashes(i)[:100]...)
	}
	r := open(t, cfg)
	slices.Sort(asked)
	storetest.Compare(t, r, oracle, slices.Compact(asked))
	s, err := esclient.OpenStore(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	verify(t, s)
	if err := s.Optimize(t.Context()); err != nil {
		t.Fatal(err)
	}
	noGarbage(t, cfg, s)
	checkSettings(t, cfg)
}

// checkSettings checks that nothing of a bulk load is left.
func checkSettings(t *testing.T, cfg esclient.Config) {
	t.Helper()
	var indices map[string]struct {
		Settings struct {
			Index map[string]any `json:"index"`
		} `json:"settings"`
	}
	if err := json.Unmarshal([]byte(call(t, cfg.Hosts[0], "GET", "/"+cfg.Index+"-*/_settings", "")), &indices); err != nil {
		t.Fatal(err)
	}
	for name, index := range indices {
		got := fmt.Sprintf("%v %v", index.Settings.Index["auto_expand_replicas"], index.Settings.Index["refresh_interval"])
		if want := "0-1 <nil>"; got != want {
			t.Errorf("index %s has auto_expand_replicas and refresh_interval %s, want %s", name, got, want)
		}
	}
	if len(indices) < 3 {
		t.Errorf("there are %d indices, want 3 at least", len(indices))
	}
}

// TestBulkLoad looks at the settings during a first load, and after it.
func TestBulkLoad(t *testing.T) {
	t.Parallel()
	cfg := config(t, server(t))
	cfg.BulkLoad = true
	s := create(t, cfg)
	add(t, s, "/a", "a", 1)
	commit(t, s)
	settings := func() string {
		return call(t, cfg.Hosts[0], "GET", "/"+cfg.Index+"-*/_settings?filter_path=*.settings.index.refresh_interval,*.settings.index.auto_expand_replicas", "")
	}
	if got := settings(); strings.Count(got, `"refresh_interval":"-1"`) != 3 || strings.Contains(got, "0-1") {
		t.Errorf("during a bulk load the settings are %s, want no refreshes and no replicas in 3 indices", got)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	checkSettings(t, cfg)
	create(t, cfg)
	if got := settings(); strings.Contains(got, "refresh_interval") {
		t.Errorf("a bulk load into an index that has documents changed the settings to %s", got)
	}
}

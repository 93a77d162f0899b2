package esclient_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/otisk/otisk/esclient"
	"github.com/otisk/otisk/esclient/wire"
	"github.com/otisk/otisk/internal/testing/esnode"
	"github.com/otisk/otisk/internal/testing/need"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/memory"
	"github.com/otisk/otisk/store/storetest"
)

// TestMain ends the servers, or is the process that a test kills.
func TestMain(m *testing.M) {
	if host, index, ok := strings.Cut(os.Getenv("OTISK_TEST_CHILD"), " "); ok {
		os.Exit(child(host, index))
	}
	if err := flag.Set("test.parallel", "6"); err != nil { // most of them wait for a server; who runs them can say otherwise
		panic(err)
	}
	code := m.Run()
	for _, s := range []*shared{main8, other9, otherOpen} {
		if err := s.close(); err != nil {
			fmt.Fprintln(os.Stderr, "stop the server:", err)
			code = 1
		}
	}
	os.Exit(code)
}

// A shared server is started once, for all tests that ask for it.
type shared struct {
	wanted atomic.Bool
	start  func() (*esnode.Cluster, error)
}

// The servers that tests share. Most use the first one.
var (
	main8     = share(esnode.Elasticsearch8)
	other9    = share(esnode.Elasticsearch9)
	otherOpen = share(esnode.OpenSearch3)
)

func share(server esnode.Server) *shared {
	return &shared{start: sync.OnceValues(func() (*esnode.Cluster, error) {
		return esnode.Start(context.Background(), server, esnode.Options{})
	})}
}

// get returns the server, and starts it on the first call.
func (s *shared) get(t testing.TB) *esnode.Cluster {
	t.Helper()
	if testing.Short() {
		t.Skip("starts a server")
	}
	s.wanted.Store(true)
	c, err := s.start()
	usable(t, err)
	return c
}

// others returns the other servers to test. The commands are tested on Elasticsearch 9 in any case,
// and starting a server takes half a minute of CPU.
func others() []*shared {
	if need.All() {
		return []*shared{other9, otherOpen}
	}
	return []*shared{otherOpen}
}

// warmOthers starts the other servers while tests run that do without them,
// where all tests do.
var warmOthers = sync.OnceFunc(func() {
	if flag.Lookup("test.run").Value.String() != "" || !need.Servers() {
		return
	}
	for _, s := range others() {
		s.wanted.Store(true)
		go func() { _, _ = s.start() }() // who asks for it gets the error
	}
})

func (s *shared) close() error {
	if !s.wanted.Load() {
		return nil
	}
	c, err := s.start()
	if err != nil {
		return nil // its test has said so
	}
	return c.Close()
}

// server returns the address of the server that most tests share.
func server(t testing.TB) string {
	t.Helper()
	url := main8.get(t).URL(0)
	warmOthers()
	return url
}

// cluster starts a server for this test alone.
func cluster(t testing.TB, s esnode.Server, o esnode.Options) *esnode.Cluster {
	t.Helper()
	if testing.Short() {
		t.Skip("starts a server")
	}
	c, err := esnode.Start(t.Context(), s, o)
	usable(t, err)
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

func usable(t testing.TB, err error) {
	t.Helper()
	if errors.Is(err, esnode.ErrMissing) {
		need.Skip(t, err.Error())
	}
	if err != nil {
		t.Fatal(err)
	}
}

var indices atomic.Int64

// config returns the settings for a fresh index, which is deleted when the
// test ends.
func config(t testing.TB, hosts ...string) esclient.Config {
	t.Helper()
	cfg := esclient.Config{Config: wire.Config{Hosts: hosts}, Index: fmt.Sprint("test", indices.Add(1))}
	t.Cleanup(func() { deleteIndices(t, hosts[0], cfg.Index) })
	return cfg
}

func deleteIndices(t testing.TB, host, base string) {
	t.Helper()
	list := strings.Fields(call(t, host, "GET", "/_cat/indices/"+base+"-*?h=index", ""))
	if len(list) > 0 {
		call(t, host, "DELETE", "/"+strings.Join(list, ","), "")
	}
}

// call sends a request without the client that is tested.
func call(t testing.TB, host, method, path, body string) string {
	t.Helper()
	answer, err := esnode.Call(method, host+path, body)
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

// create opens a store for writing and closes it when the test ends.
func create(t testing.TB, cfg esclient.Config) *esclient.Store {
	t.Helper()
	s, err := esclient.Create(context.Background(), cfg, storetest.Settings())
	if err != nil {
		t.Fatalf("Create(%s) = %v", cfg.Index, err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("Close() = %v", err)
		}
	})
	return s
}

// conform runs the suite that every store passes, by way of a proxy if one is
// given, after which each index has to be sound.
func conform(t *testing.T, hosts []string, shards, replicas int, by ...string) {
	storetest.Test(t, func(t *testing.T, settings store.Settings) store.Store {
		t.Parallel() // most of the time goes into making indices
		cfg := config(t, hosts...)
		cfg.Shards, cfg.Replicas = shards, replicas
		if len(by) > 0 {
			cfg.Hosts, cfg.Timeout = by, 20*time.Second // for a lost answer; Close has a minute
		}
		s, err := esclient.Create(t.Context(), cfg, settings)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := s.Close(); err != nil {
				t.Errorf("Close() = %v", err)
			}
			if len(by) > 0 {
				cfg.Hosts = hosts
				verify(t, open(t, cfg))
			}
		})
		return s
	})
	t.Run("Pages", func(t *testing.T) {
		pages(t, hosts, shards)
	})
}

// pages reads as a reader and as the writer, because the two page differently.
// The pages have to be so small that each is one of many.
func pages(t *testing.T, hosts []string, shards int) {
	cfg := config(t, hosts...)
	cfg.Shards = shards
	esclient.LimitPages(&cfg, 3)
	s := create(t, cfg)
	oracle := memory.New(storetest.Settings())
	var asked []store.Hash
	for _, x := range []store.Store{s, oracle} {
		for _, hashes := range storetest.Fill(t, x, rand.New(rand.NewPCG(1, 2)), 10, 300) {
			asked = append(asked, hashes...)
		}
		if err := x.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	storetest.FillNear(t, s, 1)
	storetest.FillNear(t, oracle, 1)
	storetest.CompareNear(t, open(t, cfg), oracle, 1)
	slices.Sort(asked)
	asked = slices.Compact(asked)
	storetest.Compare(t, s, oracle, asked)
	storetest.Compare(t, open(t, cfg), oracle, asked)
	verify(t, s)
}

// verify fails the test if an index is not sound.
func verify(t *testing.T, r store.Reader) {
	t.Helper()
	if err := r.Verify(context.Background(), func(err error) { t.Errorf("Verify reports: %v", err) }); err != nil {
		t.Error(err)
	}
}

func TestStore(t *testing.T) {
	t.Parallel()
	conform(t, []string{server(t)}, 1, 0)
}

// TestOtherServers tests on each of the other servers the requests that they answer
// differently: pages, points in time, merges and the swap of aliases. The whole suite takes
// minutes there, and runs with OTISK_TEST_LONG, as does Elasticsearch 9.
func TestOtherServers(t *testing.T) {
	t.Parallel()
	if !need.Servers() {
		t.Skip("starts another server: set OTISK_NO_SKIP=1, as in continuous integration")
	}
	for _, server := range others() {
		c := server.get(t)
		t.Run(c.Server.String(), func(t *testing.T) {
			t.Parallel()
			t.Run("Reader", func(t *testing.T) { testReaderKeepsItsCommit(t, c.URL(0)) })
			t.Run("Pages", func(t *testing.T) { pages(t, c.URLs(), 1) })
			t.Run("Reshard", func(t *testing.T) { testReshard(t, c.URL(0)) })
			t.Run("Count", func(t *testing.T) { testBlockIsGone(t, c.URL(0), "5gram-1") })
			t.Run("Store", func(t *testing.T) {
				need.Long(t)
				conform(t, c.URLs(), 1, 0)
			})
		})
	}
}

func TestThreeNodes(t *testing.T) {
	need.Long(t)
	c := cluster(t, esnode.Elasticsearch8, esnode.Options{Nodes: 3})
	t.Run("Store", func(t *testing.T) { conform(t, c.URLs(), 3, 1) })
	t.Run("KilledNodes", func(t *testing.T) { testKilledNodes(t, c) })
}

// TestTwoNodes joins two nodes: what one of them writes, the other one reads, each of
// which has a copy of every shard.
func TestTwoNodes(t *testing.T) {
	need.Long(t)
	c := cluster(t, esnode.Elasticsearch8, esnode.Options{Nodes: 2})
	cfg := config(t, c.URL(0))
	cfg.Shards, cfg.Replicas = 2, 1
	s := create(t, cfg)
	add(t, s, "/a", "the text", 1, 2)
	commit(t, s)
	if err := c.Wait(t.Context()); err != nil { // until both copies of the shards are allocated
		t.Fatal(err)
	}
	if got := strings.Fields(call(t, c.URL(0), "GET", "/_cat/shards/"+cfg.Index+"-documents-1?h=node,state", "")); len(got) != 8 || slices.Contains(got, "UNASSIGNED") {
		t.Errorf("shards of the catalogue on the nodes: %q, want 2 with a copy each", got)
	}
	other := cfg
	other.Hosts = []string{c.URL(1)}
	add(t, s, "/b", "another text", 3)
	commit(t, s)
	if n := numberOfDocuments(t, other); n != 2 {
		t.Errorf("the other node has %d documents, want 2", n)
	}
	verify(t, open(t, other))
}

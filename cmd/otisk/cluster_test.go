package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/otisk/otisk/internal/session"
	"github.com/otisk/otisk/internal/testing/esnode"
	"github.com/otisk/otisk/internal/testing/files"
	"github.com/otisk/otisk/internal/testing/need"
)

// oneNode is a cluster of one node for all tests that only use it.
var oneNode struct {
	sync.Once
	*esnode.Cluster
	err error
}

// sharedCluster returns a cluster that other tests use, too. The test leaves it
// without an index.
func sharedCluster(t *testing.T) *esnode.Cluster {
	t.Helper()
	if testing.Short() {
		t.Skip("starts a server")
	}
	oneNode.Do(func() {
		oneNode.Cluster, oneNode.err = esnode.Start(context.Background(), esnode.Elasticsearch9, esnode.Options{Settings: []string{"path.repo=" + os.TempDir()}}) // for snapshots
	})
	c := usable(t, oneNode.Cluster, oneNode.err)
	t.Cleanup(func() {
		list, err := esnode.Call("GET", c.URL(0)+"/_cat/indices?h=index", "")
		for _, index := range strings.Fields(list) {
			_, refusal := esnode.Call("DELETE", c.URL(0)+"/"+index, "")
			err = errors.Join(err, refusal)
		}
		if err != nil {
			t.Errorf("empty the cluster: %v", err)
		}
	})
	return c
}

// served runs the tests, and stops the shared server.
type served struct{ *testing.M }

func (m served) Run() int {
	code := m.M.Run()
	if oneNode.Cluster == nil {
		return code
	}
	if err := oneNode.Close(); err != nil {
		fmt.Fprintln(os.Stderr, "after the tests:", err)
		return 1
	}
	return code
}

// startCluster starts a cluster for one test.
func startCluster(t *testing.T, nodes int) *esnode.Cluster {
	t.Helper()
	if testing.Short() {
		t.Skip("starts a server")
	}
	c, err := esnode.Start(t.Context(), esnode.Elasticsearch9, esnode.Options{Nodes: nodes})
	c = usable(t, c, err)
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

func usable(t *testing.T, c *esnode.Cluster, err error) *esnode.Cluster {
	t.Helper()
	if errors.Is(err, esnode.ErrMissing) {
		need.Skip(t, err.Error())
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestCluster runs the tests that share one server.
func TestCluster(t *testing.T) {
	c := sharedCluster(t)
	t.Run("ReportsAlike", func(t *testing.T) { testReportsAlike(t, c) })
	t.Run("Documented", func(t *testing.T) { testDocumented(t, c) })
	t.Run("ServeMove", func(t *testing.T) { testServeMove(t, c) })
	t.Run("ServeSnapshot", func(t *testing.T) { testServeSnapshot(t, c) })
	t.Run("Emptied", func(t *testing.T) { testSearchWhileEmptied(t, c) })
}

// testReportsAlike: an index in a cluster, and copies of it there and back,
// give the same reports as the one in a folder.
func testReportsAlike(t *testing.T, c *esnode.Cluster) {
	t.Chdir(t.TempDir())
	collection(t, 20, 3)
	t.Setenv(session.DateVariable, "1795262400") // reports on one text are the same, whenever it was indexed
	otisk(t, "index", "--index", "theses", "sources")
	want := state(t, "--index", "theses")
	theses, copied := c.URL(0)+"/theses", c.URL(0)+"/copied"
	otisk(t, "index", "--bulk-load", "--index", theses, "sources")
	compareStates(t, "indexed in the cluster", state(t, "--index", theses), want)
	otisk(t, "copy", "--from", "theses", "--to", copied)
	compareStates(t, "copied to the cluster", state(t, "--index", copied), want)
	otisk(t, "copy", "--from", copied, "--to", "back")
	compareStates(t, "copied back", state(t, "--index", "back"), want)
	reports := len(regexp.MustCompile("<passage ").FindAllString(want, -1))
	if reports < 10 {
		t.Errorf("the reports have %d passages, want more to compare", reports)
	}
}

// testSearchWhileEmptied empties the index after a search has read its entries, and expects
// the result of a later search: nothing, with status 0.
func testSearchWhileEmptied(t *testing.T, c *esnode.Cluster) {
	t.Chdir(t.TempDir())
	collection(t, 4, 1)
	otisk(t, "index", "-q", "--index", c.URL(0)+"/emptied", "sources")
	server, err := url.Parse(c.URL(0))
	if err != nil {
		t.Fatal(err)
	}
	var asked atomic.Int32
	proxy := httputil.NewSingleHostReverseProxy(server)
	before := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/_search" && asked.Add(1) == 2 {
			otisk(t, "clean", "--yes", "--index", c.URL(0)+"/emptied")
		}
		proxy.ServeHTTP(w, r)
	}))
	defer before.Close()
	status, out, errs := typed(t, "search", "--format", "text", "--index", before.URL+"/emptied", "suspects/00.txt")
	if status != 0 || !strings.Contains(out, "0 documents") || asked.Load() < 2 {
		t.Errorf("with the index emptied at the second of %d look-ups: status %d\n%s%s\nwant 0 and a report on an index without documents", asked.Load(), status, errs, out)
	}
}

// testDocumented types the settings and the commands of docs/ELASTICSEARCH.md,
// at another address and without the user and certificate that this server does
// not have.
func testDocumented(t *testing.T, c *esnode.Cluster) {
	page, err := os.ReadFile("../../docs/ELASTICSEARCH.md")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	collection(t, 4, 1)
	if err := os.Rename("sources", "theses"); err != nil {
		t.Fatal(err)
	}
	otisk(t, "index", "theses")
	text := regexp.MustCompile("https://es[12].example.org:9200").ReplaceAllString(string(page), c.URL(0))
	text = strings.Replace(text, "--expect 300GB", "--expect 30GB", 1) // a shard takes 0.1 s of CPU
	settings := regexp.MustCompile("(?m)^ +<(host|index)>.*").FindAllString(text, -1)
	files.Write(t, "config.xml", "<config>"+strings.Join(settings, "\n")+"</config>")
	commands := regexp.MustCompile("(?m)^    otisk ([^#\n]*)").FindAllStringSubmatch(text, -1)
	if len(settings) != 2 || len(commands) < 4 {
		t.Fatalf("the page has %d settings and %d commands, want 2 and at least 4", len(settings), len(commands))
	}
	want := map[string]string{"index": "indexed 4 documents", "copy": "copied 0 documents, 4 already existed", "info": "elasticsearch", "verify": "sound", "reshard": "theses-7gram: 3 shards, were 1"}
	for _, command := range commands {
		args := strings.Fields(command[1])
		if got := otisk(t, args...); !strings.Contains(got, want[args[0]]) {
			t.Errorf("otisk %s prints %q, want %q", strings.Join(args, " "), got, want[args[0]])
		}
	}
	status, _, errs := typed(t, "reshard", "--shards", "2")
	if want := "otisk: error: the index cannot get 2 shards, because their number only grows: theses-7gram has 3\n"; status != 1 || !strings.HasPrefix(errs, want) {
		t.Errorf("otisk reshard --shards 2: status %d and %q, want 1 and %q", status, errs, want)
	}
	if got := otisk(t, "search", "--format", "text", "theses/000.txt"); !strings.Contains(got, "100.0%") {
		t.Errorf("a search finds nothing of what was indexed:\n%s", got)
	}
}

// TestClusterNodesKilled kills a node while texts are indexed and one while many are searched
// for, ten times, and expects the index and the reports of an undisturbed run.
func TestClusterNodesKilled(t *testing.T) {
	need.Long(t)
	c := startCluster(t, 3)
	t.Chdir(t.TempDir())
	collection(t, 200, 60)
	t.Setenv(session.DateVariable, "1795262400") // reports on one text are the same, whenever it was indexed
	otisk(t, "index", "--index", "theses", "sources")
	want := state(t, "--index", "theses")
	var indexing, searching time.Duration
	for round := 0; round <= 10; { // round 0 without kills, for how long it takes
		config := fmt.Sprintf("round%d.xml", round)
		files.Write(t, config, fmt.Sprintf("<host>%s</host><index>round%d</index><shards>3</shards><replicas>1</replicas>",
			strings.Join(c.URLs(), " "), round))
		index := disturbed(t, c, indexing, func() {
			otisk(t, "index", "--config", config, "--commit-every", "1s", "sources")
		})
		search := disturbed(t, c, searching, func() {
			compareStates(t, fmt.Sprintf("round %d", round), state(t, "--config", config), want)
		})
		indexing, searching = index.took, search.took
		compareStates(t, fmt.Sprintf("after round %d", round), state(t, "--config", config), want)
		if got := otisk(t, "verify", "--deep", "--config", config); got != "sound\n" {
			t.Errorf("round %d: verify says %s", round, got)
		}
		t.Logf("round %d: indexing %v, searching %v, failed: %v", round, index, search, t.Failed())
		if round == 0 || index.during && search.during {
			round++
		}
		otisk(t, "clean", "--yes", "--config", config)
	}
}

// A disturbance says when a node was killed.
type disturbance struct {
	node        int
	after, took time.Duration
	during      bool // while there was work to do
}

func (d disturbance) String() string {
	took := d.took.Round(time.Millisecond)
	if d.node == 0 {
		return fmt.Sprintf("took %v", took)
	}
	return fmt.Sprintf("took %v (node %d killed after %v)", took, d.node, d.after.Round(time.Millisecond))
}

// disturbed runs do, kills a node at some moment of the time that it takes,
// starts it again within 3 s, and returns when it has rejoined. Nothing is
// killed where that time is 0.
func disturbed(t *testing.T, c *esnode.Cluster, takes time.Duration, do func()) (d disturbance) {
	t.Helper()
	begin := time.Now()
	if takes == 0 {
		do()
		d.took = time.Since(begin)
		return d
	}
	d.node, d.after = 1+rand.IntN(3), rand.N(takes)
	errs := make(chan error)
	go func() {
		time.Sleep(d.after)
		err := c.Kill(d.node - 1)
		if err == nil {
			time.Sleep(rand.N(3 * time.Second))
			err = c.Restart(d.node - 1)
		}
		errs <- err
	}()
	do()
	d.took = time.Since(begin)
	d.during = d.after < d.took
	if err := <-errs; err != nil {
		t.Fatal(err)
	}
	if err := c.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	return d
}

// TestClusterClientKilled kills indexing runs at twenty random moments, every
// other one a first load, and expects that the same command typed again leads
// to the same index as an undisturbed run, with the settings that it had.
func TestClusterClientKilled(t *testing.T) {
	need.Long(t)
	c := startCluster(t, 1)
	binary := program(t)
	t.Chdir(t.TempDir())
	collection(t, 120, 12)
	t.Setenv(session.DateVariable, "1795262400") // reports on one text are the same, whenever it was indexed
	otisk(t, "index", "--index", "theses", "sources")
	want := state(t, "--index", "theses")
	var takes time.Duration
	for kills, run := 0, 0; kills < 20; run++ { // run 0 is not killed
		name := fmt.Sprintf("run%d", run)
		index := c.URL(0) + "/" + name
		args := []string{"index", "--index", index, "--commit-every", "500ms", "sources"}
		if kills%2 == 1 {
			args = append(args, "--bulk-load")
		}
		begin := time.Now()
		after := killed(t, takes, binary, args...)
		if after == 0 { // it came to its end
			takes = time.Since(begin)
		} else {
			kills++
		}
		otisk(t, args...)
		when := fmt.Sprintf("%s killed after %v of %v", strings.Join(args[3:], " "), after.Round(time.Millisecond), takes.Round(time.Millisecond))
		compareStates(t, when, state(t, "--index", index), want)
		if got := otisk(t, "verify", "--deep", "--index", index); got != "sound\n" {
			t.Errorf("%s: verify says %s", when, got)
		}
		checkRestored(t, c.URL(0), name)
		t.Logf("kill %d: %s, failed: %v", kills, when, t.Failed())
		otisk(t, "clean", "--yes", "--index", index)
	}
}

// killed runs a program and kills it at some moment of the time that it takes.
// It returns that moment, or 0 where it was not killed: because takes is 0, or
// it was faster.
func killed(t *testing.T, takes time.Duration, program string, args ...string) (after time.Duration) {
	t.Helper()
	cmd := exec.Command(program, args...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if takes > 0 {
		after = 1 + rand.N(takes)
		timer := time.AfterFunc(after, func() { _ = cmd.Process.Kill() }) // it may have ended
		defer timer.Stop()
	}
	err := cmd.Wait()
	if takes > 0 && err != nil && cmd.ProcessState.ExitCode() < 0 {
		return after
	}
	if err != nil {
		t.Fatalf("otisk %s: %v", strings.Join(args, " "), err)
	}
	return 0
}

// checkRestored checks that nothing of a first load is left in the settings.
func checkRestored(t *testing.T, host, index string) {
	t.Helper()
	resp, err := http.Get(host + "/" + index + "-*/_settings")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var indices map[string]struct {
		Settings struct {
			Index map[string]any `json:"index"`
		} `json:"settings"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&indices); err != nil {
		t.Fatal(err)
	}
	for name, x := range indices {
		if got, want := fmt.Sprintf("%v %v", x.Settings.Index["refresh_interval"], x.Settings.Index["auto_expand_replicas"]), "<nil> 0-1"; got != want {
			t.Errorf("index %s has refresh_interval and auto_expand_replicas %s, want %s", name, got, want)
		}
	}
	if len(indices) != 4 {
		t.Errorf("%s has %d indices, want 4", index, len(indices))
	}
}

// collection writes texts into the folder sources, and texts that copied from
// them into suspects.
func collection(t *testing.T, sources, suspects int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(5, 5))
	texts := make([][]string, sources)
	for i := range texts {
		for range 500 + rng.IntN(4000) {
			texts[i] = append(texts[i], fmt.Sprintf("w%d", int(rng.ExpFloat64()*900)))
		}
		if i%4 == 3 { // one that has copied too
			texts[i] = append(texts[i], texts[i-1][100:260]...)
		}
	}
	for _, dir := range []string{"sources", "suspects"} {
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for i, words := range texts {
		writeWords(t, "sources", fmt.Sprintf("%03d.txt", i), words)
	}
	for i := range suspects {
		var words []string
		for range 10 {
			from := texts[rng.IntN(sources)]
			at := rng.IntN(len(from) - 200)
			words = append(append(words, from[at:at+20+rng.IntN(150)]...), "my", "own", fmt.Sprint("word", rng.IntN(1000)))
		}
		writeWords(t, "suspects", fmt.Sprintf("%02d.txt", i), words)
	}
}

var (
	indexNamed  = regexp.MustCompile(`(<index kind="index") name="[^"]*"`)
	sizeInBytes = regexp.MustCompile(` bytes="[0-9]+"/>`)
)

// state returns all that an index says: its documents, its sizes, and the
// reports on all suspects, without its name and the room it takes.
func state(t *testing.T, index ...string) string {
	t.Helper()
	var b bytes.Buffer
	b.WriteString(otisk(t, append([]string{"docs", "--format", "xml"}, index...)...))
	b.WriteString(sizeInBytes.ReplaceAllString(otisk(t, append([]string{"ngrams", "--format", "xml"}, index...)...), "/>"))
	dir := t.TempDir()
	otisk(t, append([]string{"search", "--format", "xml", "-o", dir, "suspects"}, index...)...)
	paths, err := filepath.Glob(filepath.Join(dir, "*.xml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(indexNamed.ReplaceAll(text, []byte("$1")))
	}
	return b.String()
}

func compareStates(t *testing.T, when, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %d bytes of lists and reports, want %d; they differ at %q", when, len(got), len(want), difference(got, want))
	}
}

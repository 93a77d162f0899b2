package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/otisk/otisk/internal/testing/esnode"
	"github.com/otisk/otisk/internal/testing/need"
	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/api"
	"github.com/otisk/otisk/serve/desk"
	"github.com/otisk/otisk/serve/work"
)

// failing returns the address of a proxy before a cluster, which refuses one request in 29.
func failing(t *testing.T, cluster string) string {
	t.Helper()
	target, err := url.Parse(cluster)
	if err != nil {
		t.Fatal(err)
	}
	var requests atomic.Int64
	proxy := httputil.NewSingleHostReverseProxy(target)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if requests.Add(1)%29 == 3 {
			w.Header().Set("X-Elastic-Product", "Elasticsearch")
			http.Error(w, "{}", http.StatusServiceUnavailable)
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// TestServeCluster does the same on a server with collections in folders and on one with collections
// in a cluster that fails at times. All answers are equal, reports byte for byte. The test waits for half a minute
// for the cluster to discard deleted documents, so it runs beside others, none of which uses the cluster.
func TestServeCluster(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a server")
	}
	t.Parallel()
	c := sharedCluster(t)
	folders := startServe(t, t.TempDir())
	want := story(folders)
	s := startServe(t, t.TempDir(), "--cluster", failing(t, c.URL(0))+"/desk")
	if got := story(s); got != want {
		at := 0
		for at < min(len(got), len(want)) && got[at] == want[at] {
			at++
		}
		t.Errorf("answers differ after %d bytes:\n…%.300s\nwant\n…%.300s", at, got[max(0, at-100):], want[max(0, at-100):])
	}
	var h desk.Health
	s.call("GET", "/health", nil, http.StatusOK, &h)
	if h.Cluster == nil || h.Cluster.Cause != "" || h.Cluster.Health == "" {
		t.Errorf("health %+v, want a cluster", h.Cluster)
	}
	if entries, err := os.ReadDir(s.data + "/collections"); err != nil || len(entries) > 0 {
		t.Errorf("folders of collections %v, %v, want none", entries, err)
	}
	if want, got := mixed(startServe(t, t.TempDir())), mixed(startServe(t, t.TempDir()), "--cluster", c.URL(0)+"/mixed"); got != want {
		t.Errorf("a check against a folder and the cluster gives a report of %d bytes, want the same %d as against two folders", len(got), len(want))
	}
	out := filepath.Join(t.TempDir(), "backup")
	if status, _, errs := typed(t, "serve", "backup", "--data", s.data, out); status != 0 || !strings.Contains(errs, "does not contain 3 collections in the cluster") {
		t.Errorf("backup: status %d, %s, want a warning of 3 collections", status, errs)
	}
	if status, _, errs := typed(t, "serve", "--data", out, "--listen", "127.0.0.1:0"); status != 1 || !strings.Contains(errs, "--cluster") {
		t.Errorf("a start of the backup without the cluster: status %d, %s, want an error that names --cluster", status, errs)
	}
	var all []desk.Collection
	s.call("GET", "/collections", nil, http.StatusOK, &all)
	for _, k := range all {
		if list, err := esnode.Call("GET", c.URL(0)+"/_cat/indices/"+k.Index+"-*?h=index", ""); err != nil || list == "" || !strings.HasPrefix(k.Index, "desk-") {
			t.Errorf("collection %s has the index %q with the parts %q, %v", k.Name, k.Index, list, err)
		}
		if left := deletedRows(t, c, k.Index); left > 0 {
			t.Errorf("the segments of collection %s have %d rows of deleted documents", k.Name, left)
		}
		s.call("DELETE", "/collections/"+k.ID, nil, http.StatusNoContent, nil)
	}
	if list, err := esnode.Call("GET", c.URL(0)+"/_cat/indices/desk-*?h=index", ""); err != nil || list != "" {
		t.Errorf("after the deletion of all collections the cluster has %q, %v", list, err)
	}
}

// TestServeClusterFlag: an address with a password, which other users could read, is refused, and so is
// one that names no cluster.
func TestServeClusterFlag(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ cluster, want string }{
		{"https://jan:geheim@es.example.org:9200/otisk", "ELASTICSEARCH_PASSWORD"},
		{"./otisk", "https://HOST:PORT/NAME"},
		{"https://es.example.org:9200", "https://HOST:PORT/NAME"},
		{"https://es.example.org:9200/Otisk", "upper-case"},
	} {
		status, _, errs := typed(t, "serve", "--data", t.TempDir(), "--cluster", tt.cluster)
		if status != statusUsage || !strings.Contains(errs, tt.want) || strings.Contains(errs, "geheim") {
			t.Errorf("--cluster %s: status %d, %s, want %d and %q", tt.cluster, status, errs, statusUsage, tt.want)
		}
	}
}

// TestServeFlags: the server does not start with a flag that is out of range.
func TestServeFlags(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ flag, want string }{
		{"--max-memory=255MB", "--max-memory: want 256MB or more"},
		{"--workers=0", "--workers 0: want 1 or more"},
		{"--second-factor=everybody", "--second-factor everybody: want reader, checker, librarian, administrator"},
		{"--base-url=https://desk.example.org/otisk", "--base-url https://desk.example.org/otisk: want http:// or https:// with a host and no path"},
		{"--base-url=ftp://desk.example.org", "want http:// or https://"},
	} {
		if status, _, errs := typed(t, "serve", "--data", t.TempDir(), "--listen", "127.0.0.1:0", tt.flag); status != statusUsage || !strings.Contains(errs, tt.want) {
			t.Errorf("%s: status %d, %s, want %d and %q", tt.flag, status, errs, statusUsage, tt.want)
		}
	}
}

// TestServeClusterKilled kills the node of a cluster while documents are added and while texts are
// checked. Everything is done once the node is back.
func TestServeClusterKilled(t *testing.T) {
	need.Long(t)
	c := startCluster(t, 1)
	s := startServe(t, t.TempDir(), "--cluster", c.URL(0)+"/desk")
	s.first()
	killed := func(after time.Duration) {
		time.Sleep(after)
		mustDo(t, c.Kill(0))
		time.Sleep(rand.N(3 * time.Second))
		mustDo(t, c.Restart(0))
		mustDo(t, c.Wait(t.Context()))
	}
	for round := range 5 {
		texts := map[string]string{}
		for i := range 60 {
			texts[fmt.Sprintf("%02d.txt", i)] = strings.Repeat(textNumber(100*round+i, 0), 20)
		}
		data, err := os.ReadFile(archive(t, "theses.zip", texts))
		mustDo(t, err)
		var made api.ID
		s.call("POST", "/collections", api.NewCollection{Name: fmt.Sprint("Theses ", round)}, http.StatusCreated, &made)
		s.upload("/collections/"+made.ID+"/documents", map[string]string{"theses.zip": string(data)}, nil, nil)
		killed(rand.N(3 * time.Second))
		var k desk.Collection
		s.untilWithin(5*time.Minute, func() bool {
			s.call("GET", "/collections/"+made.ID, nil, http.StatusOK, &k)
			return k.Pending == 0
		})
		if got := s.added(made.ID); k.Documents != 60 || got[0].State != work.Done {
			t.Errorf("round %d: %d documents, %+v, want 60", round, k.Documents, got[0])
		}
		if out := otisk(t, "verify", "--deep", "--index", c.URL(0)+"/"+k.Index); out != "sound\n" {
			t.Errorf("round %d: verify says %s", round, out)
		}
		var sub api.ID
		s.upload("/submissions", map[string]string{"theses.zip": string(data)}, []string{"collection", made.ID}, &sub)
		killed(rand.N(3 * time.Second))
		var state api.Submission
		s.untilWithin(5*time.Minute, func() bool {
			s.call("GET", "/submissions/"+sub.ID, nil, http.StatusOK, &state)
			return state.Finished
		})
		done := 0
		for _, x := range state.Checks {
			if x.State == work.Done && x.Score > 99 {
				done++
			}
		}
		if done != 60 {
			t.Errorf("round %d: %d texts are checked and found, want 60: %+v", round, done, state.Checks[0])
		}
	}
}

// deletedRows returns how many deleted rows the segments of an index have, without its catalogue, whose
// head is replaced every few seconds.
func deletedRows(t *testing.T, c *esnode.Cluster, index string) (n int) {
	t.Helper()
	var stats struct {
		Indices map[string]struct {
			Primaries struct {
				Docs struct{ Deleted int }
			}
		}
	}
	answer, err := esnode.Call("GET", c.URL(0)+"/"+index+"-*/_stats/docs", "")
	if err == nil {
		err = json.Unmarshal([]byte(answer), &stats)
	}
	if err != nil || len(stats.Indices) == 0 {
		t.Fatalf("statistics of %s: %v in %s", index, err, answer)
	}
	for name, of := range stats.Indices {
		if !strings.Contains(name, "-documents-") {
			n += of.Primaries.Docs.Deleted
		}
	}
	return n
}

// story does what users do, deletes all checks, and returns the answers, with the same ids and times
// on every server.
func story(s *testServer) string {
	s.first()
	var b strings.Builder
	get := func(path string) {
		var data []byte
		s.call("GET", path, nil, http.StatusOK, &data)
		fmt.Fprintf(&b, "%s\n%s\n", path, data)
	}
	zipped := func(name string, texts map[string]string) map[string]string {
		data, err := os.ReadFile(archive(s.t, name, texts))
		if err != nil {
			s.t.Fatal(err)
		}
		return map[string]string{name: string(data)}
	}
	essay := sample(s.t, "suspects/czech-essay.txt")
	sources := sampleSources(s.t)
	sources["broken.docx"] = "not a document"
	theses := s.collection("Theses", zipped("theses.zip", sources))
	for _, files := range []map[string]string{zipped("theses.zip", sources), {"broken.pdf": "not a document"}} {
		s.upload("/collections/"+theses+"/documents", files, nil, nil)
		s.added(theses)
	}
	var private, empty, group api.ID
	s.call("POST", "/collections", api.NewCollection{Name: "Empty"}, http.StatusCreated, &empty)
	s.call("POST", "/collections", api.NewCollection{Name: "Archive", Private: true, Contact: "jana@example.org"}, http.StatusCreated, &private)
	s.upload("/collections/"+private.ID+"/documents", map[string]string{"klandestin.txt": essay[2000:6000]}, nil, nil)
	s.added(private.ID)
	s.upload("/collections/"+private.ID+"/metadata", map[string]string{"t.csv": "path,title,year\nklandestin.txt,Obscurum,1999\n"}, nil, nil)
	s.added(private.ID)
	s.call("POST", "/groups", api.Name{Name: "Law"}, http.StatusCreated, &group)
	other := s.as("eva", accounts.Librarian, group.ID)
	var checks []desk.Check
	for _, fields := range [][]string{{"collection", theses}, {"collection", empty.ID, "collection", theses, "collection", private.ID, "exact", "true"}} {
		checks = append(checks, s.check(map[string]string{"essay.txt": essay}, fields...)...)
	}
	class := zipped("class.zip", map[string]string{"a.txt": essay[:4000], "b.txt": essay[3000:7000]})
	checks = append(checks, s.check(class, "collection", theses, "among", "true")...)
	hidden := other.check(map[string]string{"essay.txt": essay}, "collection", private.ID)[0]
	var data []byte
	other.call("GET", "/checks/"+hidden.ID+"/report", nil, http.StatusOK, &data)
	if hidden.State != work.Done || hidden.Score < 1 || strings.Contains(string(data), "klandestin") || strings.Contains(string(data), "Obscurum") {
		s.t.Errorf("the check against a private collection has the state %s, the score %v, and a report of %d bytes that should not name the source", hidden.State, hidden.Score, len(data))
	}
	other.call("DELETE", "/checks/"+hidden.ID, nil, http.StatusOK, nil)
	look := func() {
		for _, k := range []string{theses, private.ID, empty.ID} {
			for _, part := range []string{"", "/documents?limit=500", "/documents?prefix=theses.zip", "/additions", "/removals"} {
				get("/collections/" + k + part)
			}
		}
		for _, c := range checks {
			get("/checks/" + c.ID)
			get("/checks/" + c.ID + "/report")
		}
	}
	look()
	quoted := slices.Sorted(maps.Keys(s.documents(theses)))
	quoted = slices.DeleteFunc(quoted, func(name string) bool { return !strings.Contains(b.String(), `"name": "`+name+`"`) })
	s.call("DELETE", "/collections/"+theses+"/documents?name="+url.QueryEscape(quoted[0]), nil, http.StatusAccepted, nil)
	s.untilWithin(3*time.Minute, func() bool {
		var all []desk.Removal
		s.call("GET", "/collections/"+theses+"/removals", nil, http.StatusOK, &all)
		return all[0].State == work.Done
	})
	checks = append(checks, s.check(map[string]string{"essay.txt": essay}, "collection", theses, "collection", private.ID)...)
	look()
	for _, c := range checks {
		s.call("DELETE", "/checks/"+c.ID, nil, http.StatusOK, nil)
	}
	return neutral(b.String())
}

// mixed returns the report on a check against two collections. The server has the flags when the second
// one is created.
func mixed(s *testServer, flags ...string) string {
	s.first()
	essay := sample(s.t, "suspects/czech-essay.txt")
	first := s.collection("First", map[string]string{"a.txt": essay[:4000]})
	s.kill()
	s.start(flags...)
	second := s.collection("Second", map[string]string{"b.txt": essay[3000:]})
	made := s.check(map[string]string{"essay.txt": essay}, "collection", first, "collection", second)
	var data []byte
	s.call("GET", "/checks/"+made[0].ID+"/report", nil, http.StatusOK, &data)
	return neutral(string(data))
}

// neutral replaces random ids and times in answers.
func neutral(answers string) string {
	ids := map[string]string{}
	answers = regexp.MustCompile(`\b[a-z2-7]{26}\b`).ReplaceAllStringFunc(answers, func(id string) string {
		if ids[id] == "" {
			ids[id] = fmt.Sprintf("id-%d", len(ids))
		}
		return ids[id]
	})
	for i, found := range regexp.MustCompile(`deleted document ([0-9a-f]{8})`).FindAllStringSubmatch(answers, -1) { // a random id
		answers = regexp.MustCompile(found[1]+`[0-9a-f]*`).ReplaceAllString(answers, fmt.Sprint("deleted-", i))
	}
	answers = regexp.MustCompile(`,"index":"desk-[^"]*"`).ReplaceAllString(answers, "")
	return regexp.MustCompile(`"(created|finished|changed)":"[^"]*"`).ReplaceAllString(answers, `"$1":""`)
}

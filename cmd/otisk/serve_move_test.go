package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/otisk/otisk/internal/testing/esnode"
	"github.com/otisk/otisk/serve/desk"
	"github.com/otisk/otisk/serve/work"
)

// testServeMove moves a collection from the folder into the cluster and back. Documents with their
// metadata, reports and new checks are equal everywhere, and nothing is left at the former place.
func testServeMove(t *testing.T, c *esnode.Cluster) {
	cluster := []string{"--cluster", c.URL(0) + "/moved"}
	s := startServe(t, t.TempDir())
	s.first()
	essay := map[string]string{"essay.txt": sample(t, "suspects/czech-essay.txt")}
	theses := s.collection("Theses", sampleSources(t))
	s.upload("/collections/"+theses+"/metadata", map[string]string{"t.csv": "path,title,year\nnemcova-babicka.txt,Babička,1855\n"}, nil, nil)
	s.added(theses)
	check := func() string {
		var data []byte
		s.call("GET", "/checks/"+s.check(essay, "collection", theses)[0].ID+"/report", nil, http.StatusOK, &data)
		return neutral(string(data)) + fmt.Sprint(s.documents(theses))
	}
	move := func(flags ...string) (int, string) {
		status, _, errs := typed(t, slices.Concat([]string{"serve", "move", "--data", s.data}, cluster, flags)...)
		return status, errs
	}
	want := check()
	if status, errs := move("Theses"); status == 0 || !strings.Contains(errs, "another otisk serve is using") {
		t.Errorf("a move while the server runs: status %d, %s, want a refusal", status, errs)
	}
	s.kill()
	if status, errs := move("Books"); status == 0 || !strings.Contains(errs, "Books: not found") {
		t.Errorf("a move of an unknown collection: status %d, %s, want a refusal", status, errs)
	}
	folder := filepath.Join(s.data, "collections", theses)
	for _, tt := range []struct {
		flags  []string
		folder bool
	}{{nil, false}, {[]string{"--to-folder"}, true}, {nil, false}} {
		if status, errs := move(append(tt.flags, "Theses")...); status != 0 {
			t.Fatalf("move %s: status %d, %s", tt.flags, status, errs)
		}
		if status, errs := move(append(tt.flags, "Theses")...); status == 0 || !strings.Contains(errs, "is there already") {
			t.Errorf("the same move again: status %d, %s, want a refusal", status, errs)
		}
		s.start(cluster...)
		if got := check(); got != want {
			t.Errorf("after move %s, a check and the documents have %d bytes, want the same %d", tt.flags, len(got), len(want))
		}
		if _, err := os.Stat(folder); (err == nil) != tt.folder {
			t.Errorf("after move %s: the folder: %v", tt.flags, err)
		}
		s.until(func() bool {
			list, err := esnode.Call("GET", c.URL(0)+"/_cat/indices/moved-*?h=index", "")
			return err == nil && (list == "") == tt.folder
		})
		s.kill()
	}
}

// testServeSnapshot loses the data folder and the indices of a server, and restores both as the manual
// says: from a backup of the folder and a later snapshot of the cluster. Reports are equal, also that of
// a text which is checked again, and documents can be added.
func testServeSnapshot(t *testing.T, c *esnode.Cluster) {
	call := func(method, path, body string) string {
		t.Helper()
		answer, err := esnode.Call(method, c.URL(0)+path, body)
		mustDo(t, err)
		return answer
	}
	cluster := []string{"--cluster", c.URL(0) + "/kept"}
	s := startServe(t, t.TempDir(), cluster...)
	s.first()
	essay := map[string]string{"essay.txt": sample(t, "suspects/czech-essay.txt")}
	theses := s.collection("Theses", sampleSources(t))
	report := func(s *testServer, check string) (data []byte) {
		s.call("GET", "/checks/"+check+"/report", nil, http.StatusOK, &data)
		return data
	}
	checked := s.check(essay, "collection", theses)[0]
	want, documents := report(s, checked.ID), fmt.Sprint(s.documents(theses))

	out := filepath.Join(t.TempDir(), "backup")
	if status, _, errs := typed(t, "serve", "backup", "--data", s.data, out); status != 0 || !strings.Contains(errs, "1 collection in the cluster") {
		t.Fatalf("backup: status %d, %s", status, errs)
	}
	call("PUT", "/_snapshot/otisk", fmt.Sprintf(`{"type": "fs", "settings": {"location": %q}}`, t.TempDir()))
	call("PUT", "/_snapshot/otisk/monday?wait_for_completion=true", `{"indices": "kept-*", "include_global_state": false}`)
	s.kill()
	mustDo(t, os.RemoveAll(s.data))
	for _, index := range strings.Fields(call("GET", "/_cat/indices/kept-*?h=index", "")) {
		call("DELETE", "/"+index, "")
	}

	copied := startServe(t, out, cluster...)
	copied.client = s.client
	copied.call("GET", "/collections/"+theses+"/documents", nil, http.StatusServiceUnavailable, nil) // and never an empty list
	copied.kill()
	call("POST", "/_snapshot/otisk/monday/_restore?wait_for_completion=true", `{"indices": "kept-*", "include_global_state": false}`)
	call("DELETE", "/_snapshot/otisk", "")
	copied.start(cluster...)
	if got := fmt.Sprint(copied.documents(theses)); got != documents {
		t.Errorf("the restored collection has %s, want %s", got, documents)
	}
	if got := report(copied, checked.ID); string(got) != string(want) {
		t.Errorf("the report has %d bytes, want the %d before", len(got), len(want))
	}
	again := copied.check(essay, "collection", theses)[0]
	if got := report(copied, again.ID); neutral(string(got)) != neutral(string(want)) {
		t.Errorf("the report on the text, checked again, has %d bytes, want the %d before", len(got), len(want))
	}
	copied.upload("/collections/"+theses+"/documents", map[string]string{"new.txt": essay["essay.txt"]}, nil, nil)
	if got := copied.added(theses); got[0].State != work.Done || got[0].Added != 1 {
		t.Errorf("an addition after the restore: %+v", got[0])
	}
	var k desk.Collection
	copied.call("GET", "/collections/"+theses, nil, http.StatusOK, &k)
	if out := otisk(t, "verify", "--index", c.URL(0)+"/"+k.Index); out != "sound\n" {
		t.Errorf("verify says %s", out)
	}
}

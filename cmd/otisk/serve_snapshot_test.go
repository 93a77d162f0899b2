package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/otisk/otisk/internal/testing/esnode"
	"github.com/otisk/otisk/serve/desk"
	"github.com/otisk/otisk/serve/work"
)

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

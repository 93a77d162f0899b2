package main

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/otisk/otisk/serve/api"
	"github.com/otisk/otisk/serve/desk"
	"github.com/otisk/otisk/serve/storage"
	"github.com/otisk/otisk/serve/work"
	"github.com/otisk/otisk/store"
)

// changeData changes the database of a server while it is stopped.
func (s *testServer) changeData(query string, args ...any) {
	s.t.Helper()
	f, err := storage.Open(s.t.Context(), s.data, storage.Options{})
	if err != nil {
		s.t.Fatal(err)
	}
	err = f.Write(s.t.Context(), func(tx *storage.Tx) { tx.Exec(query, args...) })
	if closed := f.Close(); err != nil || closed != nil {
		s.t.Fatal(err, closed)
	}
}

// TestServeForgotten deletes documents that came from a folder, a repository and a feed, some by hand
// and one because its time has come. Their sources do not add them again: neither under another name,
// nor with other text under the same name. A user can.
func TestServeForgotten(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	theses := filepath.Join(dir, "theses")
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(theses, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(theses, 0o755); err != nil {
		t.Fatal(err)
	}
	for i, name := range []string{"novak.txt", "old.txt", "kept.txt"} {
		write(name, textNumber(20+i, 0))
	}
	address, host := repositoryOf(t, 2)
	news := newsOf(t)
	flags := []string{"--folder-root", dir, "--allow-host", host, "--allow-host", strings.TrimPrefix(news.URL, "http://")}
	s := startServe(t, filepath.Join(dir, "data"), flags...)
	s.first()
	var made api.ID
	s.call("POST", "/collections", api.NewCollection{Name: "Theses"}, http.StatusCreated, &made)
	var sources []string
	for _, source := range []api.NewSource{{Kind: work.FolderSource, Address: theses}, {Kind: work.OAISource, Address: address}, {Kind: work.FeedSource, Address: news.URL + "/feed"}} {
		var id api.ID
		s.call("POST", "/collections/"+made.ID+"/sources", source, http.StatusAccepted, &id)
		sources = append(sources, id.ID)
		if x := s.added(made.ID)[0]; x.State != work.Done || x.Added == 0 {
			t.Fatalf("%s: %+v", source.Kind, x)
		}
	}
	all := s.documents(made.ID)
	if len(all) != 6 {
		t.Fatalf("documents %v, want 6", all)
	}
	kept := map[string]bool{"theses/kept.txt": true}
	gone := url.Values{}
	for name := range all {
		switch {
		case strings.HasPrefix(name, "theses/"):
		case strings.Contains(name, "oai") && len(kept) == 1:
			kept[name] = true
		default:
			gone.Add("name", name)
		}
	}
	gone.Add("name", "theses/novak.txt")
	s.call("DELETE", "/collections/"+made.ID+"/documents?"+gone.Encode(), nil, http.StatusAccepted, nil)
	if r := s.removed(made.ID); r.State != work.Done || r.Documents != 3 {
		t.Fatalf("removal %+v, want 3 documents", r)
	}
	s.call("PUT", "/collections/"+made.ID+"/keep", api.Keep{Days: 30}, http.StatusNoContent, nil)
	s.until(func() bool { // the documents are listed
		var c desk.Collection
		s.call("GET", "/collections/"+made.ID, nil, http.StatusOK, &c)
		return !c.Expires.IsZero()
	})
	s.kill()
	s.changeData(`UPDATE collections SET keep_set = keep_set - ?`, 31*24*time.Hour.Milliseconds())
	s.changeData(`UPDATE document_times SET added = added - ? WHERE document = ?`, 31*24*time.Hour.Milliseconds(), int64(store.IDOf("", "theses/old.txt")))
	s.start(flags...)
	s.until(func() bool { return len(s.documents(made.ID)) == 2 })
	if r := s.removed(made.ID); r.State != work.Done || r.Documents != 1 || r.By != "" {
		t.Errorf("removal %+v, want one document by the server", r)
	}
	write("renamed.txt", textNumber(20, 0))
	write("novak.txt", textNumber(30, 0))
	write("fresh.txt", textNumber(31, 0))
	kept["theses/fresh.txt"] = true
	for _, id := range sources {
		s.call("POST", "/sources/"+id+"/run", nil, http.StatusNoContent, nil)
		if x := s.added(made.ID)[0]; x.State != work.Done || len(x.Skipped) > 0 {
			t.Errorf("run after the deletion: %+v, want it done, and no names of deleted documents", x)
		}
	}
	for name := range s.documents(made.ID) {
		if !kept[name] {
			t.Errorf("%s is in the collection again", name)
		}
		delete(kept, name)
	}
	if len(kept) > 0 {
		t.Errorf("the collection lacks %v", kept)
	}
	s.upload("/collections/"+made.ID+"/documents", map[string]string{"back.txt": textNumber(20, 0)}, nil, nil)
	if x := s.added(made.ID)[0]; x.Added != 1 {
		t.Errorf("a deleted document that a user adds: %+v", x)
	}
}

package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/otisk/otisk/serve/api"
	"github.com/otisk/otisk/serve/desk"
	"github.com/otisk/otisk/serve/work"
)

// added waits for the additions to a collection and returns them, the latest first.
func (s *testServer) added(collection string) []desk.Addition {
	s.t.Helper()
	var list []desk.Addition
	s.until(func() bool {
		s.call("GET", "/collections/"+collection+"/additions", nil, http.StatusOK, &list)
		for _, x := range list {
			if x.State == work.Queued || x.State == work.Running {
				return false
			}
		}
		return true
	})
	return list
}

// documents returns the documents of a collection, by name.
func (s *testServer) documents(collection string) map[string]desk.Document {
	s.t.Helper()
	var list []desk.Document
	s.call("GET", "/collections/"+collection+"/documents?limit=500", nil, http.StatusOK, &list)
	all := map[string]desk.Document{}
	for _, d := range list {
		all[d.Name] = d
	}
	return all
}

// TestServeFolder fills a collection from a folder on the server, which changes, and describes its
// documents by a table and by hand.
func TestServeFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	root := filepath.Join(dir, "archive")
	theses := filepath.Join(root, "theses")
	write := func(path, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text := sample(t, "suspects/czech-essay.txt")
	write(filepath.Join(theses, "2024/novak.txt"), text)
	write(filepath.Join(theses, "broken.pdf"), "%PDF-1.7 and no more")
	write(filepath.Join(theses, ".hidden/secret.txt"), text)
	write(filepath.Join(dir, "private/secret.txt"), text)
	if err := os.Symlink(filepath.Join(dir, "private"), filepath.Join(theses, "link")); err != nil {
		t.Skip(err)
	}
	s := startServe(t, filepath.Join(dir, "data"), "--folder-root", root)
	s.first()
	var made, source api.ID
	s.call("POST", "/collections", api.NewCollection{Name: "Theses"}, http.StatusCreated, &made)
	for _, path := range []string{filepath.Join(dir, "private"), dir, filepath.Join(theses, "link"), filepath.Join(root, "../private"), "theses", filepath.Join(theses, "broken.pdf"), ""} {
		s.call("POST", "/collections/"+made.ID+"/sources", api.NewSource{Kind: work.FolderSource, Address: path}, http.StatusUnprocessableEntity, nil)
	}
	s.call("POST", "/collections/"+made.ID+"/sources", api.NewSource{Kind: work.FolderSource, Address: theses, Hours: 1}, http.StatusAccepted, &source)
	list := s.added(made.ID)
	if len(list) != 1 || list[0].State != work.Done || list[0].Added != 1 || len(list[0].Skipped) != 1 || list[0].Skipped[0].Path != "theses/broken.pdf" {
		t.Fatalf("additions %+v, want one with a document, and a file that was skipped", list)
	}
	if got := s.documents(made.ID); len(got) != 1 || got["theses/2024/novak.txt"].Words == 0 {
		t.Fatalf("documents %v, want theses/2024/novak.txt", got)
	}
	write(filepath.Join(theses, "2024/novak.txt"), text+" And one more sentence.")
	write(filepath.Join(theses, "2025/dvorak.txt"), sample(t, "suspects/california-code-1851.txt"))
	s.call("POST", "/sources/"+source.ID+"/run", nil, http.StatusNoContent, nil)
	if list = s.added(made.ID); list[0].Added != 2 || len(s.documents(made.ID)) != 2 {
		t.Errorf("additions %+v, want a changed and a new document", list)
	}
	s.call("POST", "/sources/"+source.ID+"/run", nil, http.StatusNoContent, nil)
	if list = s.added(made.ID); list[0].Added != 0 || list[0].Unchanged != 2 {
		t.Errorf("additions %+v, want two documents unchanged", list)
	}
	s.upload("/collections/"+made.ID+"/metadata", map[string]string{"table.csv": "path,title,autor,rok,faculty\ntheses/2024/novak.txt,On copying,J. Novák,2024,law\nnobody.txt,Nothing,,,\n"}, nil, nil)
	list = s.added(made.ID)
	if list[0].Kind != "table" || list[0].Added != 1 || len(list[0].Skipped) != 1 || list[0].Skipped[0].Path != "nobody.txt" {
		t.Errorf("additions %+v, want metadata of one document, and a row without one", list)
	}
	s.call("PUT", "/collections/"+made.ID+"/metadata", desk.Metadata{Name: "theses/2024/novak.txt", Title: `On "copying", again`, Labels: map[string]string{"level": "master"}}, http.StatusAccepted, nil)
	s.added(made.ID)
	if d := s.documents(made.ID)["theses/2024/novak.txt"]; d.Title != `On "copying", again` || d.Author != "J. Novák" || d.Year != 2024 || d.Labels["faculty"] != "law" || d.Labels["level"] != "master" {
		t.Errorf("the document is described as %+v", d)
	}
	s.call("PUT", "/collections/"+made.ID+"/metadata", desk.Metadata{Name: "nobody.txt", Title: "Nothing"}, http.StatusNotFound, nil)
	s.call("DELETE", "/sources/"+source.ID, nil, http.StatusNoContent, nil)
	if got := len(s.documents(made.ID)); got != 2 {
		t.Errorf("after the source was deleted there are %d documents, want 2", got)
	}
}

// newsOf serves a feed at /feed with one article.
func newsOf(t *testing.T) *httptest.Server {
	site := http.NewServeMux()
	news := httptest.NewServer(site)
	t.Cleanup(news.Close)
	site.HandleFunc("/feed", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `<?xml version="1.0"?><rss version="2.0"><channel><title>News</title><item><title>Article</title><link>%s/a.html</link></item></channel></rss>`, news.URL)
	})
	site.HandleFunc("/a.html", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, "<html><title>Article</title><body><article><h1>Article</h1><p>%s</p></article></body></html>", textNumber(7, 0))
	})
	return news
}

// TestServeHarvest fills collections from a repository and a feed. Neither is read in the network of
// the server unless the administrator allows it.
func TestServeHarvest(t *testing.T) {
	t.Parallel()
	address, host := repositoryOf(t, 1)
	news := newsOf(t)
	data := filepath.Join(t.TempDir(), "data")
	s := startServe(t, data)
	s.first()
	fill := func(name, kind, address string) desk.Addition {
		t.Helper()
		var made api.ID
		s.call("POST", "/collections", api.NewCollection{Name: name}, http.StatusCreated, &made)
		s.call("POST", "/collections/"+made.ID+"/sources", api.NewSource{Kind: kind, Address: address}, http.StatusAccepted, nil)
		x := s.added(made.ID)[0]
		if x.State == work.Done && x.Added != len(s.documents(made.ID)) {
			t.Errorf("%s has %d documents, want %d", name, len(s.documents(made.ID)), x.Added)
		}
		return x
	}
	if x := fill("Closed", work.OAISource, address); x.State != work.Failed || x.Added != 0 || x.Reason == "" {
		t.Errorf("a repository in the network of the server: %+v, want it refused", x)
	}
	if x := fill("Closed news", work.FeedSource, news.URL+"/feed"); x.State != work.Failed || x.Added != 0 || x.Reason == "" {
		t.Errorf("a feed in the network of the server: %+v, want it refused", x)
	}
	s.kill()
	s.start("--allow-host", host, "--allow-host", strings.TrimPrefix(news.URL, "http://"))
	if x := fill("Theses", work.OAISource, address); x.State != work.Done || x.Added != 1 {
		t.Errorf("a repository: %+v, want one document", x)
	}
	if x := fill("News", work.FeedSource, news.URL+"/feed"); x.State != work.Done || x.Added != 1 {
		t.Errorf("a feed: %+v, want one article", x)
	}
}

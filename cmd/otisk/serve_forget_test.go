package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/otisk/otisk/report"
	"github.com/otisk/otisk/serve/desk"
	"github.com/otisk/otisk/serve/storage"
	"github.com/otisk/otisk/serve/work"
)

// holding returns the files of a data folder that contain a text of lower-case ASCII letters in any case, as bytes or
// in a file of a zip archive.
func (s *testServer) holding(text string) (list []string) {
	s.t.Helper()
	err := filepath.WalkDir(s.data, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		content := data
		if z, err := zip.NewReader(bytes.NewReader(data), int64(len(data))); err == nil {
			for _, f := range z.File {
				member, err := fs.ReadFile(z, f.Name)
				if err != nil {
					return err
				}
				content = slices.Concat(content, []byte(f.Name), member)
			}
		}
		for i, c := range content { // bytes.ToLower takes ten times as long for bytes that are not UTF-8
			if 'A' <= c && c <= 'Z' {
				content[i] = c + 'a' - 'A'
			}
		}
		if bytes.Contains(content, []byte(text)) {
			name, _ := filepath.Rel(s.data, path)
			list = append(list, name)
		}
		return nil
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return list
}

// sizes returns the sizes of the files of a collection that depend on its documents, sorted.
func (s *testServer) sizes(collection string) (list []int64) {
	s.t.Helper()
	entries, err := os.ReadDir(filepath.Join(s.data, storage.Collections, collection))
	if err != nil {
		s.t.Fatal(err)
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "texts-") || strings.HasPrefix(e.Name(), "segment-") {
			info, err := e.Info()
			if err != nil {
				s.t.Fatal(err)
			}
			list = append(list, info.Size())
		}
	}
	slices.Sort(list)
	return list
}

func (s *testServer) report(check string) *report.Report {
	s.t.Helper()
	var data []byte
	s.call("GET", "/checks/"+check+"/report?decided=true", nil, http.StatusOK, &data)
	r, err := report.ReadJSON(bytes.NewReader(data))
	if err != nil {
		s.t.Fatal(err)
	}
	return r
}

// removed waits for the deletions of documents from a collection, and returns the latest.
func (s *testServer) removed(collection string) (latest desk.Removal) {
	s.t.Helper()
	s.until(func() bool {
		var all []desk.Removal
		s.call("GET", "/collections/"+collection+"/removals", nil, http.StatusOK, &all)
		latest = all[0]
		return !latest.Finished.IsZero() || latest.State == work.Failed
	})
	return latest
}

// TestServeDeleteDocument deletes a document that a report quotes. No file of the data folder contains
// its text or its name any more, and the index is as large as one that never had it. The report keeps
// its figures, and decisions on the document count.
func TestServeDeleteDocument(t *testing.T) {
	t.Parallel()
	s := startServe(t, t.TempDir())
	s.first()
	rng := rand.New(rand.NewPCG(5, 5))
	others := map[string]string{"other.txt": manyWords(rng), "third.txt": manyWords(rng)}
	copied := manyWords(rng)
	id := s.collection("Theses", others)
	s.upload("/collections/"+id+"/documents", map[string]string{"novakova-quixotry.txt": "Begins with floccinaucin " + copied + " and ends with honorificab"}, nil, nil)
	zipped, err := os.ReadFile(archive(t, "others.zip", others)) // in one commit
	if err != nil {
		t.Fatal(err)
	}
	fresh := s.collection("Fresh", map[string]string{"others.zip": string(zipped)})
	s.until(func() bool {
		var c desk.Collection
		s.call("GET", "/collections/"+id, nil, http.StatusOK, &c)
		return c.Documents == 3
	})
	check := s.check(map[string]string{"essay.txt": manyWords(rng) + copied}, "collection", id)[0].ID
	further := s.check(map[string]string{"essay.txt": manyWords(rng) + copied}, "collection", fresh, "collection", id)[0].ID
	before := s.report(check)
	if len(before.Sources) != 1 || len(before.Passages) == 0 {
		t.Fatalf("the report has %d sources and %d passages, want one source", len(before.Sources), len(before.Passages))
	}
	d := report.Decisions{Kind: "decisions", Format: report.Version, Sources: []report.SourceDecision{{ID: before.Sources[0].ID, Name: before.Sources[0].Name, Reason: "own"}}}
	d.Suspect.Bytes, d.Suspect.Words = before.Suspect.Bytes, before.Suspect.Words
	s.call("PUT", "/checks/"+check+"/decisions", d, http.StatusOK, nil)
	for _, text := range []string{"floccinaucin", "novakova-quixotry"} {
		if len(s.holding(text)) == 0 {
			t.Fatalf("no file contains %q before the deletion", text)
		}
	}
	name := url.QueryEscape("novakova-quixotry.txt")
	s.call("DELETE", "/collections/"+id+"/documents?name="+name+"&name=unknown.txt", nil, http.StatusNotFound, nil)
	s.call("DELETE", "/collections/"+id+"/documents?name="+name, nil, http.StatusAccepted, nil)
	if r := s.removed(id); r.State != work.Done || r.Documents != 1 || r.Reports != 2 || r.By != "admin" {
		t.Errorf("removal %+v, want 1 document and 2 reports by admin", r)
	}
	if r := s.report(further); len(r.Sources) != 1 || !strings.HasPrefix(r.Sources[0].Name, report.ForgottenName) {
		t.Errorf("the report on two collections has the sources %+v", r.Sources)
	}
	for _, text := range []string{"floccinaucin", "honorificab", "novakova-quixotry", before.Sources[0].ID} {
		if files := s.holding(text); len(files) > 0 {
			t.Errorf("%q is still in %v", text, files)
		}
	}
	if got, want := s.sizes(id), s.sizes(fresh); !slices.Equal(got, want) {
		t.Errorf("files of the index have the sizes %d, and %d if the document had never been there", got, want)
	}
	after := s.report(check)
	if len(after.Sources) != 1 || !strings.HasPrefix(after.Sources[0].Name, report.ForgottenName) || after.Sources[0].Covered != before.Sources[0].Covered || len(after.Passages) != len(before.Passages) ||
		after.Score.Percent != before.Score.Percent || len(after.Notes) != 1 || after.Review == nil || after.Final().Percent != 0 {
		t.Errorf("the report has sources %+v, score %v, after decisions %v, notes %v; want the figures of before, %v, and 0 after decisions", after.Sources, after.Score.Percent, after.Final().Percent, after.Notes, before.Score.Percent)
	}
	if again := s.check(map[string]string{"essay.txt": copied}, "collection", id); again[0].Score != 0 {
		t.Errorf("a check after the deletion has the score %v, want 0", again[0].Score)
	}
	s.sameDocuments(id, []string{"other.txt", "third.txt"})
}

// TestServeDeleteCheck deletes a text of a class whose texts were checked against each other. No file
// contains a word of it: neither the uploaded archive, nor the report on the text that it was copied
// into.
func TestServeDeleteCheck(t *testing.T) {
	t.Parallel()
	s := startServe(t, t.TempDir())
	s.first()
	rng := rand.New(rand.NewPCG(6, 6))
	id := s.collection("Theses", map[string]string{"other.txt": manyWords(rng)})
	copied := manyWords(rng)
	data, err := os.ReadFile(archive(t, "class.zip", map[string]string{"eva-floccinaucin.txt": "A honorificab " + copied, "petr.txt": manyWords(rng) + copied, "jana.txt": manyWords(rng)}))
	if err != nil {
		t.Fatal(err)
	}
	checks := map[string]desk.Check{}
	for _, c := range s.check(map[string]string{"class.zip": string(data)}, "collection", id, "among", "true") {
		checks[strings.TrimPrefix(c.Path, "class.zip!/")] = c
	}
	eva := checks["eva-floccinaucin.txt"]
	if eva.ID == "" {
		t.Fatalf("checks = %+v, want three texts", checks)
	}
	s.call("POST", "/checks/"+eva.ID+"/links", desk.NewShare{For: "honorificab", Days: 3}, http.StatusCreated, nil)
	before := s.report(checks["petr.txt"].ID)
	var gone desk.Deleted
	s.call("DELETE", "/checks/"+eva.ID, nil, http.StatusOK, &gone)
	if want := (desk.Deleted{State: desk.Removed, Checks: 1, Report: true, Links: 1, Quoting: 1, File: true}); gone != want {
		t.Errorf("deleted %+v, want %+v", gone, want)
	}
	for _, text := range []string{"honorificab", "floccinaucin"} {
		if files := s.holding(text); len(files) > 0 {
			t.Errorf("%q is still in %v", text, files)
		}
	}
	if after := s.report(checks["petr.txt"].ID); after.Score.Percent != before.Score.Percent || after.Score.Percent == 0 {
		t.Errorf("the report on the copy has the score %v, want %v", after.Score.Percent, before.Score.Percent)
	}
	for i, name := range []string{"petr.txt", "jana.txt"} {
		s.call("DELETE", "/checks/"+checks[name].ID, nil, http.StatusOK, &gone)
		if files, err := os.ReadDir(filepath.Join(s.data, storage.Files)); err != nil || len(files) != 1-i {
			t.Errorf("after the deletion of %s there are %d files, %v", name, len(files), err)
		}
	}
}

// TestServeDeleteKilled kills the server while it deletes documents: each deletion that was
// acknowledged is done after the next start.
func TestServeDeleteKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("kills processes for some seconds")
	}
	t.Parallel()
	s := startServe(t, t.TempDir())
	s.first()
	rng := rand.New(rand.NewPCG(7, 7))
	files, essay := map[string]string{}, ""
	for i := range 4 {
		copied := manyWords(rng)
		files[fmt.Sprintf("doc%d.txt", i)] = fmt.Sprintf("starts floccinaucin%d %s", i, copied)
		essay += copied
	}
	id := s.collection("Theses", files)
	check := s.check(map[string]string{"essay.txt": essay}, "collection", id)[0].ID
	for i := range 4 {
		s.call("DELETE", fmt.Sprintf("/collections/%s/documents?name=doc%d.txt", id, i), nil, http.StatusAccepted, nil)
		if i < 3 {
			s.kill()
			s.start()
		}
	}
	s.until(func() bool {
		var all []desk.Removal
		s.call("GET", "/collections/"+id+"/removals", nil, http.StatusOK, &all)
		return !slices.ContainsFunc(all, func(r desk.Removal) bool { return r.Finished.IsZero() })
	})
	s.sameDocuments(id, nil)
	if files := s.holding("floccinaucin"); len(files) > 0 {
		t.Errorf("texts are still in %v", files)
	}
	r := s.report(check)
	for _, source := range r.Sources {
		if !strings.HasPrefix(source.Name, report.ForgottenName) || len(source.Excerpts) > 0 {
			data, _ := json.Marshal(source)
			t.Errorf("the report has %s", data)
		}
	}
}

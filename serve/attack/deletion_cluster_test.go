package attack

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/otisk/otisk/internal/testing/esnode"
	"github.com/otisk/otisk/internal/testing/need"
	"github.com/otisk/otisk/serve/api"
	"github.com/otisk/otisk/serve/desk"
)

// TestDeletionCluster: a deleted document of a collection in a cluster is neither in an entry of any index nor
// in a file of the node: names, texts, also compressed and encoded, and terms. The document beside it is.
func TestDeletionCluster(t *testing.T) {
	need.Long(t)
	files := t.TempDir()
	c, err := esnode.Start(t.Context(), esnode.Elasticsearch9, esnode.Options{Settings: []string{"path.data=" + files}})
	if errors.Is(err, esnode.ErrMissing) {
		need.Skip(t, err.Error())
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	t.Setenv(clusterVariable, c.URL(0))
	s := startDeletion(t, t.TempDir())
	id := s.collection()
	pairs := deletionClass(4)
	pairs = append(pairs, "Nov\xa0kov\xa0.txt", "texti4q "+deletionFiller(4)) // CP852
	s.upload("/collections/"+id+"/documents", "class.zip", deletionZip(t, pairs...))
	s.idle()
	names := func() (list []string) {
		t.Helper()
		var documents []desk.Document
		s.must("GET", "/collections/"+id+"/documents", nil, &documents)
		for _, d := range documents {
			list = append(list, d.Name)
		}
		return list
	}
	if got := names(); len(got) != 6 {
		t.Fatalf("documents %q, want 6", got)
	}
	before := clusterForms(t, c.URL(0), files)
	for _, word := range []string{"texti0q", "namei0q", "texti4q", "Novákov", "texti3q"} {
		if len(before.holding(word)) == 0 {
			t.Fatalf("%q is nowhere in the cluster before its deletion", word)
		}
	}
	deleted := []string{"namei0q.txt", "namei1q.txt", "Nováková.txt"}
	s.must("DELETE", "/collections/"+id+"/documents?"+url.Values{"name": deleted}.Encode(), nil, new(api.ID))
	s.idle()
	if got, want := fmt.Sprint(names()), "[first.txt namei2q.txt namei3q.txt]"; got != want {
		t.Errorf("documents %s after the deletion, want %s", got, want)
	}
	after := clusterForms(t, c.URL(0), files)
	for _, word := range []string{"texti0q", "namei0q", "texti1q", "namei1q", "texti4q", "Novákov"} {
		if where := after.holding(word); len(where) > 0 {
			t.Errorf("%q is still in %v", word, where)
		}
	}
	for _, word := range []string{"texti2q", "namei2q", "texti3q"} {
		if len(after.holding(word)) == 0 {
			t.Errorf("%q is nowhere in the cluster, but was not deleted", word)
		}
	}
	s.gone("texti0q", "namei0q", "texti4q", "Novákov") // the data folder
}

// clusterContent is all that a cluster has, by place: entries of indexes, and files of its node.
type clusterContent map[string]string

// holding returns the places that have a word: as it is, or in hexadecimal, as names are.
func (c clusterContent) holding(word string) (places []string) {
	for place, content := range c {
		if strings.Contains(content, word) || strings.Contains(content, hex.EncodeToString([]byte(word))) {
			places = append(places, place)
		}
	}
	return places
}

// clusterForms reads the entries of all indexes of a cluster, with what is compressed in them, and the files of its
// node.
func clusterForms(t *testing.T, address, files string) clusterContent {
	t.Helper()
	c := clusterContent{}
	call := func(path string, out any) {
		t.Helper()
		answer, err := esnode.Call(http.MethodGet, address+path, "")
		if err == nil {
			err = json.Unmarshal([]byte(answer), out)
		}
		if err != nil {
			t.Fatalf("GET %s: %v", path, err)
		}
	}
	var found struct {
		Hits struct {
			Hits []struct {
				Index  string          `json:"_index"`
				ID     string          `json:"_id"`
				Source json.RawMessage `json:"_source"`
			} `json:"hits"`
		} `json:"hits"`
	}
	call("/_all/_search?size=10000&stored_fields=*&_source=true&expand_wildcards=all", &found)
	if len(found.Hits.Hits) == 0 || len(found.Hits.Hits) == 10_000 {
		t.Fatalf("%d entries, want some, and all", len(found.Hits.Hits))
	}
	for _, hit := range found.Hits.Hits {
		var text struct {
			Z string `json:"z"` // compressed
		}
		content := string(hit.Source)
		if err := json.Unmarshal(hit.Source, &text); err == nil && text.Z != "" {
			content += unpacked(t, text.Z)
		}
		c[hit.Index+"/"+hit.ID] = content
	}
	err := filepath.WalkDir(files, func(path string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) || err == nil && !e.Type().IsRegular() {
			return nil
		}
		data, rerr := os.ReadFile(path)
		if err = errors.Join(err, rerr); errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		c[path] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(c) < len(found.Hits.Hits)+10 {
		t.Fatalf("%d places for %d entries: the files of the node are elsewhere", len(c), len(found.Hits.Hits))
	}
	return c
}

// unpacked returns a part of a text.
func unpacked(t *testing.T, z string) string {
	t.Helper()
	data, err := base64.StdEncoding.DecodeString(z)
	if err != nil {
		t.Fatal(err)
	}
	r, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	text, err := r.DecodeAll(data, nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

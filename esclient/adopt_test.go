package esclient_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/otisk/otisk/esclient"
	"github.com/otisk/otisk/store"
)

// restored copies the indices of from as a snapshot is restored under another name: with the
// aliases of the original.
func restored(t *testing.T, from esclient.Config) (copied esclient.Config) {
	t.Helper()
	host, copied := from.Hosts[0], config(t, from.Hosts...)
	var indices map[string]struct {
		Aliases json.RawMessage `json:"aliases"`
	}
	if err := json.Unmarshal([]byte(call(t, host, "GET", "/"+from.Index+"-*/_alias", "")), &indices); err != nil {
		t.Fatal(err)
	}
	for name, info := range indices {
		call(t, host, "PUT", "/"+name+"/_settings", `{"index.blocks.write": true}`)
		call(t, host, "PUT", "/"+name+"/_clone/"+copied.Index+strings.TrimPrefix(name, from.Index),
			fmt.Sprintf(`{"settings": {"index.blocks.write": null}, "aliases": %s}`, info.Aliases))
		call(t, host, "PUT", "/"+name+"/_settings", `{"index.blocks.write": null}`)
	}
	return copied
}

func numberOfDocuments(t *testing.T, cfg esclient.Config) int64 {
	t.Helper()
	info, err := open(t, cfg).Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return info.Documents
}

// TestRestoredBeside restores a copy beside an index, which keeps working, and adopts the copy. Later
// writes to either do not change the other.
func TestRestoredBeside(t *testing.T) {
	t.Parallel()
	live := config(t, server(t))
	s := create(t, live)
	add(t, s, "/a", "the text", 1, 2)
	commit(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	copied := restored(t, live)

	if n := numberOfDocuments(t, live); n != 1 {
		t.Errorf("beside a copy, the index has %d documents, want 1", n)
	}
	if _, err := esclient.Open(t.Context(), copied); !errors.Is(err, esclient.ErrGone) {
		t.Errorf("Open of a copy without aliases = %v, want ErrGone", err)
	}
	s = create(t, live)
	add(t, s, "/b", "another text", 3)
	commit(t, s)
	for range 2 { // the second time nothing is left to do
		list, err := esclient.Adopt(t.Context(), copied)
		if want := copied.Index + "-documents-1"; err != nil || len(list) < 3 || !strings.Contains(strings.Join(list, " "), want) {
			t.Fatalf("Adopt() = %q, %v, want %s and the other parts", list, err, want)
		}
	}
	if n, m := numberOfDocuments(t, live), numberOfDocuments(t, copied); n != 2 || m != 1 {
		t.Errorf("%d documents and %d in the copy, want 2 and 1", n, m)
	}
	c := create(t, copied)
	add(t, c, "/c", "a third text", 4)
	add(t, c, "/d", "a fourth text", 5)
	commit(t, c)
	if n, m := numberOfDocuments(t, live), numberOfDocuments(t, copied); n != 2 || m != 3 {
		t.Errorf("%d documents and %d in the copy, want 2 and 3", n, m)
	}
	for _, x := range []*esclient.Store{s, c} {
		verify(t, x)
	}
}

// TestAdopt adopts a copy before anything else opens the index, and rejects what is no copy.
func TestAdopt(t *testing.T) {
	t.Parallel()
	live := config(t, server(t))
	if _, err := esclient.Adopt(t.Context(), live); !errors.Is(err, store.ErrNoIndex) {
		t.Errorf("Adopt of nothing = %v, want ErrNoIndex", err)
	}
	s := create(t, live)
	add(t, s, "/a", "the text", 1, 2)
	commit(t, s)
	copied := restored(t, live)
	if _, err := esclient.Adopt(t.Context(), copied); err != nil {
		t.Fatal(err)
	}
	add(t, s, "/b", "another text", 3) // the writer was open while the aliases led to both
	commit(t, s)
	if n, m := numberOfDocuments(t, live), numberOfDocuments(t, copied); n != 2 || m != 1 {
		t.Errorf("%d documents and %d in the copy, want 2 and 1", n, m)
	}
	stranger := config(t, live.Hosts...)
	call(t, live.Hosts[0], "PUT", "/"+stranger.Index+"-documents-1", "")
	if _, err := esclient.Adopt(t.Context(), stranger); err == nil {
		t.Error("Adopt of an index of another program succeeds")
	}
}

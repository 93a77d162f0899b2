package esnode_test

import (
	"context"
	"errors"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/otisk/otisk/internal/testing/esnode"
	"github.com/otisk/otisk/internal/testing/need"
)

// TestKillAndRestart writes a document to a node, kills and restarts the node, and reads the
// document.
func TestKillAndRestart(t *testing.T) {
	need.Long(t) // as the tests that kill nodes
	c, err := esnode.Start(t.Context(), esnode.Elasticsearch8, esnode.Options{})
	if errors.Is(err, esnode.ErrMissing) {
		need.Skip(t, err.Error())
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}()
	call(t, http.MethodPut, c.URL(0)+"/index/_doc/1", `{"a": 1}`)
	if err := c.Kill(0); err != nil {
		t.Fatal(err)
	}
	if _, err := http.Get(c.URL(0)); err == nil {
		t.Error("a killed node answers")
	}
	if err := c.Restart(0); err != nil {
		t.Fatal(err)
	}
	if err := c.Wait(context.Background()); err != nil {
		t.Fatal(err)
	}
	if got := call(t, http.MethodGet, c.URL(0)+"/index/_doc/1", ""); !strings.Contains(got, `"found":true`) {
		t.Errorf("after a restart the document is %s", got)
	}
}

func call(t *testing.T, method, url, body string) string {
	t.Helper()
	answer, err := esnode.Call(method, url, body)
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

func TestMissing(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Setenv("OTISK_CACHE", t.TempDir())
	for _, env := range os.Environ() {
		if name, _, _ := strings.Cut(env, "="); strings.HasPrefix(name, "JAVA_HOME") {
			t.Setenv(name, "")
		}
	}
	if _, err := esnode.Start(t.Context(), esnode.Elasticsearch8, esnode.Options{}); !errors.Is(err, esnode.ErrMissing) {
		t.Errorf("Start without Maven = %v, want an error wrapping ErrMissing", err)
	}
}

// Package corpustest makes small collections for tests of the packages in corpus.
package corpustest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/otisk/otisk/corpus"
	"github.com/otisk/otisk/corpus/work"
	"github.com/otisk/otisk/normalize"
)

// Input returns the collection at paths, with the default rules for words.
func Input(t testing.TB, paths ...string) *corpus.Input {
	t.Helper()
	return &corpus.Input{Paths: paths, Norms: Norms(t)}
}

// Norms returns the default rules for words.
func Norms(t testing.TB) *normalize.Set {
	t.Helper()
	norms, err := normalize.NewSet(normalize.DefaultRules(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return norms
}

// Texts returns a collection of texts, whose ids count from 0.
func Texts(t testing.TB, texts []string) *corpus.Input {
	t.Helper()
	var b strings.Builder
	for i, text := range texts {
		fmt.Fprintf(&b, "{\"id\":%d,\"text\":%q}\n", i, text)
	}
	path := filepath.Join(t.TempDir(), "docs.jsonl")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return Input(t, path)
}

// Folder returns a temporary folder that is removed after the test.
func Folder(t testing.TB) *work.Folder {
	t.Helper()
	dir, err := work.Open(t.TempDir(), "test")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := dir.Remove(); err != nil {
			t.Error(err)
		}
	})
	return dir
}

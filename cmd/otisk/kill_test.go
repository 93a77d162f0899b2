package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/otisk/otisk/store"
)

// TestKill kills indexing runs that also replace and delete, at random
// moments. After each the index is sound, every document in it is whole and
// found, and the work can simply be done again. OTISK_KILLS sets how often.
func TestKill(t *testing.T) {
	if testing.Short() {
		t.Skip("kills processes for some seconds")
	}
	kills := 12
	if v, err := strconv.Atoi(os.Getenv("OTISK_KILLS")); err == nil {
		kills = v
	}
	dir := t.TempDir()
	binary := program(t)
	rng := rand.New(rand.NewPCG(1, uint64(kills)))
	texts, index := filepath.Join(dir, "texts"), filepath.Join(dir, "index")
	if err := os.MkdirAll(texts, 0o777); err != nil {
		t.Fatal(err)
	}
	for i := range 80 {
		writeText(t, rng, texts, i)
	}
	otisk(t, "index", "--index", index, texts)
	for kill := range kills {
		change(t, rng, texts, index)
		cmd := exec.Command(binary, "index", "--index", index, "--commit-every", "10ms", texts)
		if rng.IntN(3) == 0 {
			cmd = exec.Command(binary, "delete", "-r", "--index", index, texts)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(rng.IntN(120)) * time.Millisecond)
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if out := otisk(t, "verify", "--index", index); out != "sound\n" {
			t.Fatalf("after kill %d verify says %s", kill, out)
		}
		checkWhole(t, rng, index)
	}
	otisk(t, "index", "--index", index, texts)
	checkWhole(t, rng, index)
	if got := len(documents(t, index)); got != 80 {
		t.Errorf("%d documents after the last run, want 80", got)
	}
	checkFiles(t, index)
}

// program returns the path of the program: this test, which is otisk under that name (TestMain).
func program(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("otisk")
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// otisk runs a command line and returns its output; it must not fail.
func otisk(t *testing.T, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	if status := run(context.Background(), args, strings.NewReader(""), &out, &errs); status != 0 {
		t.Fatalf("otisk %s: status %d\n%s", strings.Join(args, " "), status, errs.String())
	}
	return out.String()
}

// writeText writes text number i, with new words.
func writeText(t *testing.T, rng *rand.Rand, dir string, i int) {
	t.Helper()
	var b strings.Builder
	for w := range 400 {
		fmt.Fprintf(&b, "w%d ", rng.IntN(100_000))
		if w%50 == 49 {
			b.WriteString("\n\n")
		}
	}
	if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%02d.txt", i)), []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
}

// change gives a third of the texts new words.
func change(t *testing.T, rng *rand.Rand, texts, index string) {
	t.Helper()
	for i := range 80 {
		if rng.IntN(3) == 0 {
			writeText(t, rng, texts, i)
		}
	}
	if list := documents(t, index); len(list) > 0 {
		otisk(t, "delete", "--index", index, list[rng.IntN(len(list))])
	}
}

// documents returns the paths in the index.
func documents(t *testing.T, index string) []string {
	t.Helper()
	var list struct {
		Documents []struct {
			Name string `json:"name"`
		} `json:"documents"`
	}
	out := otisk(t, "docs", "--index", index, "--format", "json")
	if err := json.Unmarshal([]byte(out), &list); err != nil {
		t.Fatalf("otisk docs: %v\n%s", err, out)
	}
	var names []string
	for _, d := range list.Documents {
		names = append(names, d.Name)
	}
	return names
}

// checkWhole searches for the kept text of one document, which must be found
// whole in itself.
func checkWhole(t *testing.T, rng *rand.Rand, index string) {
	t.Helper()
	list := documents(t, index)
	if len(list) == 0 {
		return
	}
	s, err := (&globalOptions{index: index}).resolve()
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Reader(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	path := list[rng.IntN(len(list))]
	text, err := store.TextOf(t.Context(), r, store.IDOf("", path))
	if err != nil {
		t.Fatalf("text of %s: %v", path, err)
	}
	file := filepath.Join(t.TempDir(), "suspect.txt")
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	var result struct {
		Sources []struct {
			Name  string `json:"name"`
			Match struct {
				Percent float64 `json:"percent"`
			} `json:"match"`
		} `json:"sources"`
	}
	out := otisk(t, "search", "--index", index, "--format", "json", "--exact", file)
	if err := json.Unmarshal([]byte(out), &result); err != nil {
		t.Fatal(err)
	}
	if len(result.Sources) == 0 || result.Sources[0].Name != path || result.Sources[0].Match.Percent != 100 {
		t.Fatalf("%s is in the index, but a search for its text finds %+v", path, result.Sources)
	}
}

// checkFiles makes sure that nothing of the killed runs stays for good.
func checkFiles(t *testing.T, index string) {
	t.Helper()
	entries, err := os.ReadDir(index)
	if err != nil {
		t.Fatal(err)
	}
	manifests := 0
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "manifest-") {
			manifests++
		}
		if strings.Contains(e.Name(), "tmp") {
			t.Errorf("%s is left over", e.Name())
		}
	}
	if manifests != 1 || len(entries) > 24 {
		t.Errorf("%d files and %d manifests in the index, want a few and 1", len(entries), manifests)
	}
}

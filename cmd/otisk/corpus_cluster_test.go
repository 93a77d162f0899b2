package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCollectionsInCluster checks that otisk index --dedup leaves out the same documents, and
// otisk corpus gives the same results, in a cluster as in a folder. Files are indexed one at a
// time, since otherwise either of two near-duplicates may be kept.
func TestCollectionsInCluster(t *testing.T) {
	c := sharedCluster(t)
	t.Chdir(t.TempDir())
	files := nearlySame(t, "texts", 16)
	var want map[string]string
	for _, index := range []string{"folder", c.URL(0) + "/collections"} {
		got := map[string]string{}
		for _, file := range append(files, "texts") {
			got[file] = otisk(t, "index", "-q", "-n", "3", "--dedup=80", "--index", index, file)
		}
		got["docs"] = otisk(t, "docs", "--format", "json", "--index", index)
		for _, command := range []string{"near --containment 0", "near --by simhash", "scattered", "signatures --groups", "ngrams -n 3 --sort text", "stats"} {
			args := append([]string{"corpus"}, strings.Fields(command)...)
			got[command] = otisk(t, append(args, "-q", "--tmp", "tmp", "--from-index", "--index", index)...)
		}
		if want == nil {
			want = got
		}
		for name := range want {
			if got[name] != want[name] {
				t.Errorf("%s: in the cluster\n%.500s\nin a folder\n%.500s", name, got[name], want[name])
			}
		}
	}
	if copies := strings.Count(want["docs"], `"copies"`); copies < 2 || !strings.Contains(want["texts"], "near-duplicates left out") {
		t.Errorf("%d documents have copies, and the last run says %q: this shows nothing", copies, want["texts"])
	}
}

// nearlySame writes texts of which many are a text before them with a word more.
func nearlySame(t *testing.T, dir string, count int) (files []string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 1))
	var texts []string
	for i := range count {
		var b strings.Builder
		if i > 0 && r.IntN(2) == 0 {
			b.WriteString(texts[r.IntN(i)])
		} else {
			for range 30 + r.IntN(40) {
				fmt.Fprintf(&b, "w%d ", r.IntN(200))
			}
		}
		fmt.Fprintf(&b, "%s%d ", dir, i)
		texts = append(texts, b.String())
		files = append(files, filepath.Join(dir, fmt.Sprintf("%02d.txt", i)))
		if err := os.WriteFile(files[i], []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

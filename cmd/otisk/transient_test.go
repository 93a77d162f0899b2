package main

import (
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/otisk/otisk/internal/session"
	"github.com/otisk/otisk/internal/testing/files"
	"github.com/otisk/otisk/internal/testing/need"
	"github.com/otisk/otisk/internal/testing/newsroom"
	"github.com/otisk/otisk/internal/testing/onefault"
)

// A faulty command is run with a fault, and then once more without one.
type faulty struct {
	fault onefault.Fault // without its number

	// command returns the command line that works in a folder; the fault concerns calls in it.
	command func(dir string) []string
	// whole reports whether the folder has all that an undisturbed command leaves, and fails the
	// test if it has anything wrong.
	whole func(t *testing.T, dir string) bool
}

// each lets another system call of the command fail in each run: every one with OTISK_TEST_LONG,
// otherwise one at random. A run that reports success must have done all of its work, and one that
// reports a failure must name the cause. The next run succeeds and completes the work.
func (f faulty) each(t *testing.T) {
	t.Helper()
	if !onefault.Supported {
		t.Skip("faults are injected only on Linux with amd64")
	}
	calls := f.once(t, 0).Calls
	if !need.All() {
		f.once(t, 1+rand.IntN(calls))
		return
	}
	for at := range calls {
		if f.once(t, at+1); t.Failed() {
			return
		}
	}
	t.Logf("%d calls", calls)
}

// once runs the command with the given number of the call that fails.
func (f faulty) once(t *testing.T, at int) onefault.Result {
	t.Helper()
	dir := files.Folder(t, nil)
	defer os.RemoveAll(dir) // there are thousands
	f.fault.At = at
	if f.fault.Under != "" {
		f.fault.Under = dir
	}
	args := f.command(dir)
	r, err := f.fault.Run(exec.Command(program(t), args...))
	mustDo(t, err)
	whole := f.whole(t, dir)
	if t.Failed() {
		t.Fatalf("call %d, %s, failed: status %d:\n%s", at, r.Failed, r.Status, r.Output)
	}
	switch {
	case r.Status == 0 && !whole:
		t.Errorf("call %d, %s, failed: status 0, but the work is not done:\n%s", at, r.Failed, r.Output)
	case r.Status != 0 && (r.Failed == "" || !strings.Contains(strings.ToLower(r.Output), f.fault.Err.Error())):
		t.Errorf("call %d, %s, failed: status %d without the cause:\n%s", at, r.Failed, r.Status, r.Output)
	}
	otisk(t, args...)
	if !f.whole(t, dir) {
		t.Errorf("call %d, %s, failed: the next run does not complete the work", at, r.Failed)
	}
	return r
}

// TestCorpusFaults: the output of a command on collections is the earlier one or all of the new one,
// and no temporary file stays.
func TestCorpusFaults(t *testing.T) {
	documents := 40
	if need.All() {
		documents = 120
	}
	input := files.Write(t, filepath.Join(t.TempDir(), "crawl.vert"), string(webCorpus(documents)))
	for _, args := range [][]string{
		{"dedup"}, {"near"}, {"near", "--by", "paragraphs", "--cross", "50"}, {"near", "--by", "simhash"},
		{"scattered"}, {"signatures", "--write"}, {"fingerprints"}, {"ngrams", "-n", "3"}, {"stats"},
	} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			command := func(dir string) []string {
				files.Write(t, filepath.Join(dir, "results", "out"), "earlier")
				return append(append([]string{"corpus"}, args...), "-q", "--tmp", filepath.Join(dir, "tmp"), "-o", filepath.Join(dir, "results", "out"), input)
			}
			calm := files.Folder(t, nil)
			otisk(t, command(calm)...)
			want := tree(t, filepath.Join(calm, "results"))
			faulty{onefault.Fault{Err: syscall.ENOSPC, Under: "the folder"}, command, func(t *testing.T, dir string) bool {
				got := tree(t, filepath.Join(dir, "results"))
				if got["out"] != want["out"] && got["out"] != "earlier" || len(got) != 1 {
					t.Errorf("the folder has %d files, the output %d bytes", len(got), len(got["out"]))
				}
				return got["out"] == want["out"]
			}}.each(t)
		})
	}
}

// tree returns the contents of the files in a folder by their paths in it, without those of names.
func tree(t *testing.T, dir string, without ...string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(filepath.Join(dir, name))
		all[name] = string(data)
		return err
	})
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	for _, name := range without {
		delete(all, name)
	}
	return all
}

// TestCrawlFaults: after a crawl with a fault and another one, files and index are those of an
// undisturbed crawl.
func TestCrawlFaults(t *testing.T) {
	room, calm := newsroom.Open(t, 12), filepath.Join(t.TempDir(), "calm")
	list := newsList(t, room, 2, "")
	command := func(dir string) []string {
		return []string{"crawl", "-q", "--delay", "0s", "--recheck", "0s", "-o", filepath.Join(dir, "news"), "--index", filepath.Join(dir, "news.idx"), list}
	}
	otisk(t, command(calm)...)
	want := crawledTexts(t, filepath.Join(calm, "news"))
	eachKind(t, command, func(t *testing.T, dir string) bool {
		got := crawledTexts(t, filepath.Join(dir, "news"))
		return maps.Equal(got, want) && sameDocuments(t, filepath.Join(dir, "news.idx"), filepath.Join(calm, "news.idx"))
	})
}

// eachKind runs a command with faults of files and of connections.
func eachKind(t *testing.T, command func(dir string) []string, whole func(t *testing.T, dir string) bool) {
	t.Run("files", func(t *testing.T) {
		faulty{onefault.Fault{Err: syscall.ENOSPC, Under: "the folder"}, command, whole}.each(t)
	})
	t.Run("requests", func(t *testing.T) {
		faulty{onefault.Fault{Err: syscall.ECONNRESET}, command, whole}.each(t)
	})
}

// sameDocuments reports whether an index is sound and has the documents of another one.
func sameDocuments(t *testing.T, index, other string) bool {
	t.Helper()
	if !committed(t, index) {
		return false
	}
	if out := otisk(t, "verify", "--index", index); out != "sound\n" {
		t.Errorf("verify says %s", out)
	}
	docs := func(index string) string {
		return whenFetched.ReplaceAllString(otisk(t, "docs", "--index", index, "--format", "json"), "")
	}
	return docs(index) == docs(other)
}

// whenFetched matches the times in a list of documents, which are those of their requests.
var whenFetched = regexp.MustCompile(`"(?:mod_time|modified)":"[^"]*",`)

// TestHarvestFaults: after a harvest with a fault and another one, the index, or the folder, is that
// of an undisturbed harvest.
func TestHarvestFaults(t *testing.T) {
	t.Setenv(session.DateVariable, "1795262400")
	address, host := repositoryOf(t, 8)
	args := []string{"harvest", "-q", "--delay", "0s", "--allow-host", host, address}
	t.Run("index", func(t *testing.T) {
		command := func(dir string) []string { return append(args, "--index", filepath.Join(dir, "idx")) }
		calm := t.TempDir()
		otisk(t, command(calm)...)
		eachKind(t, command, func(t *testing.T, dir string) bool {
			return sameDocuments(t, filepath.Join(dir, "idx"), filepath.Join(calm, "idx"))
		})
	})
	t.Run("folder", func(t *testing.T) {
		command := func(dir string) []string { return append(args, "-o", filepath.Join(dir, "theses")) }
		calm := t.TempDir()
		otisk(t, command(calm)...)
		want := tree(t, filepath.Join(calm, "theses"), "state.db")
		eachKind(t, command, func(t *testing.T, dir string) bool {
			return maps.Equal(tree(t, filepath.Join(dir, "theses"), "state.db"), want)
		})
	})
}

// TestReadFaults: a call that looks for a file, opens, lists or reads it fails while a folder with a project is
// indexed. Its documents keep their names, and the project stays one document.
func TestReadFaults(t *testing.T) {
	texts := map[string]string{
		"texts/thesis/main.tex": `\documentclass{book}\begin{document}\input{one}\end{document}`,
		"texts/thesis/one.tex":  "the only chapter of a thesis has words enough, too",
	}
	for i := range 3 {
		texts[fmt.Sprintf("texts/%d.txt", i)] = fmt.Sprintf("text %d has words enough for some n-grams, and then as many again", i)
	}
	in := filepath.Join(files.Folder(t, texts), "texts")
	command := func(dir string) []string {
		return []string{"index", "-q", "--projects", "folders", "--index", filepath.Join(dir, "idx"), in}
	}
	calm := t.TempDir()
	otisk(t, command(calm)...)
	faulty{onefault.Fault{Err: syscall.EACCES, Reads: true}, command, func(t *testing.T, dir string) bool {
		return sameDocuments(t, filepath.Join(dir, "idx"), filepath.Join(calm, "idx"))
	}}.each(t)
}

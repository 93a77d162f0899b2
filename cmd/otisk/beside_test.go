package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/otisk/otisk/internal/testing/need"
)

// TestSearchBesideWriting searches again and again, two at a time, while other
// processes index, delete and empty the index. Each report is right for one of
// the states that were committed: the copied text is found whole, or the index
// does not have it. OTISK_SEARCHES sets how many.
func TestSearchBesideWriting(t *testing.T) {
	searches := 60
	if testing.Short() {
		searches = 20
	}
	if v, err := strconv.Atoi(os.Getenv("OTISK_SEARCHES")); err == nil {
		searches = v
	}
	index := filepath.Join(t.TempDir(), "index")
	searchBesideWriting(t, searches, index)
	checkFiles(t, index)
}

// TestClusterSearchBeside does that with an index in a cluster.
func TestClusterSearchBeside(t *testing.T) {
	need.Long(t)
	searchBesideWriting(t, 712, startCluster(t, 1).URL(0)+"/beside")
}

func searchBesideWriting(t *testing.T, searches int, index string) {
	t.Helper()
	dir := t.TempDir()
	b := beside{binary: program(t), texts: filepath.Join(dir, "texts"), index: index}
	if err := os.MkdirAll(b.texts, 0o777); err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(31, 32))
	for i := range 80 {
		writeText(t, rng, b.texts, i)
	}
	otisk(t, "index", "--index", b.index, b.texts)
	suspect := filepath.Join(dir, "suspect.txt")
	if data, err := os.ReadFile(filepath.Join(b.texts, copied)); err != nil || os.WriteFile(suspect, data, 0o666) != nil {
		t.Fatal("copy the suspect")
	}
	var writer, searchers sync.WaitGroup
	var left, found, empty atomic.Int64
	var over atomic.Bool
	left.Store(int64(searches))
	writer.Go(func() { b.write(t, rng, &over) })
	for range 2 {
		searchers.Go(func() {
			for (left.Add(-1) >= 0 || b.commands.Load() < leastCommands) && !t.Failed() {
				if b.search(t, suspect) {
					found.Add(1)
				} else {
					empty.Add(1)
				}
			}
		})
	}
	searchers.Wait()
	over.Store(true)
	writer.Wait()
	t.Logf("%d searches found the text, %d an index without it, beside %d commands that wrote", found.Load(), empty.Load(), b.commands.Load())
	if found.Load() == 0 {
		t.Error("the text was never found")
	}
	if out := otisk(t, "verify", "--index", b.index); out != "sound\n" {
		t.Errorf("verify says %s", out)
	}
}

// copied is the text of the suspect; it does not change.
const copied = "07.txt"

// A beside is an index that is searched beside writing.
type beside struct {
	binary, texts, index string
	commands             atomic.Int64 // done
}

// leastCommands is the minimum number of commands that run beside the searches.
const leastCommands = 3

// write indexes, deletes and empties until it is over.
func (b *beside) write(t *testing.T, rng *rand.Rand, over *atomic.Bool) {
	for ; !over.Load() && !t.Failed(); b.commands.Add(1) {
		args := []string{"index", "--index", b.index, "--commit-every", "10ms", b.texts}
		switch b.commands.Load() % 8 {
		case 5:
			args = []string{"delete", "--index", b.index, "1*.txt"}
		case 7:
			args = []string{"clean", "--index", b.index, "--yes"}
		default:
			for i := range 80 {
				if name := fmt.Sprintf("%02d.txt", i); name != copied && rng.IntN(3) == 0 {
					writeText(t, rng, b.texts, i)
				}
			}
		}
		if out, err := exec.Command(b.binary, args...).CombinedOutput(); err != nil {
			t.Errorf("otisk %s: %v\n%s", args, err, out)
		}
	}
}

// search reports whether the copied text is found. Anything else that is found
// is wrong.
func (b *beside) search(t *testing.T, suspect string) bool {
	out, errs, status := outcome([]string{"search", "--index", b.index, "--format", "json", "--exact", suspect})
	var result struct {
		Sources []struct {
			Name  string `json:"name"`
			Match struct {
				Percent float64 `json:"percent"`
			} `json:"match"`
		} `json:"sources"`
	}
	if status != 0 || json.Unmarshal([]byte(out), &result) != nil {
		t.Errorf("search: status %d\n%s%s", status, errs, out)
		return false
	}
	if len(result.Sources) == 0 {
		return false
	}
	if s := result.Sources[0]; len(result.Sources) != 1 || filepath.Base(s.Name) != copied || s.Match.Percent != 100 {
		t.Errorf("search finds %+v, want %s whole or nothing", result.Sources, copied)
	}
	return true
}

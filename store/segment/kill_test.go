package segment

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/otisk/otisk/internal/testing/need"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/memory"
	"github.com/otisk/otisk/store/storetest"
)

// A test runs this program as a child that writes to an index until it kills itself:
// childDir names the index, childSteps has the number of steps on the disk until then, and
// childCommits the number of commits before those are counted.
const (
	childDir     = "OTISK_TEST_SEGMENT_CHILD"
	childSteps   = "OTISK_TEST_SEGMENT_STEPS"
	childCommits = "OTISK_TEST_SEGMENT_COMMITS"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		if err := child(dir); err != nil {
			fmt.Println("error:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	need.MemoryTemp()
	os.Exit(m.Run())
}

// numberIn returns the number in an environment variable.
func numberIn(name string) int64 {
	n, err := strconv.ParseInt(os.Getenv(name), 10, 64)
	if err != nil {
		panic(name + ": " + err.Error())
	}
	return n
}

// child does round after round, starting after the last that the index has, and prints a
// line after each commit, until it kills itself.
func child(dir string) error {
	var left, commits atomic.Int64
	left.Store(numberIn(childSteps))
	commits.Store(numberIn(childCommits))
	step := func(string, string) error {
		if commits.Load() <= 0 && left.Add(-1) == 0 {
			p, err := os.FindProcess(os.Getpid())
			if err == nil {
				err = p.Kill()
			}
			return fmt.Errorf("the program runs on after it killed itself: %w", err)
		}
		return nil
	}
	s, err := Create(dir, settings, Options{Workers: 2, Memory: 1 << 18, disk: disk{step: step}})
	if err != nil {
		return err
	}
	last, err := lastRound(s)
	if err != nil {
		return err
	}
	for round := last + 1; ; round++ {
		if err := doRound(s, round); err != nil {
			return err
		}
		fmt.Println("committed", round)
		commits.Add(-1)
	}
}

// lastRound returns the round of the last commit.
func lastRound(r store.Reader) (int, error) {
	last := 0
	err := r.Documents(context.Background(), "", func(d store.Document) error {
		if d.Path == "/round" {
			last, _ = strconv.Atoi(d.Content)
		}
		return nil
	})
	return last, err
}

// roundHashes returns the hashes that a document gets in a round.
func roundHashes(round, doc int) []store.Hash {
	return storetest.Hashes(rand.New(rand.NewPCG(uint64(round), uint64(doc))), 200+round*doc%900)
}

// doRound adds, replaces and deletes documents, and commits.
func doRound(s store.Store, round int) error {
	ctx := context.Background()
	for doc := range 12 {
		path := fmt.Sprint("/", (round*5+doc)%30)
		content := fmt.Sprint("content of ", round)
		err := s.Add(ctx, storetest.Doc(path, content), strings.Repeat(path+content, 50), []store.Grams{storetest.Grams(7, roundHashes(round, doc)...)}, nil)
		if err != nil {
			return err
		}
		if doc%4 == 3 {
			if err := s.Delete(ctx, store.IDOf("", path)); err != nil {
				return err
			}
		}
	}
	err := s.Add(ctx, storetest.Doc("/round", strconv.Itoa(round)), "", []store.Grams{storetest.Grams(7, 1)}, nil)
	if err != nil {
		return err
	}
	if round%10 == 0 {
		return s.Optimize(ctx)
	}
	return s.Commit(ctx)
}

// TestKilledWriter kills a process that writes, again and again: 6 times, 100
// times with OTISK_TEST_LONG, or as often as OTISK_KILLS says. Each time the index is as after one of its
// commits, and not before the last that it had told of.
func TestKilledWriter(t *testing.T) {
	t.Parallel()
	kills := 6
	if need.All() {
		kills = 100
	}
	if value := os.Getenv("OTISK_KILLS"); value != "" {
		kills, _ = strconv.Atoi(value)
	}
	dir := t.TempDir()
	oracle, done := memory.New(settings), 0
	var hashes []store.Hash
	for i := range kills {
		told := runChild(t, dir, max(0, 1-i))
		s, err := OpenWriter(dir, Options{})
		if err != nil {
			t.Fatalf("kill %d: %v", i, err)
		}
		round, err := lastRound(s)
		if err != nil || round < told {
			t.Fatalf("kill %d: the index is at round %d, %v; round %d was committed", i, round, err, told)
		}
		for ; done < round; done++ {
			if err := doRound(oracle, done+1); err != nil {
				t.Fatal(err)
			}
			for doc := range 12 {
				hashes = append(hashes, roundHashes(done+1, doc)[:20]...)
			}
		}
		hashes = sorted(hashes)
		if dump(t, s, hashes) != dump(t, oracle, hashes) {
			t.Fatalf("kill %d: the index is not as committed in round %d", i, round)
		}
		wantClean(t, s)
		if err := s.Close(); err != nil || t.Failed() {
			t.Fatalf("kill %d: Close() = %v", i, err)
		}
	}
	if done == 0 {
		t.Error("no commit was ever reached")
	}
	t.Logf("%d kills, %d rounds", kills, done)
}

// runChild runs a child that kills itself after this number of commits, and a random number of
// steps then. It returns the last round that the child printed.
func runChild(t *testing.T, dir string, commits int) (told int) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childDir+"="+dir, fmt.Sprint(childSteps, "=", 1+rand.IntN(300)), fmt.Sprint(childCommits, "=", commits))
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		told = toldBy(t, lines.Text())
	}
	if err := cmd.Wait(); err == nil {
		t.Error("the child ended without being killed")
	}
	return told
}

// toldBy returns the round of which a child tells by a line.
func toldBy(t *testing.T, line string) (round int) {
	t.Helper()
	if _, err := fmt.Sscanf(line, "committed %d", &round); err != nil {
		t.Errorf("the child says %q", line)
	}
	return round
}

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
	"testing"
	"time"

	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/memory"
	"github.com/otisk/otisk/store/storetest"
)

// childDir names the index that this program is to write to until it is
// killed, when the test runs it as a child.
const childDir = "OTISK_TEST_SEGMENT_CHILD"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		if err := child(dir); err != nil {
			fmt.Println("error:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// child does round after round, from the one after the last that the index
// has, and says so after each commit.
func child(dir string) error {
	s, err := Create(dir, settings, Options{Workers: 2, Memory: 1 << 18})
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
	}
}

// lastRound returns the round of the last commit.
func lastRound(r store.Reader) (int, error) {
	last := 0
	err := r.Documents(context.Background(), func(d store.Document) error {
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

// TestKilledWriter kills a process that writes, again and again: 6 times, or
// as often as OTISK_KILLS says. Each time the index is as after one of its
// commits, and not before the last that it had told of.
func TestKilledWriter(t *testing.T) {
	t.Parallel()
	kills := 6
	if value := os.Getenv("OTISK_KILLS"); value != "" {
		kills, _ = strconv.Atoi(value)
	}
	dir := t.TempDir()
	oracle, done := memory.New(settings), 0
	var hashes []store.Hash
	for i := range kills {
		told := runChild(t, dir, i == 0)
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

// runChild runs a child for a moment, and returns the last round that it told
// of. The moment begins when it has made the index, or has told of a commit.
func runChild(t *testing.T, dir string, commit bool) (told int) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childDir+"="+dir)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := newestOf(dir); err == nil {
			break
		}
		time.Sleep(time.Millisecond)
	}
	lines := bufio.NewScanner(out)
	if commit && lines.Scan() {
		told = toldBy(t, lines.Text())
	}
	time.AfterFunc(time.Duration(20+rand.IntN(250))*time.Millisecond, func() { _ = cmd.Process.Kill() })
	for lines.Scan() {
		told = toldBy(t, lines.Text())
	}
	_ = cmd.Wait() // killed
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

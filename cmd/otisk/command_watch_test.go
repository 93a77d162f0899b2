package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/otisk/otisk/internal/session"
	"github.com/otisk/otisk/internal/testing/files"
)

// A lockedBuffer is written by a command and read by its test.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// startWatch runs otisk watch until the returned function is called, which returns the output.
func startWatch(t *testing.T, args ...string) (log *lockedBuffer, stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	log = new(lockedBuffer)
	done := make(chan int, 1)
	go func() { done <- run(ctx, append([]string{"watch"}, args...), nil, log, log) }()
	var once sync.Once
	stop = func() {
		once.Do(func() {
			cancel()
			if status := <-done; status != 0 {
				t.Errorf("otisk watch ends with status %d:\n%s", status, log.String())
			}
		})
	}
	t.Cleanup(stop)
	return log, stop
}

// sameIndex returns the difference between the documents and reports of the indexes at a and
// b, "" if there is none.
func sameIndex(t *testing.T, a, b string, suspects ...string) string {
	t.Helper()
	commands := [][]string{{"docs", "--format", "json"}}
	for _, suspect := range suspects {
		commands = append(commands, []string{"search", "--format", "xml", suspect}, []string{"search", "--format", "json", "--exact", suspect})
	}
	for _, args := range commands {
		got := strings.ReplaceAll(otisk(t, append(args, "--index", a)...), a, "INDEX")
		if want := strings.ReplaceAll(otisk(t, append(args, "--index", b)...), b, "INDEX"); got != want {
			return fmt.Sprintf("otisk %v: got\n…%s…\nwant\n…%s…", args, difference(got, want), difference(want, got))
		}
	}
	return ""
}

// TestWatchTenThousand moves files in, changes half of them while they are read,
// renames and removes some; then the index equals one built from the final state. With
// OTISK_TEST_LONG, there are 10,000 files.
func TestWatchTenThousand(t *testing.T) {
	t.Setenv(session.DateVariable, "1795262400")
	count, longest := 300, time.Minute
	if os.Getenv("OTISK_TEST_LONG") != "" {
		count, longest = 10_000, 20*time.Minute
	}
	dir := t.TempDir()
	folder, inbox, index := filepath.Join(dir, "theses"), filepath.Join(dir, "inbox"), filepath.Join(dir, "watched", "idx")
	for i := range count {
		files.Write(t, filepath.Join(inbox, fmt.Sprint(i%17), fmt.Sprintf("%d.txt", i)), textNumber(i, 0))
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(7, uint64(count)))
	log, stop := startWatch(t, "--index", index, "--settle", "100ms", "--every", "1s", "--gather", "500ms", folder)
	path := func(i int) string { return filepath.Join(folder, fmt.Sprint(i%17), fmt.Sprintf("%d.txt", i)) }
	for i := range count { // moved in, one by one
		if err := os.MkdirAll(filepath.Dir(path(i)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(filepath.Join(inbox, fmt.Sprint(i%17), fmt.Sprintf("%d.txt", i)), path(i)); err != nil {
			t.Fatal(err)
		}
	}
	waitFor(t, log, "indexed ")
	for i := range count { // changed while they are read, in two steps
		if i%2 == 0 {
			files.Write(t, path(i), textNumber(i, 1)[:200])
			if i%50 == 0 { // longer than it takes to be whole, too
				time.Sleep(time.Duration(rng.IntN(300)) * time.Millisecond)
			}
			appendAt(t, path(i), textNumber(i, 1)[200:])
		}
	}
	for i := range count {
		switch i % 10 {
		case 1:
			mustDo(t, os.Remove(path(i)))
		case 2, 3:
			mustDo(t, os.Rename(path(i), filepath.Join(folder, fmt.Sprint(i%17), fmt.Sprintf("renamed-%d.txt", i))))
		}
	}
	mustDo(t, os.Rename(filepath.Join(folder, "16"), filepath.Join(folder, "sixteen")))
	mustDo(t, os.RemoveAll(filepath.Join(folder, "15")))
	want := filepath.Join(dir, "built", "idx")
	otisk(t, "index", "-q", "--index", want, folder)
	suspect := filepath.Join(dir, "suspect.txt")
	files.Write(t, suspect, textNumber(2, 0)+"\n\n"+textNumber(4, 1)+"\n\n"+textNumber(33, 0))
	differs := ""
	for end := time.Now().Add(longest); time.Now().Before(end); time.Sleep(300 * time.Millisecond) {
		if _, err := os.Stat(index); err != nil {
			continue
		}
		if differs = sameIndex(t, index, want, suspect); differs == "" {
			break
		}
	}
	stop()
	if differs != "" {
		t.Errorf("the index is not as one that was built: %s\n%s", differs, log.String())
	}
	if out := otisk(t, "verify", "--deep", "--index", index); !strings.HasPrefix(out, "sound") {
		t.Errorf("verify says %s", out)
	}
	t.Logf("%.3000s", log.String())
}

func textNumber(i, version int) string {
	var b strings.Builder
	rng := rand.New(rand.NewPCG(uint64(i), uint64(version)))
	for w := range 120 {
		fmt.Fprintf(&b, "w%d ", rng.IntN(100_000))
		if w%40 == 39 {
			b.WriteString("\n\n")
		}
	}
	return b.String()
}

func appendAt(t *testing.T, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	mustDo(t, err)
	_, err = io.WriteString(f, text)
	mustDo(t, err)
	mustDo(t, f.Close())
}

func mustDo(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// waitFor waits until a command has said something.
func waitFor(t *testing.T, log *lockedBuffer, text string) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !strings.Contains(log.String(), text); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("it does not say %q:\n%s", text, log.String())
		}
	}
}

// TestIndexBesideWatch indexes another folder again and again while the first is
// watched: neither is refused, and the index has both.
func TestIndexBesideWatch(t *testing.T) {
	dir := t.TempDir()
	index, folder, other := filepath.Join(dir, "idx"), filepath.Join(dir, "theses"), filepath.Join(dir, "other")
	files.Write(t, filepath.Join(folder, "first.txt"), textNumber(0, 0))
	log, stop := startWatch(t, "--index", index, "--settle", "20ms", "--every", "50ms", folder)
	for i := range 20 {
		files.Write(t, filepath.Join(folder, fmt.Sprintf("%d.txt", i)), textNumber(i, 1))
		files.Write(t, filepath.Join(other, fmt.Sprintf("%d.txt", i)), textNumber(i, 2))
		otisk(t, "index", "-q", "--index", index, other)
	}
	for end := time.Now().Add(time.Minute); len(documents(t, index)) < 41 && time.Now().Before(end); {
		time.Sleep(50 * time.Millisecond)
	}
	stop()
	if got := len(documents(t, index)); got != 41 {
		t.Errorf("the index has %d documents, want 41:\n%s", got, log.String())
	}
	if out := otisk(t, "verify", "--index", index); out != "sound\n" {
		t.Errorf("verify says %s", out)
	}
}

// TestKillWatch kills watch at random moments while files appear, change and disappear, and
// starts it again: in the end, the index equals one built from the final state. OTISK_KILLS
// sets the number of kills.
func TestKillWatch(t *testing.T) {
	if testing.Short() {
		t.Skip("kills processes for some seconds")
	}
	t.Setenv(session.DateVariable, "1795262400")
	kills := 8
	if v, err := strconv.Atoi(os.Getenv("OTISK_KILLS")); err == nil {
		kills = v
	}
	dir := t.TempDir()
	binary := program(t)
	folder, index, want := filepath.Join(dir, "theses"), filepath.Join(dir, "idx"), filepath.Join(dir, "built")
	rng := rand.New(rand.NewPCG(11, uint64(kills)))
	for kill := range kills {
		for i := range 60 {
			name := filepath.Join(folder, fmt.Sprint(i%3), fmt.Sprintf("%d.txt", i))
			switch rng.IntN(5) {
			case 0:
				_ = os.Remove(name)
			case 1:
				_ = os.Rename(name, filepath.Join(folder, fmt.Sprint(i%3), fmt.Sprintf("moved-%d.txt", i)))
			case 2, 3:
				files.Write(t, name, textNumber(i, kill))
			}
		}
		cmd := exec.Command(binary, "watch", "--index", index, "--settle", "10ms", "--gather", "10ms", folder)
		mustDo(t, cmd.Start())
		time.Sleep(time.Duration(rng.IntN(300)) * time.Millisecond)
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	if out, err := exec.Command(binary, "watch", "--once", "--index", index, "--settle", "10ms", folder).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	otisk(t, "index", "-q", "--index", want, folder)
	if differs := sameIndex(t, index, want); differs != "" {
		t.Error(differs)
	}
	if out := otisk(t, "verify", "--deep", "--index", index); !strings.HasPrefix(out, "sound") {
		t.Errorf("verify says %s", out)
	}
}

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
	"strings"
	"testing"
	"time"

	"github.com/otisk/otisk/internal/testing/need"
	"github.com/otisk/otisk/internal/testing/newsroom"
)

// typed runs a command line and returns its exit status and output.
func typed(t *testing.T, args ...string) (status int, out, errs string) {
	t.Helper()
	var o, e bytes.Buffer
	status = run(t.Context(), args, strings.NewReader(""), &o, &e)
	return status, o.String(), e.String()
}

// newsList writes a list of the good feeds of a room, and returns its path.
func newsList(t *testing.T, room *newsroom.Room, feeds int, more string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "feeds.xml")
	list := "<crawl>\n<allow_host>127.0.0.1</allow_host>\n" + more
	for _, feed := range room.Feeds()[:feeds] {
		list += "<feed>" + feed + "</feed>\n"
	}
	if err := os.WriteFile(path, []byte(list+"</crawl>\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestCrawlIntoIndex: a search finds the gathered articles under their addresses, with their
// titles, and replaced versions only on request.
func TestCrawlIntoIndex(t *testing.T) {
	for _, keep := range []bool{false, true} {
		room, dir := newsroom.Open(t, 20), t.TempDir()
		list := newsList(t, room, 10, "")
		args := []string{"crawl", "-q", "--delay", "0s", "--recheck", "0s", "-o", filepath.Join(dir, "news"), "--index", filepath.Join(dir, "idx"), list}
		if keep {
			args = append(args, "--keep-versions")
		}
		status, out, errs := typed(t, args...)
		if status != 0 || !strings.Contains(out, "read 10 feeds (0 unchanged): 30 new articles") || !strings.Contains(out, "(7-grams)") {
			t.Fatalf("status %d\n%s%s", status, out, errs)
		}
		before := len(documents(t, filepath.Join(dir, "idx")))
		changed, gone, added := room.Change()
		if status, out, errs = typed(t, args...); status != 0 {
			t.Fatalf("status %d\n%s%s", status, out, errs)
		}
		want := before + added
		if keep {
			want += changed
		}
		if got := len(documents(t, filepath.Join(dir, "idx"))); got != want {
			t.Errorf("keep %v: %d documents, then %d; want %d: %d changed, %d gone, %d new", keep, before, got, want, changed, gone, added)
		}
		if status, out, _ := typed(t, args...); status != 0 || !strings.Contains(out, "indexed 0 articles") {
			t.Errorf("nothing new: status %d\n%s", status, out)
		}
		checkFound(t, room, dir)
	}
}

// checkFound searches for a text that an article of the index has; not all feeds of
// the room are read.
func checkFound(t *testing.T, room *newsroom.Room, dir string) {
	t.Helper()
	list := otisk(t, "docs", "--index", filepath.Join(dir, "idx"))
	for url, text := range room.Articles() {
		if !strings.Contains(list, url) {
			continue
		}
		suspect := filepath.Join(dir, "suspect.txt")
		if err := os.WriteFile(suspect, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		out := otisk(t, "search", "--index", filepath.Join(dir, "idx"), "--format", "json", suspect)
		if !strings.Contains(out, url) || !strings.Contains(out, "Zpráva číslo") {
			t.Errorf("a search for %s does not name it, with its title:\n%.2000s", url, out)
		}
		return
	}
	t.Error("no article is in the index")
}

// TestCrawlTry shows the result of a rule, and the result without one.
func TestCrawlTry(t *testing.T) {
	room := newsroom.Open(t, 20)
	page := room.Feeds()[0]
	page = page[:strings.Index(page, "/feed")] + "/article/0/1.html"
	status, out, errs := typed(t, "crawl", "--delay", "0s", "--try", page, "--allow-host", "127.0.0.1")
	if status != 0 || !strings.Contains(out, "title    Titulek /article/0/1.html") || !strings.Contains(out, "by the typical form of articles") || !strings.Contains(out, "Druhý odstavec") || strings.Contains(out, "Kultura") {
		t.Errorf("without a rule: status %d\n%s%s", status, out, errs)
	}
	rule := `<site host="127.0.0.1"><title>nav a</title><text>footer</text></site>`
	status, out, errs = typed(t, "crawl", "--delay", "0s", "--try", page, newsList(t, room, 1, rule))
	if status != 0 || !strings.Contains(out, "title    Domů") || !strings.Contains(out, "by the rule for its site") || !strings.Contains(out, "Všechna práva") || strings.Contains(out, "Druhý") {
		t.Errorf("with a rule: status %d\n%s%s", status, out, errs)
	}
	rule = `<site host="127.0.0.1"><text>.nowhere</text></site>`
	if status, _, errs = typed(t, "crawl", "--delay", "0s", "--try", page, newsList(t, room, 1, rule)); status != 1 || !strings.Contains(errs, "no text found on the page by the rule for 127.0.0.1") {
		t.Errorf("with a rule that fits no more: status %d\n%s", status, errs)
	}
}

// TestCrawlBad checks that each failed feed is reported with its reason, and that the crawl continues.
func TestCrawlBad(t *testing.T) {
	room, dir := newsroom.Open(t, 20), t.TempDir()
	list := newsList(t, room, 20, "")
	status, out, errs := typed(t, "crawl", "--delay", "0s", "--timeout", "3s", "--max-size", "1MB", "-o", dir, list)
	if status != 5 || !strings.Contains(out, "read 20 feeds (0 unchanged): 33 new articles, 9 failed") {
		t.Errorf("status %d\n%s%s", status, out, errs)
	}
	for _, want := range []string{"in your own network: 127.0.0.1", "redirects form a loop", "robots.txt forbids it", "too large: more than", "entities that contain other entities", "too slow", "broken feed: XML", "not a feed", "refused"} {
		if !strings.Contains(errs, want) {
			t.Errorf("%q is not told:\n%s", want, errs)
		}
	}
	log, err := os.ReadFile(filepath.Join(dir, "crawl.log"))
	if n := strings.Count(string(log), "\tfailed\t"); err != nil || n != 9 {
		t.Errorf("the log has %d failures, want 9 (%v)", n, err)
	}
	// Without leave, nothing on this machine is asked.
	room.Forget()
	status, _, errs = typed(t, "crawl", "-o", t.TempDir(), room.Feeds()[0])
	if status != 1 || room.Asked("/") != 0 || !strings.Contains(errs, "refused: the address is in your own network: 127.0.0.1") {
		t.Errorf("not allowed: status %d, asked %d times\n%s", status, room.Asked("/"), errs)
	}
}

// TestCrawlFailsAlike: of what fails for one reason the first is named, the others are counted.
func TestCrawlFailsAlike(t *testing.T) {
	dir := t.TempDir()
	status, _, errs := typed(t, "crawl", "-o", dir, "http://10.0.0.1/a", "http://10.0.0.1/b", "http://10.0.0.1/c")
	log, err := os.ReadFile(filepath.Join(dir, "crawl.log"))
	if status != 1 || strings.Count(errs, "http://10.0.0.1/") != 1 || !strings.Contains(errs, "2 more, see "+filepath.Join(dir, "crawl.log")+": refused") || strings.Count(string(log), "http://10.0.0.1/") != 3 {
		t.Errorf("status %d (%v)\n%s%s", status, err, errs, log)
	}
}

// TestCrawlKilled kills crawls at random moments and repeats them. In the end, the files and
// the index are the same as after an undisturbed crawl.
func TestCrawlKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("kills processes for some seconds")
	}
	t.Run("some", func(t *testing.T) { killCrawls(t, 4, 40) })
	t.Run("many", func(t *testing.T) {
		need.Long(t)
		killCrawls(t, 30, 190)
	})
}

func killCrawls(t *testing.T, kills, feeds int) {
	room, dir := newsroom.Open(t, feeds+10), t.TempDir()
	list, binary := newsList(t, room, feeds, ""), program(t)
	into := func(name string) []string {
		return []string{"crawl", "-q", "--delay", "0s", "--recheck", "0s", "-o", filepath.Join(dir, name), "--index", filepath.Join(dir, name+".idx"), list}
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, uint64(kills)))
	for round := range 2 {
		if round > 0 {
			room.Change()
		}
		start := time.Now()
		otisk(t, into("calm")...)
		took := time.Since(start)
		for range kills / 2 {
			cmd := exec.CommandContext(context.Background(), binary, into("killed")...)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Duration(rng.Int64N(int64(took))))
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
		// The killed runs have reported the new and gone articles.
		if status, _, errs := typed(t, into("killed")...); status != 0 {
			t.Fatalf("round %d: status %d: %s", round, status, errs)
		}
		compareCrawls(t, filepath.Join(dir, "calm"), filepath.Join(dir, "killed"))
		room.Forget()
		status, out, errs := typed(t, into("killed")...)
		if sent := room.Sent("/feed") + room.Sent("/moved") + room.Sent("/article"); status != 0 || sent != 0 || !strings.Contains(out, "indexed 0 articles") {
			t.Errorf("round %d, once more: %d bodies were sent, want none: status %d\n%s%s", round, sent, status, out, errs)
		}
	}
}

// compareCrawls wants two crawls to have the same, in their files and their indexes.
func compareCrawls(t *testing.T, one, other string) {
	t.Helper()
	if out := otisk(t, "verify", "--index", other+".idx"); out != "sound\n" {
		t.Errorf("verify says %s", out)
	}
	calm, killed := crawledTexts(t, one), crawledTexts(t, other)
	for name, text := range calm {
		if killed[name] != text {
			t.Errorf("%s: %q after kills, %q without", name, killed[name], text)
		}
	}
	if len(killed) != len(calm) {
		t.Errorf("%d texts after kills, %d without", len(killed), len(calm))
	}
	a, b := documents(t, other+".idx"), documents(t, one+".idx")
	if len(a) != len(b) || len(b) == 0 {
		t.Errorf("%d documents in the index after kills, %d without", len(a), len(b))
	}
}

// crawledTexts returns the texts of a crawl by address and number of the version, of which
// none may be there twice.
func crawledTexts(t *testing.T, dir string) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "text", "*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(data) {
			var rec struct {
				URL, Text string
				Version   int
			}
			if err := json.Unmarshal(line, &rec); err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			name := fmt.Sprintf("%s version %d", rec.URL, rec.Version)
			if _, twice := all[name]; twice {
				t.Errorf("%s is there twice", name)
			}
			all[name] = rec.Text
		}
	}
	return all
}

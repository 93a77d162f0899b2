package crawl

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/otisk/otisk/document/container"
	"github.com/otisk/otisk/gather/fetch"
	"github.com/otisk/otisk/internal/testing/newsroom"
	"github.com/otisk/otisk/normalize"
)

// options are those for the servers of a test.
func options(t *testing.T, dir string, feeds []string) Options {
	t.Helper()
	client, err := fetch.New(fetch.Options{UserAgent: "otisk/test (+https://example.org)", Allow: []string{"127.0.0.1"}, Delay: -1, Header: 3 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	norm, err := normalize.New(normalize.DefaultRules())
	if err != nil {
		t.Fatal(err)
	}
	return Options{Dir: dir, Feeds: feeds, Client: client, Program: "otisk/test", Norm: norm, Recheck: time.Hour, MaxFeed: 1 << 20}
}

// crawled runs a crawl and returns its counts and the reasons of its failures.
func crawled(t *testing.T, o Options) (Summary, map[string]string) {
	t.Helper()
	failed := map[string]string{}
	o.Progress = func(e Event) {
		if e.Err != nil {
			failed[e.URL] = e.Err.Error()
		}
	}
	sum, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return sum, failed
}

// records returns the texts that were kept, in order.
func records(t *testing.T, dir string) (list []record) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "text", "*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(data) {
			var rec record
			if err := json.Unmarshal(line, &rec); err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			list = append(list, rec)
		}
	}
	return list
}

// checkKept compares the last version of each article with that of the server.
func checkKept(t *testing.T, dir string, want map[string]string) {
	t.Helper()
	last, ids := map[string]string{}, map[string]int{}
	for _, rec := range records(t, dir) {
		last[linkKey(rec.URL)] = rec.Text
		ids[rec.ID]++
	}
	for id, n := range ids {
		if n > 1 {
			t.Errorf("%s is kept %d times", id, n)
		}
	}
	for url, text := range want {
		if got := last[url]; !strings.HasSuffix(got, text) {
			t.Errorf("%s: kept %q, want %q at its end", url, got, text)
		}
	}
	if len(last) != len(want) {
		t.Errorf("%d articles are kept, want %d", len(last), len(want))
	}
}

// TestCrawl: 200 feeds of all kinds, twice; then some articles change, go and appear.
func TestCrawl(t *testing.T) {
	feeds := 200
	if testing.Short() {
		feeds = 40
	}
	room, dir := newsroom.Open(t, feeds), t.TempDir()
	o := options(t, dir, room.Feeds())
	sum, failed := crawled(t, o)
	want := room.Articles()
	if sum.New != len(want) || sum.Feeds != feeds || sum.Failed != 9 || sum.BadFeeds != 9 || len(failed) != 9 {
		t.Errorf("first run: %+v, want %d new; failed: %q", sum, len(want), failed)
	}
	checkKept(t, dir, want)
	checkBad(t, room, failed)

	room.Forget()
	slow := len(o.Feeds) - len(newsroom.Bad) + slices.Index(newsroom.Bad, "slow")
	o.Feeds = slices.Delete(slices.Clone(o.Feeds), slow, slow+1) // to wait for it once is enough
	again, _ := crawled(t, o)
	if again.New+again.Changed+again.Gone != 0 || again.Fresh != feeds-9 || again.Known != len(want) {
		t.Errorf("second run: %+v", again)
	}
	if asked := room.Asked("/go"); asked != 0 {
		t.Errorf("second run: %d links that lead elsewhere were followed again", asked)
	}
	if sent := room.Sent("/article"); sent != 0 {
		t.Errorf("second run: %d articles were sent again", sent)
	}
	if asked := room.Asked("/article"); asked != 0 {
		t.Errorf("second run: %d articles were asked for again", asked)
	}

	changed, gone, added := room.Change()
	o.Recheck = 0
	room.Forget()
	third, failed := crawled(t, o)
	if third.New != added || third.Changed != changed || third.Gone != gone || third.Failed != 8 {
		t.Errorf("after a change: %+v, want %d new, %d changed, %d gone; failed: %q", third, added, changed, gone, failed)
	}
	if sent := room.Sent("/article"); sent != added+changed {
		t.Errorf("after a change: %d articles were sent, want %d", sent, added+changed)
	}
	checkKept(t, dir, room.Articles())
	checkFiles(t, dir)
}

// checkBad wants each bad feed to be named with its reason.
func checkBad(t *testing.T, room *newsroom.Room, failed map[string]string) {
	t.Helper()
	reasons := map[string]string{
		"broken": "broken feed", "loop": "redirects form a loop", "forbidden": "robots.txt forbids it, by Disallow: /forbidden",
		"dead": "refused", "slow": "too slow: no response within 3s", "endless": "too large: more than 1048576 bytes",
		"bomb": "entities that contain other entities", "inside": "refused: the address is in your own network", "page": "not a feed",
	}
	feeds := room.Feeds()
	for i, kind := range newsroom.Bad {
		if kind == "later" {
			continue
		}
		if got := failed[feeds[len(feeds)-len(newsroom.Bad)+i]]; !strings.Contains(got, reasons[kind]) {
			t.Errorf("%s feed: %q, want %q", kind, got, reasons[kind])
		}
	}
}

// checkFiles compares the other files with the texts.
func checkFiles(t *testing.T, dir string) {
	t.Helper()
	recs := records(t, dir)
	pages := warcPages(t, dir)
	for _, rec := range recs {
		page := pages[rec.URL]
		if len(page) == 0 {
			t.Errorf("%s is in no WARC file", rec.URL)
		}
	}
	kept := 0
	for _, list := range pages {
		kept += len(list)
	}
	if kept != len(recs) {
		t.Errorf("the WARC files have %d pages, the texts are %d", kept, len(recs))
	}
	if got := lines(t, dir, "fingerprints/*.tsv"); got < 2*len(recs) {
		t.Errorf("%d fingerprints of %d articles with two paragraphs each at least", got, len(recs))
	}
	if got := grep(t, dir, "vertical/*.vert", "<doc "); got != len(recs) {
		t.Errorf("the vertical files have %d documents, the texts are %d", got, len(recs))
	}
}

// warcPages returns the pages in WARC files, as our own reader has them.
func warcPages(t *testing.T, dir string) map[string][]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "warc", "*.warc.gz"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no WARC files: %v", err)
	}
	pages := map[string][]string{}
	for _, path := range files {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		s, err := container.Open(t.Context(), f, path, container.Options{MaxBytes: 1 << 20})
		if err != nil {
			t.Fatal(err)
		}
		err = s.Each(t.Context(), func(rec container.Record, err error) error {
			if err != nil {
				t.Errorf("%s: %s: %v", path, rec.Name, err)
			}
			name := linkKey(rec.Name)
			pages[name] = append(pages[name], string(rec.Data))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return pages
}

func lines(t *testing.T, dir, pattern string) int { return grep(t, dir, pattern, "") }

// grep counts the lines of files that begin so.
func grep(t *testing.T, dir, pattern, start string) (n int) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		for s := bufio.NewScanner(f); s.Scan(); {
			if strings.HasPrefix(s.Text(), start) {
				n++
			}
		}
		f.Close()
	}
	return n
}

// TestInterrupted: runs that end at any moment, by an error or by falling over, lose
// nothing and double nothing.
func TestInterrupted(t *testing.T) {
	room, dir := newsroom.Open(t, 60), t.TempDir()
	o := options(t, dir, room.Feeds()[:50])
	var mu sync.Mutex
	for round := range 12 {
		ctx, cancel := context.WithCancel(t.Context())
		left := 1 + round*7
		o.Progress = func(Event) {
			mu.Lock()
			defer mu.Unlock()
			if left--; left == 0 {
				cancel()
			}
		}
		_, err := Run(ctx, o)
		cancel()
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		spoil(t, dir, round)
	}
	o.Progress = nil
	if _, err := Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	want := room.Articles()
	for url := range want {
		if !strings.Contains(url, "/article/") || feedOf(t, url) >= 50 {
			delete(want, url)
		}
	}
	checkKept(t, dir, want)
	checkFiles(t, dir)
}

func feedOf(t *testing.T, url string) (feed int) {
	t.Helper()
	if _, err := fmt.Sscanf(url[strings.Index(url, "/article/"):], "/article/%d/", &feed); err != nil {
		t.Fatal(err)
	}
	return feed
}

// spoil appends to files the leftovers of a killed run.
func spoil(t *testing.T, dir string, round int) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	logs, err := filepath.Glob(filepath.Join(dir, "crawl.log"))
	if err != nil {
		t.Fatal(err)
	}
	for i, file := range append(files, logs...) {
		if (i+round)%2 == 0 {
			continue
		}
		f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString("{\"id\":\"half a li"); err != nil {
			t.Fatal(err)
		}
		f.Close()
	}
}

// TestTwoAtOnce: one crawl at a time in a folder.
func TestTwoAtOnce(t *testing.T) {
	dir := t.TempDir()
	s, err := openState(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.db.Close()
	if _, err := Run(t.Context(), options(t, dir, nil)); err == nil || !strings.Contains(err.Error(), "another crawl is using it") {
		t.Errorf("Run beside another = %v", err)
	}
}

// TestFileChanged: a file that is shorter than it was is not written to.
func TestFileChanged(t *testing.T) {
	room, dir := newsroom.Open(t, 20), t.TempDir()
	o := options(t, dir, room.Feeds()[:3])
	if sum, _ := crawled(t, o); sum.New != 9 {
		t.Fatalf("%+v", sum)
	}
	files, _ := filepath.Glob(filepath.Join(dir, "text", "*"))
	if err := os.Truncate(files[0], 10); err != nil {
		t.Fatal(err)
	}
	if _, err := Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), "another program has changed it") {
		t.Errorf("after a file was cut: %v", err)
	}
	if err := os.Remove(files[0]); err != nil {
		t.Fatal(err)
	}
	if _, err := Run(t.Context(), o); err != nil {
		t.Errorf("after a file was taken away: %v", err)
	}
}

// feedOfPages serves a feed that lists pages, in order, and the handler of each.
func feedOfPages(t *testing.T, pages []string, answer http.HandlerFunc) (address string) {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/robots.txt":
			w.WriteHeader(http.StatusNotFound)
		case "/feed":
			fmt.Fprint(w, `<rss version="2.0"><channel>`)
			for _, page := range pages {
				fmt.Fprintf(w, "<item><title>%[1]s</title><link>%[1]s</link></item>", page)
			}
			fmt.Fprint(w, "</channel></rss>")
		default:
			answer(w, r)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL + "/feed"
}

// TestFailedLast: pages that never come do not keep a crawl from the others of their host,
// run after run; pages that come broken do not at all.
func TestFailedLast(t *testing.T) {
	done := make(chan struct{})
	defer close(done)
	pages := []string{"/b1", "/b2", "/b3", "/b4", "/s1", "/s2", "/s3", "/good1", "/good2"}
	feed := feedOfPages(t, pages, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path[1] {
		case 'b': // an answer that is cut off
			w.Header().Set("Content-Length", "1000")
		case 's': // none at all
			select {
			case <-done:
			case <-r.Context().Done():
			}
		default:
			fmt.Fprintf(w, "<!DOCTYPE html><title>%s</title><p>What %[1]s says is enough to be a text.", r.URL.Path)
		}
	})
	o := options(t, t.TempDir(), []string{feed})
	client, err := fetch.New(fetch.Options{UserAgent: "otisk/test (+https://example.org)", Allow: []string{"127.0.0.1"}, Delay: -1, Header: 500 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	o.Client = client
	if sum, failed := crawled(t, o); sum.New != 0 || sum.Failed != 9 || !strings.Contains(failed[strings.TrimSuffix(feed, "/feed")+"/good1"], "not requested") {
		t.Errorf("first run: %+v, %q", sum, failed)
	}
	if sum, failed := crawled(t, o); sum.New != 2 || sum.Failed != 7 {
		t.Errorf("second run: %+v, %q; want what was not asked for, before what failed", sum, failed)
	}
}

// TestFreshUnasked: an article of which a server says that it has not changed, though nobody has it,
// is not mistaken for one that exists.
func TestFreshUnasked(t *testing.T) {
	feed := feedOfPages(t, []string{"/a"}, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotModified) })
	for range 2 {
		if sum, failed := crawled(t, options(t, t.TempDir(), []string{feed})); sum.Failed != 1 || sum.Unchanged != 0 || len(failed) != 1 {
			t.Errorf("%+v, %q; want a failure", sum, failed)
		}
	}
}

// TestSkipped: articles without an address are reported; user name and password of a feed are not stored.
func TestSkipped(t *testing.T) {
	feed := feedOfPages(t, []string{"javascript:alert(1)", "/a"}, func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "<!DOCTYPE html><title>A</title><p>A text of some words.")
	})
	dir := t.TempDir()
	sum, failed := crawled(t, options(t, dir, []string{strings.Replace(feed, "//", "//me:secret@", 1)}))
	if sum.New != 1 || sum.Failed != 0 || failed[feed] != "articles without a web address: 1" {
		t.Errorf("%+v, %q", sum, failed)
	}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if bytes.Contains(data, []byte("secret")) {
			t.Errorf("the password is in %s", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

package crawl

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/otisk/otisk/gather/fetch"
)

// A shifted clock is ahead of that of the system.
type shifted struct {
	fetch.Clock
	by time.Duration
}

func (c shifted) Now() time.Time { return c.Clock.Now().Add(c.by) }

// later sets the clock of a crawl and of its client ahead.
func later(t *testing.T, o *Options, by time.Duration) {
	t.Helper()
	o.Clock = shifted{fetch.SystemClock, by}
	client, err := fetch.New(fetch.Options{UserAgent: "otisk/test (+https://example.org)", Allow: []string{"127.0.0.1"}, Delay: -1, Clock: o.Clock})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	o.Client = client
}

// TestBusyArticle: a server asks for a later request for one article. The following runs do not
// request it until then, and request the others.
func TestBusyArticle(t *testing.T) {
	var asked atomic.Int32
	feed := feedOfPages(t, []string{"/busy", "/a", "/b"}, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/busy" && asked.Add(1) < 3 {
			w.Header().Set("Retry-After", "7200")
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		fmt.Fprintf(w, "<!DOCTYPE html><title>%s</title><p>What %[1]s says is enough to be a text.", r.URL.Path)
	})
	dir := t.TempDir()
	for i, run := range []struct {
		at                  time.Duration
		added, failed, busy int
	}{
		{0, 0, 3, 1},             // the server is busy: nothing else is requested
		{time.Hour, 2, 1, 1},     // the others, but not the article
		{time.Hour, 0, 1, 1},     // nor in the next run
		{3 * time.Hour, 0, 1, 2}, // requested again, in vain
		{4 * time.Hour, 0, 1, 2}, // not requested
		{6 * time.Hour, 1, 0, 3}, // and found
		{6*time.Hour + 1, 0, 0, 3},
	} {
		o := options(t, dir, []string{feed}) // a client of its own, as in another process
		o.Recheck = 100 * time.Hour
		later(t, &o, run.at)
		sum, failed := crawled(t, o)
		if sum.New != run.added || sum.Failed != run.failed || len(failed) != run.failed || int(asked.Load()) != run.busy {
			t.Errorf("run %d: %+v, %q, the article was requested %d times; want %d new, %d failed, %d requests", i, sum, failed, asked.Load(), run.added, run.failed, run.busy)
		}
		for address, reason := range failed {
			if !strings.Contains(reason, "429") || i > 0 && !strings.HasSuffix(address, "/busy") {
				t.Errorf("run %d: %s failed: %s", i, address, reason)
			}
		}
	}
}

// TestBusyFeed: a feed is not requested before the time that its server states.
func TestBusyFeed(t *testing.T) {
	var asked atomic.Int32
	server := sitemaps(t, map[string]func(http.ResponseWriter){"/rss": func(w http.ResponseWriter) {
		if asked.Add(1) == 1 {
			w.Header().Set("Retry-After", "7200")
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		fmt.Fprint(w, "<rss><channel/></rss>")
	}})
	dir := t.TempDir()
	for i, run := range []struct {
		at            time.Duration
		failed, asked int
	}{{0, 1, 1}, {time.Hour, 1, 1}, {3 * time.Hour, 0, 2}, {3 * time.Hour, 0, 3}} {
		o := options(t, dir, []string{server + "/rss"})
		later(t, &o, run.at)
		if sum, failed := crawled(t, o); sum.BadFeeds != run.failed || int(asked.Load()) != run.asked {
			t.Errorf("run %d: %+v, %q, %d requests; want %d failed, %d requests", i, sum, failed, asked.Load(), run.failed, run.asked)
		}
	}
}

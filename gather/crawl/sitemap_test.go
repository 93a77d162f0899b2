package crawl

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/otisk/otisk/internal/testing/need"
)

// sitemaps serves answers by path, and a page at other paths that begin with /page.
func sitemaps(t *testing.T, answers map[string]func(http.ResponseWriter)) (address string) {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch answer := answers[r.URL.Path]; {
		case answer != nil:
			answer(w)
		case strings.HasPrefix(r.URL.Path, "/page"):
			fmt.Fprintf(w, "<!DOCTYPE html><title>%s</title><p>What %[1]s says is enough to be a text.", r.URL.Path)
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func zipped(text string) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write([]byte(text))
	_ = z.Close()
	return b.Bytes()
}

// TestSitemaps: an index of sitemaps is read with its sitemaps, compressed ones included. Each
// page is requested again only if its date has changed. Broken sitemaps are reported.
func TestSitemaps(t *testing.T) {
	changed := "2026-03-01"
	answers := map[string]func(http.ResponseWriter){}
	server := sitemaps(t, answers)
	answers["/sitemap.xml"] = func(w http.ResponseWriter) {
		w.Header().Set("ETag", `"1"`)
		fmt.Fprint(w, `<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><sitemap><loc>/a.xml</loc></sitemap><sitemap><loc>/b.xml.gz</loc></sitemap>
			<sitemap><loc>/cut.xml</loc></sitemap><sitemap><loc>/nested.xml</loc></sitemap><sitemap><loc>/gone.xml</loc></sitemap><sitemap><loc>/sitemap.xml</loc></sitemap></sitemapindex>`)
	}
	answers["/a.xml"] = func(w http.ResponseWriter) {
		fmt.Fprintf(w, "<urlset><url><loc>/page1</loc><lastmod>%s</lastmod></url><url><loc>/page2</loc></url></urlset>", changed)
	}
	answers["/b.xml.gz"] = func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "application/gzip")
		_, _ = w.Write(zipped("<urlset><url><loc>/page3</loc></url></urlset>"))
	}
	answers["/cut.xml"] = func(w http.ResponseWriter) { fmt.Fprint(w, "<urlset><url><loc>/page4</loc></url><url><loc>/pa") }
	answers["/nested.xml"] = func(w http.ResponseWriter) {
		fmt.Fprint(w, "<sitemapindex><sitemap><loc>/deep.xml</loc></sitemap></sitemapindex>")
	}
	o := options(t, t.TempDir(), []string{server + "/sitemap.xml"})
	sum, failed := crawled(t, o)
	if sum.New != 4 || sum.Feeds != 6 || sum.BadFeeds != 2 || len(failed) != 3 {
		t.Errorf("first run: %+v, %q", sum, failed)
	}
	for path, reason := range map[string]string{"/cut.xml": "of which 1 entries were read", "/nested.xml": "lists another index", "/gone.xml": "404"} {
		if !strings.Contains(failed[server+path], reason) {
			t.Errorf("%s: %q, want %q", path, failed[server+path], reason)
		}
	}
	changed = "2026-03-02"
	answers["/page1"] = func(w http.ResponseWriter) {
		fmt.Fprint(w, "<!DOCTYPE html><p>What the page says today is another text.")
	}
	if sum, failed := crawled(t, o); sum.New != 0 || sum.Changed != 1 || sum.Known != 3 {
		t.Errorf("second run: %+v, %q; want the page with another date", sum, failed)
	}
}

// TestUnzipped: a gzip file that is too large once it is decompressed is refused.
func TestUnzipped(t *testing.T) {
	need.OneGoroutine(t)
	if got, err := unzipped(zipped("text")); string(got) != "text" || err != nil {
		t.Errorf("unzipped = %q, %v", got, err)
	}
	long := strings.Repeat("text of a sitemap ", 100)
	if got, err := unzipped(zipped(long)[:30]); err != nil || len(got) == 0 || !strings.HasPrefix(long, string(got)) {
		t.Errorf("a truncated file: %q, %v, want the text before", got, err)
	}
	if _, err := unzipped(zipped(strings.Repeat(" ", maxUnzipped+1))); err == nil || !strings.Contains(err.Error(), "too large") {
		t.Errorf("a file of %d bytes: %v", maxUnzipped+1, err)
	}
	if _, err := unzipped([]byte("\x1f\x8btext")); err == nil {
		t.Error("a broken file has no error")
	}
}

package crawl

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/otisk/otisk/corpus"
	"github.com/otisk/otisk/document/article"
	"github.com/otisk/otisk/gather/fetch"
	"github.com/otisk/otisk/normalize"
)

// answer is a server's response for a feed.
func answer(media, body string) *fetch.Response {
	return &fetch.Response{Hop: fetch.Hop{URL: "https://a.cz/news/rss.xml", Status: 200, Header: http.Header{"Content-Type": {media}}}, Body: []byte(body)}
}

// TestParseFeed takes addresses, titles, authors and dates out of feeds.
func TestParseFeed(t *testing.T) {
	for _, tt := range []struct{ name, body, want string }{
		{"relative", `<rss version="2.0"><channel><item><title>A &amp;amp;
			B</title><link>../x.html#top</link><pubDate>Sun, 01 Mar 2026 10:00:00 +0100</pubDate></item></channel></rss>`, "https://a.cz/x.html [A & B] [] 2026-03-01T09:00:00Z"},
		{"xml:base", `<feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://b.cz/d/"><entry><title>A</title><link href="x"/><author><name>J. N.</name></author></entry></feed>`, "https://b.cz/d/x [A] [J. N.] 0001-01-01T00:00:00Z"},
		{"address in guid", `<rss><channel><item><guid>https://b.cz/1</guid></item></channel></rss>`, "https://b.cz/1 [] [] 0001-01-01T00:00:00Z"},
		{"RSS 1.0", `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"><item><title>A</title><link>https://b.cz/</link></item></rdf:RDF>`, "https://b.cz/ [A] [] 0001-01-01T00:00:00Z"},
		{"white space before it", "\n\n <?xml version=\"1.0\"?><rss><channel><item><link>/a</link></item></channel></rss>", "https://a.cz/a [] [] 0001-01-01T00:00:00Z"},
		{"other schemes", `<rss><channel><item><link>javascript:alert(1)</link></item><item><link>/a</link></item></channel></rss>`, "https://a.cz/a [] [] 0001-01-01T00:00:00Z"},
		{"HTML in a title", `<rss><channel><item><title><![CDATA[<b class="x">A</b> &lt; B &#8217;]]></title><link>https://me:secret@b.cz/a</link></item></channel></rss>`, "https://b.cz/a [A < B ’] [] 0001-01-01T00:00:00Z"},
		{"too long", `<rss><channel><item><link>/` + strings.Repeat("a", 5000) + `</link></item><item><link>/a</link></item></channel></rss>`, "https://a.cz/a [] [] 0001-01-01T00:00:00Z"},
		{"twice", `<rss><channel><item><link>/a</link></item><item><link>/a</link></item></channel></rss>`, "https://a.cz/a [] [] 0001-01-01T00:00:00Z"},
		{"a DTD of old", `<!DOCTYPE rdf [<!ENTITY % HTMLlat1 PUBLIC "-//W3C//ENTITIES Latin 1 for XHTML//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml-lat1.ent">]><rss><channel><item><link>/a</link></item></channel></rss>`, "https://a.cz/a [] [] 0001-01-01T00:00:00Z"},
		{"none", `<rss><channel></channel></rss>`, ""},
		{"only ids", `<rss><channel><item><guid>1</guid></item></channel></rss>`, "! broken feed: none of its 1 articles has a web address"},
		{"a page", "<!DOCTYPE html><p>x", "! not a feed: neither"}, {"empty", " ", "! no text in it"},
		{"a page with feeds", `<!DOCTYPE html><title>A</title><link rel=alternate hreflang=en href=/en><link rel="Alternate" type="application/rss+xml" href="/rss"><link rel=alternate type="application/atom+xml" href="//b.cz/atom">`, "! not a feed, but a page that names https://a.cz/rss, https://b.cz/atom"},
		{"cut off", `<rss><channel><item><title>A</title><link>/a</link></item><item><link>/b</link></item><item><title>C</title><li`,
			"https://a.cz/a [A] [] 0001-01-01T00:00:00Z\nhttps://a.cz/b [] [] 0001-01-01T00:00:00Z\nleft: broken feed, of whose 3 articles 2 were read: XML syntax error on line 1: unexpected EOF"},
		{"an entry not closed", `<feed xml:base="https://b.cz/"><entry><title>A</title><link href="a"/><entry><link href="b"/></entry></feed></feed>`,
			"https://b.cz/a [A] [] 0001-01-01T00:00:00Z\nleft: broken feed, of whose 2 articles 1 were read: an article has no end tag, or is in the wrong element"},
		{"bare ampersands", `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"><item><link>http://a.cz/?a=1&b=2&c</link></item><item><title>`,
			"http://a.cz/?a=1&b=2&c [] [] 0001-01-01T00:00:00Z\nleft: broken feed, of whose 2 articles 1 were read: "},
		{"a sitemap", `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:n="http://www.google.com/schemas/sitemap-news/0.9" xmlns:i="http://www.google.com/schemas/sitemap-image/1.1">
			<url><loc> https://a.cz/x#y </loc><lastmod>2026-03-01</lastmod><i:image><i:loc>https://a.cz/i.png</i:loc></i:image></url>
			<url><loc>/y</loc><n:news><n:publication_date>2026-03-01T10:00+01:00</n:publication_date><n:title>A &amp; B</n:title></n:news></url><url><loc>/y</loc></url><url><loc>ftp://a.cz/</loc></url></urlset>`,
			"https://a.cz/x [] [] 0001-01-01T00:00:00Z\nhttps://a.cz/y [A & B] [] 2026-03-01T09:00:00Z\nleft: articles without a web address: 1"},
		{"a sitemap cut off", `<urlset><url><loc>/x</loc></url><url><loc>/y</lo`, "https://a.cz/x [] [] 0001-01-01T00:00:00Z\nleft: broken sitemap, of which 1 entries were read: "},
		{"a broken sitemap", `<urlset><url><lo`, "! broken sitemap: "}, {"an empty sitemap", `<urlset/>`, ""},
		{"external entity", `<!DOCTYPE rss [<!ENTITY x SYSTEM "file:///etc/passwd">]><rss><channel><item><title>&x;</title><link>/a</link></item></channel></rss>`, "https://a.cz/a [&x;] [] 0001-01-01T00:00:00Z"},
	} {
		feed, err := parseFeed(t.Context(), answer("application/rss+xml", tt.body))
		var got []string
		for _, it := range itemsOf(feed) {
			got = append(got, fmt.Sprintf("%s [%s] [%s] %s", it.Link, it.Title, it.Author, it.Date.Format(time.RFC3339)))
		}
		if err != nil {
			got = append(got, "! "+err.Error())
		}
		if feed != nil && feed.left != nil && (feed.broken || tt.name == "a sitemap") {
			got = append(got, "left: "+feed.left.Error())
		}
		if all := strings.Join(got, "\n"); all != tt.want && (err == nil && !strings.Contains(tt.want, "left: broken") || !strings.HasPrefix(all, tt.want)) {
			t.Errorf("%s: %q, want %q", tt.name, all, tt.want)
		}
	}
}

// itemsOf returns the items of a reading, which may be nil.
func itemsOf(r *reading) []*item {
	if r == nil {
		return nil
	}
	return r.items
}

// TestFeedChanges: an article that could never be fetched is kept when the feed drops it, and a
// changed item is detected.
func TestFeedChanges(t *testing.T) {
	now := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	rss := func(items string) *fetch.Response {
		return answer("text/xml", "<rss><channel>"+items+"</channel></rss>")
	}
	f := new(feed)
	has := func(link string) bool { return strings.HasSuffix(link, "/b") }
	if err := f.read(t.Context(), rss("<item><link>/a</link></item><item><link>/b</link></item><item><link>/c</link></item>"), now, has); err != nil {
		t.Fatal(err)
	}
	f.Items[2].Done = f.Items[2].Hash
	if err := f.read(t.Context(), rss("<item><link>/c</link><description>corrected</description></item>"), now.Add(time.Hour), has); err != nil {
		t.Fatal(err)
	}
	if len(f.Items) != 2 || f.Items[0].Done == f.Items[0].Hash || f.Items[0].Done == "" || f.Items[1].Link != "https://a.cz/a" {
		t.Errorf("after an hour: %+v", f.Items)
	}
	if err := f.read(t.Context(), rss("<item><link>/c</link></item>"), now.Add(8*24*time.Hour), has); err != nil {
		t.Fatal(err)
	}
	if len(f.Items) != 1 {
		t.Errorf("after a week %d articles are waited for, want that of the feed", len(f.Items))
	}
}

// TestVertical: a reader of vertical files gets back the text that was written.
func TestFeedText(t *testing.T) {
	content := "<p>" + first + "</p><p>" + second + "</p><p>" + first + "</p>"
	rss := `<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel>
<item><title>All</title><link>https://example.cz/a</link><content:encoded><![CDATA[` + content + `]]></content:encoded></item>
<item><title>Summary</title><link>https://example.cz/b</link><description>Starý mlýn byl prodán.</description></item></channel></rss>`
	feed, err := parseFeed(t.Context(), answer("application/rss+xml", rss))
	items := itemsOf(feed)
	if err != nil || len(items) != 2 || items[0].Text != first+"\n\n"+second+"\n\n"+first || items[1].Text != "" {
		t.Fatalf("items %+v, %v", items, err)
	}
	r := &run{opts: &Options{}}
	for body, want := range map[string]string{"<p>Starý mlýn byl": ByFeed, "": ByFeed, content + content: article.ByArticle} {
		res := answer("text/html; charset=utf-8", "<!DOCTYPE html><body>"+body)
		if a, err := r.extract(t.Context(), res, items[0]); err != nil || a.Way != want || a.Title != "All" {
			t.Errorf("a page with %d bytes: %+v, %v, want the text by %s", len(body), a, err, want)
		}
	}
}

func TestVertical(t *testing.T) {
	text := "„Mlýn“ stojí (prý) 1,5 % ceny; a < b & c > d, <p>.\n\nDruhý odstavec… s českými slovy: žluťoučký kůň.\n\n<doc> </doc> &amp;"
	rec := newRecord(&Article{URL: "https://a.cz/?a=1&b=\"2\"", Title: "A < \"B\"", Text: text}, "https://a.cz/rss", 1, time.Unix(0, 0).UTC())
	path := filepath.Join(t.TempDir(), "a.vert")
	if err := os.WriteFile(path, vertical(rec), 0o600); err != nil {
		t.Fatal(err)
	}
	set, err := normalize.NewSet(normalize.DefaultRules(), nil)
	if err != nil {
		t.Fatal(err)
	}
	in := &corpus.Input{Paths: []string{path}, Norms: set, Problem: func(where string, err error) { t.Errorf("%s: %v", where, err) }}
	var got []string
	_, err = corpus.Each(t.Context(), in, func(d *corpus.Doc) error {
		got = append(got, d.ID, d.Text)
		return nil
	})
	if err != nil || len(got) != 2 || got[0] != rec.ID || got[1] != text {
		t.Errorf("read %q (%v), want %q", got, err, []string{rec.ID, text})
	}
}

// TestFingerprints: the same paragraph has the same line but for its article.
func TestFingerprints(t *testing.T) {
	norm, err := normalize.New(normalize.DefaultRules())
	if err != nil {
		t.Fatal(err)
	}
	lines := func(id, text string) []string {
		return strings.Split(strings.TrimSpace(string(fingerprints(norm, &record{ID: id, Text: text}))), "\n")
	}
	a, b := lines("a", first+"\n\nKrátce."), lines("b", "Jinak.\n\n"+strings.ToUpper(first))
	if len(a) != 2 || len(b) != 2 || strings.TrimSuffix(a[0], "a") != strings.TrimSuffix(b[1], "b") || !strings.Contains(a[0], "\td\t") || !strings.Contains(a[1], "\tk\t1\t") {
		t.Errorf("%q\n%q", a, b)
	}
}

func FuzzParseFeed(f *testing.F) {
	f.Add("text/xml", []byte(`<?xml version="1.0" encoding="windows-1250"?><rss><channel><item><title>a</title><link>/a</link></item></channel></rss>`))
	f.Add("application/json", []byte(`{"version":"https://jsonfeed.org/version/1","items":[{"id":"1","url":"/a"}]}`))
	f.Add("", []byte(`<urlset><url><loc>/a</loc><lastmod>2026-03-01</lastmod></url><url><loc>`))
	f.Add("", []byte(`<rss><channel><item><link>/a?b&c</link></item><item><title>`))
	f.Add("", []byte(`<feed xmlns="http://www.w3.org/2005/Atom"><entry><link href="a"/></entry></feed>`))
	f.Fuzz(func(t *testing.T, media string, body []byte) {
		got, err := parseFeed(t.Context(), answer(media, string(body)))
		if err != nil {
			return
		}
		for _, it := range got.items {
			if fetch.Check(it.Link) != nil {
				t.Fatalf("%q is no address", it.Link)
			}
		}
	})
}

// Package newsroom is a news server for tests: feeds of all kinds on several hosts of this
// machine, with articles that change and disappear.
//
// [Open] starts it. [Room.Articles] lists the articles that a crawl should find;
// [Room.Sent] and [Room.Asked] record the requests.
package newsroom

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/andybalholm/brotli"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
)

// hosts is the number of servers.
const hosts = 20

// perFeed is the number of articles in a good feed.
const perFeed = 3

// A Room is the servers of a test.
type Room struct {
	servers []*httptest.Server
	dead    string // address without a server

	mu      sync.Mutex
	count   int // number of feeds
	changed map[string]int
	gone    map[string]bool
	extra   map[int]int // number of additional articles, by feed
	sent    map[string]int
	asked   map[string]int
}

// Open starts servers with this many feeds. The last ten of them are bad, each in
// its own way: [Room.Bad].
func Open(t testing.TB, count int) *Room {
	t.Helper()
	r := &Room{count: count, changed: map[string]int{}, gone: map[string]bool{}, extra: map[int]int{}}
	r.Forget()
	for i := range hosts {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) { r.serve(w, q, i) }))
		t.Cleanup(s.Close)
		r.servers = append(r.servers, s)
	}
	nobody := httptest.NewServer(http.NotFoundHandler())
	r.dead = nobody.URL
	nobody.Close()
	return r
}

// kinds are the kinds of good feeds, by number.
var kinds = []string{"rss", "atom", "cp1250", "latin2", "gzip", "brotli", "relative", "moved", "json", "plain"}

// Bad names the defects of the bad feeds, which are the last ones.
var Bad = []string{"broken", "loop", "forbidden", "later", "dead", "slow", "endless", "bomb", "inside", "page"}

// kind returns the kind or the defect of a feed.
func (r *Room) kind(feed int) string {
	if at := feed - (r.count - len(Bad)); at >= 0 {
		return Bad[at]
	}
	return kinds[feed%len(kinds)]
}

// isBad reports whether a feed cannot be read.
func (r *Room) isBad(feed int) bool {
	return feed >= r.count-len(Bad) && r.kind(feed) != "later"
}

// Feeds returns the addresses of all feeds.
func (r *Room) Feeds() (list []string) {
	for i := range r.count {
		base := r.base(i)
		if r.kind(i) == "dead" {
			base = r.dead
		}
		list = append(list, fmt.Sprintf("%s/feed/%d", base, i))
	}
	return list
}

// base returns the address of the host of a feed.
func (r *Room) base(feed int) string { return r.servers[feed%len(r.servers)].URL }

// Articles returns the present text of each article, by its address, and the last text of
// those that are gone.
func (r *Room) Articles() map[string]string {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := map[string]string{}
	for feed := range r.count {
		if r.isBad(feed) {
			continue
		}
		for n := range perFeed + r.extra[feed] {
			path := articlePath(feed, n)
			all[r.base(feed)+path] = body(path, r.changed[path])
		}
	}
	return all
}

// Change changes some articles, removes some, and adds some to feeds. It returns the number
// of each.
func (r *Room) Change() (changed, gone, added int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for feed := range r.count {
		if r.isBad(feed) {
			continue
		}
		if path := articlePath(feed, 0); feed%3 == 0 && !r.gone[path] {
			r.changed[path]++
			changed++
		}
		if path := articlePath(feed, 1); feed%7 == 0 && !r.gone[path] {
			r.gone[path] = true
			gone++
		}
		if feed%5 == 0 {
			r.extra[feed]++
			added++
		}
	}
	return changed, gone, added
}

// Forget clears the records of requests and answers.
func (r *Room) Forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sent, r.asked = map[string]int{}, map[string]int{}
}

// Sent returns the number of bodies sent for paths with this prefix.
func (r *Room) Sent(prefix string) (n int) { return r.sum(r.sent, prefix) }

// Asked returns the number of requests for paths with this prefix.
func (r *Room) Asked(prefix string) (n int) { return r.sum(r.asked, prefix) }

func (r *Room) sum(of map[string]int, prefix string) (n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for path, count := range of {
		if strings.HasPrefix(path, prefix) {
			n += count
		}
	}
	return n
}

func articlePath(feed, n int) string { return fmt.Sprintf("/article/%d/%d.html", feed, n) }

// body returns the text of an article: two paragraphs that no other article has.
func body(path string, version int) string {
	var words []string
	for i := range 60 {
		words = append(words, fmt.Sprintf("%s%d", []string{"příliš", "žluťoučký", "kůň", "úpěl", "ďábelské", "ódy", "řeka", "město"}[i%8], len(path)*7+i%11))
	}
	first := fmt.Sprintf("Článek %s ve verzi %d: ", strings.Trim(path, "/"), version) + strings.Join(words[:40], " ") + "."
	return first + "\n\n" + "Druhý odstavec " + strings.Trim(path, "/") + " má jiná slova, " + strings.Join(words[20:], " ") + "."
}

// serve answers a request to a host.
func (r *Room) serve(w http.ResponseWriter, q *http.Request, host int) {
	r.mu.Lock()
	r.asked[q.URL.Path]++
	asked := r.asked[q.URL.Path]
	r.mu.Unlock()
	parts := strings.Split(strings.Trim(q.URL.Path, "/"), "/")
	feed := -1
	if len(parts) > 1 {
		feed, _ = strconv.Atoi(parts[1])
	}
	switch {
	case q.URL.Path == "/robots.txt":
		r.send(w, q, "text/plain", "", []byte("User-agent: *\nDisallow: /forbidden\n"))
	case parts[0] == "feed":
		r.feed(w, q, feed, asked)
	case parts[0] == "article":
		r.article(w, q, feed)
	case parts[0] == "moved":
		r.feed(w, q, feed, asked)
	case parts[0] == "go":
		http.Redirect(w, q, "/article"+strings.TrimPrefix(q.URL.Path, "/go"), http.StatusFound)
	case parts[0] == "loop":
		http.Redirect(w, q, fmt.Sprintf("/feed/%d", feed), http.StatusFound)
	default:
		http.NotFound(w, q)
	}
}

// send answers with a body, or with status 304 if it has not changed.
func (r *Room) send(w http.ResponseWriter, q *http.Request, media, encoding string, data []byte) {
	tag := fmt.Sprintf(`"%x"`, len(data)*31+int(sum(data)))
	if q.Header.Get("If-None-Match") == tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	w.Header().Set("ETag", tag)
	w.Header().Set("Content-Type", media)
	if encoding != "" {
		var b bytes.Buffer
		var z io.WriteCloser = gzip.NewWriter(&b)
		if encoding == "br" {
			z = brotli.NewWriter(&b)
		}
		_, _ = z.Write(data)
		_ = z.Close()
		data = b.Bytes()
		w.Header().Set("Content-Encoding", encoding)
	}
	r.mu.Lock()
	r.sent[q.URL.Path]++
	r.mu.Unlock()
	_, _ = w.Write(data)
}

func sum(data []byte) (n uint32) {
	for _, c := range data {
		n = n*31 + uint32(c)
	}
	return n
}

// article sends a page with an article and boilerplate.
func (r *Room) article(w http.ResponseWriter, q *http.Request, feed int) {
	path := q.URL.Path
	r.mu.Lock()
	version, gone := r.changed[path], r.gone[path]
	r.mu.Unlock()
	if gone {
		w.WriteHeader(http.StatusGone)
		return
	}
	var b strings.Builder
	media, enc := "text/html; charset=utf-8", encoding.Encoding(encoding.Nop)
	meta := "utf-8"
	switch r.kind(feed) {
	case "cp1250":
		media, meta, enc = "text/html", "windows-1250", charmap.Windows1250
	case "latin2":
		media, meta, enc = "text/html; charset=iso-8859-2", "utf-8", charmap.ISO8859_2
	}
	fmt.Fprintf(&b, `<!DOCTYPE html><html><head><meta charset="%s"><title>Titulek %s | Noviny</title></head><body>
<nav><a href="/">Domů</a> <a href="/sport">Sport</a> <a href="/kultura">Kultura</a></nav>
<article><h1>Titulek %s</h1>`, meta, path, path)
	for par := range strings.SplitSeq(body(path, version), "\n\n") {
		fmt.Fprintf(&b, "<p>%s</p>\n", html.EscapeString(par))
	}
	b.WriteString("</article>\n<footer>Všechna práva vyhrazena. Kontakt, reklama, nastavení soukromí.</footer></body></html>")
	data, err := enc.NewEncoder().Bytes([]byte(b.String()))
	if err != nil {
		panic(err)
	}
	r.send(w, q, media, map[string]string{"gzip": "gzip", "brotli": "br"}[r.kind(feed)], data)
}

// feed sends a feed of its kind.
func (r *Room) feed(w http.ResponseWriter, q *http.Request, feed, asked int) {
	kind := r.kind(feed)
	switch kind {
	case "moved":
		if strings.HasPrefix(q.URL.Path, "/feed") {
			http.Redirect(w, q, fmt.Sprintf("/moved/%d/deep/rss.xml", feed), http.StatusMovedPermanently)
			return
		}
	case "loop":
		http.Redirect(w, q, fmt.Sprintf("/loop/%d", feed), http.StatusFound)
		return
	case "forbidden":
		http.Redirect(w, q, "/forbidden/feed", http.StatusFound)
		return
	case "later":
		if asked == 1 {
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
	case "slow":
		select {
		case <-q.Context().Done():
		case <-time.After(time.Minute):
		}
		return
	case "endless":
		r.endless(w)
		return
	case "inside":
		http.Redirect(w, q, strings.Replace(r.base(feed), "127.0.0.1", "localhost", 1)+"/article/0/0.html", http.StatusFound)
		return
	}
	media, enc, data := r.feedText(feed, kind)
	encoded, err := enc.NewEncoder().Bytes([]byte(data))
	if err != nil {
		panic(err)
	}
	r.send(w, q, media, map[string]string{"gzip": "gzip", "brotli": "br"}[kind], encoded)
}

// endless sends a gigabyte.
func (r *Room) endless(w http.ResponseWriter) {
	item := []byte(strings.Repeat("<item><title>a</title><link>/x</link></item>\n", 1000))
	_, err := w.Write([]byte("<rss version=\"2.0\"><channel>"))
	for sent := 0; err == nil && sent < 1<<30; sent += len(item) {
		_, err = w.Write(item)
	}
}

// feedText returns a feed, its media type and its encoding.
func (r *Room) feedText(feed int, kind string) (media string, enc encoding.Encoding, text string) {
	r.mu.Lock()
	count := perFeed + r.extra[feed]
	r.mu.Unlock()
	enc, media = encoding.Nop, "application/rss+xml"
	declared, base := "utf-8", r.base(feed)
	switch kind {
	case "atom":
		return "application/atom+xml", enc, atom(base, feed, count)
	case "json":
		return "application/feed+json", enc, jsonFeed(base, feed, count)
	case "page":
		return "text/html", enc, "<!DOCTYPE html><title>Nenalezeno</title><p>Tady žádný kanál není."
	case "bomb":
		return "text/xml", enc, bomb()
	case "cp1250":
		enc, declared = charmap.Windows1250, "windows-1250"
	case "latin2":
		enc, media, declared = charmap.ISO8859_2, "text/xml; charset=iso-8859-2", ""
	case "relative", "moved":
		base = ""
	}
	text = rss(declared, base, feed, count)
	if kind == "moved" { // its articles are redirected, too
		text = strings.ReplaceAll(text, "<link>/article/", "<link>/go/")
	}
	if kind == "broken" {
		text = text[:strings.Index(text, "</title>")] + "<<<]]>" // no item of it is whole
	}
	return media, enc, text
}

func rss(encoding, base string, feed, count int) string {
	var b strings.Builder
	b.WriteString(`<?xml version="1.0"`)
	if encoding != "" {
		b.WriteString(` encoding="` + encoding + `"`)
	}
	b.WriteString("?>\n<rss version=\"2.0\"><channel><title>Žluťoučké noviny</title><link>http://example.org/</link>\n")
	for n := range count {
		fmt.Fprintf(&b, "<item><title>Zpráva číslo %d &amp; žába</title><link>%s%s?utm_source=rss</link><guid isPermaLink=\"false\">%d-%d</guid><pubDate>Sun, 01 Mar 2026 10:%02d:00 +0100</pubDate></item>\n",
			n, base, articlePath(feed, n), feed, n, n%60)
	}
	return b.String() + "</channel></rss>\n"
}

func atom(base string, feed, count int) string {
	var b strings.Builder
	b.WriteString("<?xml version=\"1.0\"?>\n<feed xmlns=\"http://www.w3.org/2005/Atom\"><title>Noviny</title><id>urn:a</id>\n")
	for n := range count {
		fmt.Fprintf(&b, "<entry><title>Zpráva číslo %d</title><link href=\"%s%s\"/><id>urn:%d:%d</id><author><name>Jana Nováková</name></author><published>2026-03-01T10:%02d:00Z</published></entry>\n",
			n, base, articlePath(feed, n), feed, n, n%60)
	}
	return b.String() + "</feed>\n"
}

func jsonFeed(base string, feed, count int) string {
	var items []string
	for n := range count {
		items = append(items, fmt.Sprintf(`{"id":"%d","url":"%s%s","title":"Zpráva číslo %d","date_published":"2026-03-01T10:%02d:00Z"}`, n, base, articlePath(feed, n), n, n%60))
	}
	return `{"version":"https://jsonfeed.org/version/1.1","title":"Noviny","items":[` + strings.Join(items, ",") + "]}"
}

// bomb returns a small feed whose entities expand to gigabytes.
func bomb() string {
	var b strings.Builder
	b.WriteString("<?xml version=\"1.0\"?>\n<!DOCTYPE rss [\n<!ENTITY a0 \"bombbombbomb\">\n")
	for i := 1; i < 12; i++ {
		fmt.Fprintf(&b, "<!ENTITY a%d \"%s\">\n", i, strings.Repeat(fmt.Sprintf("&a%d;", i-1), 10))
	}
	return b.String() + "]>\n<rss version=\"2.0\"><channel><title>&a11;</title><item><title>&a11;</title><link>&a11;</link></item></channel></rss>"
}

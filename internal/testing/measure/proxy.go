package measure

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// A Proxy passes requests to a server of an index in a cluster, delays each by a latency, and adds up
// requests by their kind.
type Proxy struct {
	*httptest.Server
	mu    sync.Mutex
	kinds map[string]*Traffic
}

// Traffic is the sums of some requests.
type Traffic struct {
	Requests, Sent, Received int64         // the number, and bytes of requests and of answers
	Time                     time.Duration // from each request to the end of its answer
}

func (t *Traffic) add(o *Traffic) {
	t.Requests, t.Sent, t.Received, t.Time = t.Requests+o.Requests, t.Sent+o.Sent, t.Received+o.Received, t.Time+o.Time
}

// NewProxy starts a proxy to a URL. The caller has to close it.
func NewProxy(to string, latency time.Duration) (*Proxy, error) {
	target, err := url.Parse(to)
	if err != nil {
		return nil, err
	}
	p := &Proxy{kinds: map[string]*Traffic{}}
	pass := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(latency)
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		answer, start := counter{ResponseWriter: w}, time.Now()
		pass.ServeHTTP(&answer, r)
		p.count(kindOf(r.URL.Path, unpacked(r, body)), &Traffic{1, int64(len(body)), answer.bytes, time.Since(start)})
	}))
	return p, nil
}

// unpacked returns the body of a request, decompressed if it is compressed.
func unpacked(r *http.Request, body []byte) []byte {
	if r.Header.Get("Content-Encoding") != "gzip" {
		return body
	}
	z, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return nil
	}
	plain, _ := io.ReadAll(z) // the server reports a damaged body
	return plain
}

func (p *Proxy) count(kind string, t *Traffic) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.kinds[kind] == nil {
		p.kinds[kind] = &Traffic{}
	}
	p.kinds[kind].add(t)
}

// partPattern matches the condition of a search that limits it to a part of an index.
var partPattern = regexp.MustCompile(`"_index":"[^"]*-([a-z0-9]+)-[0-9]+"`)

// kindOf returns the kind of a request: the part of the index that it searches, or "other".
func kindOf(path string, body []byte) string {
	part := partPattern.FindSubmatch(body)
	switch {
	case !strings.HasSuffix(path, "search") || part == nil || bytes.Contains(body, []byte(`"kinds"`)):
		return "other"
	case string(part[1]) != "pairs":
		return string(part[1])
	case bytes.Contains(body, []byte(`"counts"`)):
		return "pairs, counts"
	case bytes.Contains(body, []byte(`"ids"`)):
		return "pairs, blocks"
	}
	return "pairs, windows"
}

// Total returns the sums of all requests so far.
func (p *Proxy) Total() (all Traffic) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, t := range p.kinds {
		all.add(t)
	}
	return all
}

// Report returns a line with the requests and the bytes of one run, averaged over equal runs, and those of each kind.
func (p *Proxy) Report(runs int) string {
	all := p.Total()
	p.mu.Lock()
	defer p.mu.Unlock()
	var kinds []string
	for _, kind := range slices.Sorted(maps.Keys(p.kinds)) {
		t := p.kinds[kind]
		kinds = append(kinds, fmt.Sprintf("%s %d, %.2f MB, %.2f s", kind, t.Requests/int64(runs), megabytes(t.Received, runs), t.Time.Seconds()/float64(runs)))
	}
	return fmt.Sprintf("%d requests of %.2f MB, %.2f MB of answers: %s", all.Requests/int64(runs),
		megabytes(all.Sent, runs), megabytes(all.Received, runs), strings.Join(kinds, "; "))
}

func megabytes(bytes int64, runs int) float64 { return float64(bytes) / float64(runs) / 1e6 }

// A counter counts the bytes that are written through it.
type counter struct {
	http.ResponseWriter
	bytes int64
}

func (c *counter) Write(b []byte) (int, error) {
	n, err := c.ResponseWriter.Write(b)
	c.bytes += int64(n)
	return n, err
}

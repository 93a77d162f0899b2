package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync/atomic"
	"time"
)

// A proxy passes requests to a server, counts them and the bytes of the answers,
// and delays each by a latency.
type proxy struct {
	*httptest.Server
	requests, bytes atomic.Int64
}

func newProxy(to string, latency time.Duration) (*proxy, error) {
	target, err := url.Parse(to)
	if err != nil {
		return nil, err
	}
	p := &proxy{}
	pass := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(latency)
		p.requests.Add(1)
		pass.ServeHTTP(&counter{w, &p.bytes}, r)
	}))
	return p, nil
}

// counted returns the requests and the bytes of answers of one of so many runs.
func (p *proxy) counted(runs int) string {
	return fmt.Sprintf("%d requests, %.2f MB of answers", p.requests.Load()/int64(runs), float64(p.bytes.Load())/float64(runs)/1e6)
}

// A counter counts the bytes that are written through it.
type counter struct {
	http.ResponseWriter
	bytes *atomic.Int64
}

func (c *counter) Write(b []byte) (int, error) {
	n, err := c.ResponseWriter.Write(b)
	c.bytes.Add(int64(n))
	return n, err
}

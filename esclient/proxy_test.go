package esclient_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"github.com/otisk/otisk/esclient/wire/wiretest"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// A fault is a way in which a request can go wrong.
type fault struct {
	name string
	do   func(p *proxy, w http.ResponseWriter, r *http.Request, body []byte)
}

// faults are all of them. Those that first let the server do the work are the
// nasty ones: the client cannot know that it was done.
var faults = []fault{
	{"429 at once", func(p *proxy, w http.ResponseWriter, r *http.Request, body []byte) {
		wiretest.Refuse(w, http.StatusTooManyRequests, "es_rejected_execution_exception")
	}},
	{"503 at once", func(p *proxy, w http.ResponseWriter, r *http.Request, body []byte) {
		wiretest.Refuse(w, http.StatusServiceUnavailable, "unavailable_shards_exception")
	}},
	{"502 after the work", func(p *proxy, w http.ResponseWriter, r *http.Request, body []byte) {
		p.forward(r, body)
		http.Error(w, "<html>bad gateway</html>", http.StatusBadGateway)
	}},
	{"half an answer", func(p *proxy, w http.ResponseWriter, r *http.Request, body []byte) {
		status, answer := p.forward(r, body)
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("X-Elastic-Product", "Elasticsearch")
		w.WriteHeader(status)
		_, _ = w.Write(answer[:len(answer)/2])
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}},
	{"connection reset at once", func(p *proxy, w http.ResponseWriter, r *http.Request, body []byte) { reset(w) }},
	{"connection reset after the work", func(p *proxy, w http.ResponseWriter, r *http.Request, body []byte) {
		p.forward(r, body)
		reset(w)
	}},
	{"no answer after the work", func(p *proxy, w http.ResponseWriter, r *http.Request, body []byte) {
		p.forward(r, body)
		<-r.Context().Done()
	}},
	{"a web page in place of the answer", func(p *proxy, w http.ResponseWriter, r *http.Request, body []byte) {
		w.Header().Set("X-Elastic-Product", "Elasticsearch")
		fmt.Fprint(w, "<html><title>We are back soon</title></html>")
	}},
	{"some items of a bulk refused", func(p *proxy, w http.ResponseWriter, r *http.Request, body []byte) {
		if !strings.HasPrefix(r.URL.Path, "/_bulk") {
			p.pass(w, r, body)
			return
		}
		p.someItems(w, r, body, func(i int, item []byte) bool { return i%2 > 0 })
	}},
}

func reset(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(err)
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // so that closing it sends a reset
	}
	_ = conn.Close()
}

// A proxy is between the client and a server, and lets some requests fail.
type proxy struct {
	*httptest.Server
	to     string
	down   atomic.Int64 // bytes of answers that were passed on
	mu     sync.Mutex
	choose func(r *http.Request) *fault // nil for none
	count  map[string]int               // faults that happened
}

// newProxy returns a proxy to a server. choose says which requests fail.
func newProxy(t testing.TB, to string, choose func(r *http.Request) *fault) *proxy {
	p := &proxy{to: to, choose: choose, count: map[string]int{}}
	p.Server = httptest.NewUnstartedServer(http.HandlerFunc(p.serve))
	p.Config.ErrorLog = nil
	p.Start()
	t.Cleanup(func() {
		p.CloseClientConnections()
		p.Close()
	})
	return p
}

func (p *proxy) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client gave up
	}
	p.mu.Lock()
	f := p.choose(r)
	if f != nil {
		p.count[f.name]++
	}
	p.mu.Unlock()
	if f == nil {
		p.pass(w, r, body)
		return
	}
	f.do(p, w, r, body)
}

func (p *proxy) pass(w http.ResponseWriter, r *http.Request, body []byte) {
	status, answer := p.forward(r, body)
	p.down.Add(int64(len(answer)))
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Elastic-Product", "Elasticsearch")
	w.WriteHeader(status)
	_, _ = w.Write(answer) // the client may be gone
}

// forward has the server do the work, even if the client has gone.
func (p *proxy) forward(r *http.Request, body []byte) (status int, answer []byte) {
	req, err := http.NewRequest(r.Method, p.to+r.URL.RequestURI(), bytes.NewReader(body))
	if err != nil {
		panic(err)
	}
	if kind := r.Header.Get("Content-Type"); kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return http.StatusBadGateway, []byte(`{"error":"the server behind the proxy does not answer"}`)
	}
	defer resp.Body.Close()
	if answer, err = io.ReadAll(resp.Body); err != nil {
		return http.StatusBadGateway, []byte(`{"error":"the server behind the proxy broke off"}`)
	}
	return resp.StatusCode, answer
}

// someItems forwards a bulk without the items that are to be refused, and
// answers for those as a server does that has no room in its queue.
func (p *proxy) someItems(w http.ResponseWriter, r *http.Request, body []byte, refused func(i int, item []byte) bool) {
	var kept bytes.Buffer
	var answers []map[string]json.RawMessage
	lines := bytes.SplitAfter(body, []byte("\n"))
	for i := 0; i < len(lines) && len(lines[i]) > 0; i++ {
		var action map[string]json.RawMessage
		if json.Unmarshal(lines[i], &action) != nil {
			panic("a line of a bulk is no action: " + string(lines[i]))
		}
		for verb := range action {
			item := lines[i]
			if verb != "delete" {
				i++
				item = append(item[:len(item):len(item)], lines[i]...)
			}
			if refused(len(answers), item) {
				answers = append(answers, map[string]json.RawMessage{verb: json.RawMessage(
					`{"status":429,"error":{"type":"es_rejected_execution_exception","reason":"a fault of the test"}}`)})
				continue
			}
			answers = append(answers, nil)
			kept.Write(item)
		}
	}
	status, answer := http.StatusOK, []byte(`{"items":[]}`)
	if kept.Len() > 0 {
		status, answer = p.forward(r, kept.Bytes())
	}
	var result struct {
		Items []map[string]json.RawMessage `json:"items"`
	}
	if status != http.StatusOK || json.Unmarshal(answer, &result) != nil {
		wiretest.Refuse(w, http.StatusServiceUnavailable, "test")
		return
	}
	done := result.Items
	for i := range answers {
		if answers[i] == nil {
			answers[i], done = done[0], done[1:]
		}
	}
	result.Items = answers
	w.Header().Set("X-Elastic-Product", "Elasticsearch")
	_ = json.NewEncoder(w).Encode(result) // the client may be gone
}

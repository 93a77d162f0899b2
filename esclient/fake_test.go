package esclient

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"
)

// An answering says how a server answers the request with that number, from 1.
type answering func(number int, r *http.Request) (status int, body string, err error)

// fake is a connection to a server that there is not, and the times at which
// requests come. In a bubble of synctest they are exact.
type fake struct {
	*conn
	answer answering
	header http.Header

	mu sync.Mutex
	at []time.Time
}

func newFake(t *testing.T, cfg Config, answer answering) *fake {
	t.Helper()
	f := &fake{answer: answer, header: http.Header{}}
	cfg.Index, cfg.Transport = "x", f
	cfg, err := cfg.resolved()
	if err != nil {
		t.Fatal(err)
	}
	if f.conn, err = dial(cfg); err != nil {
		t.Fatal(err)
	}
	return f
}

// RoundTrip implements [http.RoundTripper].
func (f *fake) RoundTrip(r *http.Request) (*http.Response, error) {
	f.mu.Lock()
	f.at = append(f.at, time.Now())
	number := len(f.at)
	f.mu.Unlock()
	status, body, err := f.answer(number, r)
	if err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: status, Header: f.header, Body: io.NopCloser(strings.NewReader(body))}, nil
}

// sent returns the number of requests.
func (f *fake) sent() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.at)
}

// pauses returns the time between requests.
func (f *fake) pauses() (list []time.Duration) {
	for i := 1; i < len(f.at); i++ {
		list = append(list, f.at[i].Sub(f.at[i-1]))
	}
	return list
}

const unavailable = `{"error":{"type":"unavailable_shards_exception","reason":"not now"},"status":503}`

func always(status int, body string) answering {
	return func(int, *http.Request) (int, string, error) { return status, body, nil }
}

// until answers in one way n times, and then well.
func until(n int, status int, body string) answering {
	return func(number int, _ *http.Request) (int, string, error) {
		if number > n {
			return 200, "{}", nil
		}
		return status, body, nil
	}
}

func silent(int, *http.Request) (int, string, error) { return 0, "", context.DeadlineExceeded }

func cut(int, *http.Request) (int, string, error) { return 0, "", io.ErrUnexpectedEOF }

func unreachable(int, *http.Request) (int, string, error) {
	return 0, "", &url.Error{Op: "Get", Err: errors.New("no route")}
}

var get = request{op: "ask", call: plain(esapi.IndicesGetRequest{Index: []string{"x"}})}

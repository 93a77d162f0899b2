// Package wiretest answers the requests of a client in place of a server.
package wiretest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/otisk/otisk/esclient/wire"
)

// An Answer returns the answer of the server to its request of that number, from 1.
type Answer func(number int, r *http.Request) (status int, body string, err error)

// A Server is an http.RoundTripper for wire.Config.Transport that answers requests by
// calling a function. In a bubble of synctest, its times are exact.
type Server struct {
	Answer Answer
	Header http.Header // of every answer

	mu sync.Mutex
	at []time.Time
}

// New returns a Server that answers by calling answer.
func New(answer Answer) *Server { return &Server{Answer: answer, Header: http.Header{}} }

// RoundTrip implements [http.RoundTripper].
func (s *Server) RoundTrip(r *http.Request) (*http.Response, error) {
	s.mu.Lock()
	s.at = append(s.at, time.Now())
	number := len(s.at)
	s.mu.Unlock()
	status, body, err := s.Answer(number, r)
	if err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: status, Header: s.Header, Body: io.NopCloser(strings.NewReader(body))}, nil
}

// Sent returns the number of requests so far.
func (s *Server) Sent() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.at)
}

// Pauses returns the time between consecutive requests.
func (s *Server) Pauses() (list []time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := 1; i < len(s.at); i++ {
		list = append(list, s.at[i].Sub(s.at[i-1]))
	}
	return list
}

// Unavailable is the body of a rejection by a server whose shards are not available.
const Unavailable = `{"error":{"type":"unavailable_shards_exception","reason":"not now"},"status":503}`

// Always gives every request the same answer.
func Always(status int, body string) Answer {
	return func(int, *http.Request) (int, string, error) { return status, body, nil }
}

// Until gives the first n requests the same answer, and the others {} with status 200.
func Until(n int, status int, body string) Answer {
	return func(number int, _ *http.Request) (int, string, error) {
		if number > n {
			return 200, "{}", nil
		}
		return status, body, nil
	}
}

// Silent is an [Answer] of a request that times out.
func Silent(int, *http.Request) (int, string, error) { return 0, "", context.DeadlineExceeded }

// Cut is an [Answer] of a connection that breaks.
func Cut(int, *http.Request) (int, string, error) { return 0, "", io.ErrUnexpectedEOF }

// Unreachable is an [Answer] of a server that cannot be reached.
func Unreachable(int, *http.Request) (int, string, error) {
	return 0, "", &url.Error{Op: "Get", Err: errors.New("no route")}
}

// Hello is the answer of a supported server to GET /.
const Hello = `{"name": "n1", "version": {"number": "8.19.5"}, "tagline": "You Know, for Search"}`

// Refuse writes a rejection with an error of that type.
func Refuse(w http.ResponseWriter, status int, kind string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"error":{"type":%q,"reason":"a fault of the test"},"status":%d}`, kind, status)
}

// Quiet returns s without its log of broken connections.
func Quiet(s *httptest.Server) *httptest.Server {
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	return s
}

// CheckError reports an err that is not a wire.Error of that kind whose text contains want.
func CheckError(t *testing.T, err error, kind wire.Kind, want string) {
	t.Helper()
	var e *wire.Error
	if !errors.As(err, &e) || e.Kind != kind || !errors.Is(err, wire.ErrServer) || !strings.Contains(err.Error(), want) {
		t.Errorf("error is %v, want one of kind %q with %q", err, kind, want)
	}
}

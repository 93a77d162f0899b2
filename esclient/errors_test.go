package esclient_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/otisk/otisk/esclient"
	"github.com/otisk/otisk/esclient/wire"
	"github.com/otisk/otisk/esclient/wire/wiretest"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/storetest"
)

// TestWhoAnswers opens an index at addresses where none can be opened, and compares the kind
// of the error and its text.
func TestWhoAnswers(t *testing.T) {
	t.Parallel()
	say := func(status int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body) // a client that left shows in the test
		}
	}
	refusal := func(status int, kind, reason string) http.HandlerFunc {
		return say(status, fmt.Sprintf(`{"error":{"root_cause":[{"type":%q,"reason":%q}],"type":%q,"reason":%q},"status":%d}`, kind, reason, kind, reason, status))
	}
	opened := func(part string, then http.HandlerFunc, missing ...string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			switch {
			case r.URL.Path == "/":
				say(200, wiretest.Hello)(w, r)
			case strings.HasPrefix(r.URL.Path, part):
				then(w, r)
			case len(missing) > 0 && strings.HasPrefix(r.URL.Path, missing[0]):
				refusal(503, "no_shard_available_action_exception", "no shard")(w, r)
			case r.URL.Path == "/x-*":
				say(200, `{"x-documents-1":{"aliases":{"x-documents":{}},"mappings":{"_meta":{"otisk":{"layout":2,"part":"documents","block":256,"settings":{}}}}}}`)(w, r)
			default:
				say(200, "{}")(w, r)
			}
		}
	}
	for _, tt := range []struct {
		name   string
		answer http.HandlerFunc
		kind   wire.Kind
		want   string // in the error
	}{
		{"web page", say(200, "<!doctype html><p>Welcome"), wire.NotElasticsearch, "does not answer as Elasticsearch does"},
		{"other JSON", say(200, `{"couchdb":"Welcome","version":"3.3.3"}`), wire.NotElasticsearch, "not Elasticsearch"},
		{"nothing at that path", say(404, "404 page not found"), wire.NotElasticsearch, "404 Not Found"},
		{"redirection", say(301, ""), wire.NotElasticsearch, "301"},
		{"Elasticsearch 1.4", say(200, `{"status":200,"version":{"number":"1.4.2"},"tagline":"You Know, for Search"}`), wire.TooOld, "Elasticsearch 1.4.2, and 8.0 or newer"},
		{"Elasticsearch 7.17", say(200, `{"version":{"number":"7.17.28"}}`), wire.TooOld, "7.17.28"},
		{"OpenSearch 1.3", say(200, `{"version":{"number":"1.3.20","distribution":"opensearch"}}`), wire.TooOld, "OpenSearch 1.3.20, and 2.4 or newer"},
		{"wrong password", refusal(401, "security_exception", "unable to authenticate user [elastic] for REST request [/]"), wire.Unauthorized, "unable to authenticate user"},
		{"expired key", refusal(401, "security_exception", "unable to authenticate with provided credentials: api key is expired"), wire.Expired, "expired"},
		{"forbidden", opened("/x-*", refusal(403, "security_exception", "action [indices:admin/get] is unauthorized for user [u]")), wire.Forbidden, "is unauthorized for user"},
		{"red", opened("/_cluster/health", say(408, `{"status":"red","timed_out":true}`), "/x-documents-1/_doc"), wire.Red, "are red"},
		{"no master", opened("/x-*", refusal(503, "master_not_discovered_exception", "")), wire.Broken, "master_not_discovered"},
		{"overloaded", opened("/x-*", refusal(429, "es_rejected_execution_exception", "rejected execution")), wire.Overloaded, "rejected execution"},
		{"endless delay", func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, wire.TimedOut, "no answer within 100ms"},
		{"connection cut", func(w http.ResponseWriter, r *http.Request) { reset(w) }, wire.Unreachable, "connection lost"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := wiretest.Quiet(httptest.NewUnstartedServer(tt.answer))
			s.Start()
			defer s.Close()
			timeout := 20 * time.Second
			if tt.kind == wire.TimedOut {
				timeout = 100 * time.Millisecond
			}
			_, err := esclient.Open(t.Context(), esclient.Config{Config: wire.Config{Hosts: []string{s.URL}, Timeout: timeout, Retries: -1}, Index: "x"})
			wiretest.CheckError(t, err, tt.kind, tt.want)
			if err != nil && !strings.Contains(err.Error(), s.URL) {
				t.Errorf("error %q does not name the address %s", err, s.URL)
			}
		})
	}
}

// TestHowOftenAsked counts requests: an error that a retry cannot change is reported after
// the first attempt, others with the number of attempts.
func TestHowOftenAsked(t *testing.T) {
	t.Parallel()
	greeted := func(then http.HandlerFunc) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/" {
				_, _ = io.WriteString(w, wiretest.Hello)
				return
			}
			then(w, r)
		}
	}
	for _, tt := range []struct {
		name   string
		answer http.HandlerFunc
		times  int32
		kind   wire.Kind
		want   string
	}{
		{"a web page", func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "<p>It works!") },
			1, wire.NotElasticsearch, "the answer is not JSON"},
		{"JSON of something else", greeted(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, `{"x-documents": "here"}`) }),
			2, wire.Broken, "the JSON of the answer has not the form that Elasticsearch sends"},
		{"a connection that is cut", func(w http.ResponseWriter, r *http.Request) { reset(w) },
			5, wire.Unreachable, "connection lost before the end of the answer (5 attempts in "},
		{"no master", greeted(func(w http.ResponseWriter, r *http.Request) {
			wiretest.Refuse(w, 503, "master_not_discovered_exception")
		}),
			11, wire.Broken, "503 Service Unavailable a fault of the test (10 attempts in "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var times atomic.Int32
			s := wiretest.Quiet(httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				times.Add(1)
				tt.answer(w, r)
			})))
			s.Start()
			defer s.Close()
			_, err := esclient.Open(t.Context(), esclient.Config{Config: wire.Config{Hosts: []string{s.URL}, Retries: 9, Pause: time.Millisecond}, Index: "x"})
			wiretest.CheckError(t, err, tt.kind, tt.want)
			if got := times.Load(); got != tt.times {
				t.Errorf("the server was asked %d times, want %d", got, tt.times)
			}
		})
	}
}

// blocked sets a block on an index, and returns the error of a writer.
func blocked(t *testing.T, cfg esclient.Config, s *esclient.Store, setting string) error {
	t.Helper()
	path := "/" + cfg.Index + "-*/_settings"
	call(t, cfg.Hosts[0], "PUT", path, `{"index.blocks.`+setting+`": true}`)
	err := s.Add(t.Context(), storetest.Doc("/b", "b"), "b", []store.Grams{storetest.Grams(7, 2)}, nil)
	if got, want := content(t, open(t, cfg), 1, 2), `/a "a"; 1: /a@0`; got != want {
		t.Errorf("the index has %s, want %s", got, want)
	}
	call(t, cfg.Hosts[0], "PUT", path, `{"index.blocks.`+setting+`": null}`)
	return err
}

// TestReadOnly fills the disk of a server, as far as it can see, and then
// blocks writes by a setting, which the disk has nothing to do with.
func TestReadOnly(t *testing.T) {
	t.Parallel()
	cfg := config(t, server(t))
	s := create(t, cfg)
	add(t, s, "/a", "a", 1)
	commit(t, s)
	for setting, full := range map[string]bool{"read_only_allow_delete": true, "write": false} {
		err := blocked(t, cfg, s, setting)
		wiretest.CheckError(t, err, wire.ReadOnly, "/b")
		if e := new(wire.Error); !errors.As(err, &e) || e.DiskFull() != full {
			t.Errorf("with %s, DiskFull() of %v = %t, want %t", setting, err, !full, full)
		}
		if !errors.Is(err, store.ErrReadOnly) || errors.Is(err, store.ErrRefused) {
			t.Errorf("Add = %v, want store.ErrReadOnly, which concerns all documents", err)
		}
	}
	add(t, s, "/b", "b", 2)
	commit(t, s)
	if got, want := content(t, s, 1, 2), `/a "a"; /b "b"; 1: /a@0; 2: /b@0`; got != want {
		t.Errorf("with room again the index has %s, want %s", got, want)
	}
}

package api

import (
	"cmp"
	"crypto/subtle"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/otisk/otisk/serve/accounts"
	"github.com/otisk/otisk/serve/desk"
)

// Requests counts and logs requests. The log has routes and no names: a path may contain a secret.
type Requests struct {
	Log *slog.Logger

	mu    sync.Mutex
	count map[requestKey]requestCount
}

type requestKey struct {
	method, route string
	status        int
}

type requestCount struct {
	n       int64
	seconds float64
}

// Wrap returns h with counting.
func (q *Requests) Wrap(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		rec := &recorder{ResponseWriter: w, status: http.StatusOK}
		h.ServeHTTP(rec, r)
		took := time.Since(start)
		key := requestKey{method(r.Method), cmp.Or(r.Pattern, "none"), rec.status}
		q.mu.Lock()
		if q.count == nil {
			q.count = map[requestKey]requestCount{}
		}
		c := q.count[key]
		q.count[key] = requestCount{c.n + 1, c.seconds + took.Seconds()}
		q.mu.Unlock()
		q.Log.Info("request", "method", key.method, "route", key.route, "status", key.status, "seconds", took.Seconds())
	})
}

// method returns a method that the server knows, or "other": clients can send any.
func method(m string) string {
	if slices.Contains([]string{"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"}, m) {
		return m
	}
	return "other"
}

// A recorder records the status of an answer.
type recorder struct {
	http.ResponseWriter
	status int
}

// WriteHeader implements [http.ResponseWriter].
func (r *recorder) WriteHeader(status int) {
	r.status = status
	r.ResponseWriter.WriteHeader(status)
}

// Unwrap serves [http.ResponseController].
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// metrics writes figures in the text format of Prometheus, to the token of the operator or an
// administrator.
func (s *server) metrics(w http.ResponseWriter, r *http.Request) {
	if s.Metrics == "" || subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")), []byte("Bearer "+s.Metrics)) != 1 {
		a, err := s.actor(r)
		if err == nil && !a.May(accounts.ReadHealth) {
			err = desk.ErrForbidden
		}
		if err != nil {
			s.fail(w, r, err)
			return
		}
	}
	jobs, err := s.Desk.Jobs(r.Context())
	if err != nil {
		s.fail(w, r, err)
		return
	}
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	fmt.Fprint(w, "# HELP otisk_jobs Jobs by state.\n# TYPE otisk_jobs gauge\n")
	for _, state := range slices.Sorted(maps.Keys(jobs)) {
		fmt.Fprintf(w, "otisk_jobs{state=%q} %d\n", state, jobs[state])
	}
	fmt.Fprintf(w, "# HELP otisk_jobs_finished_total Jobs done since the start.\n# TYPE otisk_jobs_finished_total counter\notisk_jobs_finished_total %d\n", s.Queue.Finished.Load())
	fmt.Fprintf(w, "# HELP otisk_worker_crashes_total Worker processes that crashed or stalled.\n# TYPE otisk_worker_crashes_total counter\notisk_worker_crashes_total %d\n", s.Queue.Crashed.Load())
	if c := s.Desk.Cluster(r.Context()); c != nil {
		up := 1
		if c.Err != nil {
			up = 0
		}
		fmt.Fprintf(w, "# HELP otisk_cluster_up Whether the cluster with the collections answers.\n# TYPE otisk_cluster_up gauge\notisk_cluster_up %d\n", up)
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	fmt.Fprintf(w, "# HELP go_memstats_sys_bytes Memory obtained from the system.\n# TYPE go_memstats_sys_bytes gauge\ngo_memstats_sys_bytes %d\n", m.Sys)
	fmt.Fprintf(w, "# HELP go_goroutines Goroutines.\n# TYPE go_goroutines gauge\ngo_goroutines %d\n", runtime.NumGoroutine())
	s.Requests.write(w)
}

// write writes the counters.
func (q *Requests) write(w http.ResponseWriter) {
	q.mu.Lock()
	defer q.mu.Unlock()
	keys := slices.SortedFunc(maps.Keys(q.count), func(a, b requestKey) int {
		return cmp.Or(cmp.Compare(a.route, b.route), cmp.Compare(a.method, b.method), cmp.Compare(a.status, b.status))
	})
	for _, figure := range []struct {
		name, help string
		value      func(requestCount) string
	}{
		{"otisk_http_requests_total", "Requests.", func(c requestCount) string { return strconv.FormatInt(c.n, 10) }},
		{"otisk_http_request_seconds_total", "Time of requests.", func(c requestCount) string { return strconv.FormatFloat(c.seconds, 'g', -1, 64) }},
	} {
		fmt.Fprintf(w, "# HELP %s %s\n# TYPE %s counter\n", figure.name, figure.help, figure.name)
		for _, k := range keys {
			fmt.Fprintf(w, "%s{method=%q,route=%q,status=\"%d\"} %s\n", figure.name, k.method, k.route, k.status, figure.value(q.count[k]))
		}
	}
}

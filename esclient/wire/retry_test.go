package wire_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"github.com/otisk/otisk/esclient/wire"
	"github.com/otisk/otisk/esclient/wire/wiretest"
)

// TestHowOften counts the requests for each kind of failure, and compares the error.
func TestHowOften(t *testing.T) {
	first := wire.AsFirst(get)
	eager := get
	eager.Slow = 1
	for _, tt := range []struct {
		name    string
		cfg     wire.Config
		request wire.Request
		answer  wiretest.Answer
		times   int
		want    string // in the error, "" for none
	}{
		{"answered", wire.Config{}, get, wiretest.Always(200, "{}"), 1, ""},
		{"refused for good", wire.Config{}, get, wiretest.Always(400, "{}"), 1, "400 Bad Request"},
		{"refused by a shard", wire.Config{}, get, wiretest.Always(400, `{"error": {"reason": "Partial shards failure", "failed_shards": [{"reason": {"reason": "too large"}}, {"reason": {"reason": "too large"}}]}}`), 1, "400 Bad Request Partial shards failure: too large"},
		{"overloaded for good", wire.Config{}, get, wiretest.Always(429, wiretest.Unavailable), 11, "(11 attempts in "},
		{"overloaded once", wire.Config{}, get, wiretest.Until(1, 429, wiretest.Unavailable), 2, ""},
		{"unavailable to the last but one", wire.Config{}, get, wiretest.Until(10, 503, wiretest.Unavailable), 11, ""},
		{"bad gateway", wire.Config{}, get, wiretest.Until(2, 502, "<html>"), 3, ""},
		{"late gateway", wire.Config{}, get, wiretest.Until(2, 504, "<html>"), 3, ""},
		{"a fault of its own", wire.Config{}, get, wiretest.Always(500, "{}"), 1, "500"},
		{"a node that leaves", wire.Config{}, get, wiretest.Until(2, 500, `{"error":{"type":"node_disconnected_exception"}}`), 3, ""},
		{"fewer attempts", wire.Config{Retries: 3}, get, wiretest.Always(503, wiretest.Unavailable), 4, "(4 attempts in "},
		{"no attempts", wire.Config{Retries: -1}, get, wiretest.Always(503, wiretest.Unavailable), 1, "not now"},
		{"a writer's", wire.Config{Retries: 30}, get, wiretest.Always(503, wiretest.Unavailable), 31, "(31 attempts in "},
		{"a writer's, as configured", wire.Config{Retries: 2}, get, wiretest.Always(503, wiretest.Unavailable), 3, "(3 attempts in "},
		{"connection cut", wire.Config{}, get, wiretest.Cut, 11, "(11 attempts in "},
		{"connection cut at first", wire.Config{}, first, wiretest.Cut, 5, "(5 attempts in "},
		{"connection cut at first, few attempts", wire.Config{Retries: 1}, first, wiretest.Cut, 2, "(2 attempts in "},
		{"nothing there", wire.Config{}, get, wiretest.Unreachable, 11, "(11 attempts in "},
		{"unavailable at first, for a writer", wire.Config{Retries: 30}, first, wiretest.Always(503, wiretest.Unavailable), 11, "(11 attempts in "},
		{"no answer", wire.Config{}, get, wiretest.Silent, 3, "(3 attempts in "},
		{"no answer at first", wire.Config{}, first, wiretest.Silent, 1, "no answer within 30s"},
		{"no answer, once is enough", wire.Config{}, eager, wiretest.Silent, 1, "no answer within 30s"},
		{"half JSON", wire.Config{}, get, wiretest.Until(2, 200, `{"a":`), 3, ""},
		{"no JSON", wire.Config{}, get, wiretest.Until(2, 200, `<html>`), 3, ""},
		{"no JSON at first", wire.Config{}, first, wiretest.Always(200, `<html>`), 1, "not JSON"},
		{"a host that is another program", wire.Config{}, get, wiretest.Until(2, 501, `<html>`), 3, ""},
		{"a host that sends its readers on", wire.Config{}, get, wiretest.Until(2, 302, `<html>`), 3, ""},
		{"every host is another program", wire.Config{}, get, wiretest.Always(405, `<html>`), 11, "does not answer as Elasticsearch does"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tt.cfg.Timeout = 30 * time.Second
				f := newFake(t, tt.cfg, tt.answer)
				err := f.Do(t.Context(), tt.request)
				if got := fmt.Sprint(err); (err == nil) != (tt.want == "") || !strings.Contains(got, tt.want) {
					t.Errorf("error is %v, want %q", err, tt.want)
				}
				if f.Sent() != tt.times {
					t.Errorf("there were %d requests, want %d", f.Sent(), tt.times)
				}
				if f.Sent() == 1 && strings.Contains(fmt.Sprint(err), "attempts") {
					t.Errorf("error is %v, which speaks of attempts though there was one", err)
				}
			})
		})
	}
}

// TestAnotherHost has a host answer that does not name itself, as another program
// does that was listed beside the server.
func TestAnotherHost(t *testing.T) {
	for _, tt := range []struct {
		status int
		body   string
		times  int // 2 where the request is for another host
	}{
		{200, `{}`, 2}, {302, `{}`, 2}, {404, `{}`, 2}, {405, `{}`, 2}, {501, `{}`, 2},
		{400, `{}`, 1}, {401, `{}`, 1}, {413, `too large`, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			var f *fake
			f = newFake(t, wire.Config{}, func(number int, r *http.Request) (int, string, error) {
				if number == 1 {
					return tt.status, tt.body, nil
				}
				f.Header.Set(wire.ProductHeader, "Elasticsearch")
				return 200, "{}", nil
			})
			f.SetNamed()
			if err := f.Do(t.Context(), get); (err == nil) != (tt.times == 2) || f.Sent() != tt.times {
				t.Errorf("after an answer %d without a name: %d requests and %v, want %d", tt.status, f.Sent(), err, tt.times)
			}
		})
	}
}

// TestBackOff looks at the pauses: they double, with jitter, up to a longest.
func TestBackOff(t *testing.T) {
	firsts := map[time.Duration]bool{}
	shortest, longest := 1.0, 0.0 // of what a pause may take
	for range 20 {
		synctest.Test(t, func(t *testing.T) {
			f := newFake(t, wire.Config{Retries: 30}, wiretest.Always(503, wiretest.Unavailable))
			begin := time.Now()
			err := f.Do(t.Context(), get)
			pauses := f.Pauses()
			for i, got := range pauses {
				want := min(200*time.Millisecond<<min(i, 20), 10*time.Second)
				if got < want/2 || got >= want {
					t.Errorf("pause %d is %v, want %v to %v", i, got, want/2, want)
				}
			}
			for _, got := range pauses[6:] {
				share := float64(got) / float64(10*time.Second)
				shortest, longest = min(shortest, share), max(longest, share)
			}
			firsts[pauses[0]] = true
			took := time.Since(begin)
			if took < 2*time.Minute || took > 4*time.Minute {
				t.Errorf("a writer was patient for %v, want about 3 minutes", took)
			}
			if want := fmt.Sprintf("in %v)", took.Round(100*time.Millisecond)); !strings.Contains(err.Error(), want) {
				t.Errorf("error is %v, want one with %q", err, want)
			}
		})
	}
	if len(firsts) < 2 || shortest > 0.6 || longest < 0.9 {
		t.Errorf("the pauses take %.2f to %.2f of the longest one, want half of it to all", shortest, longest)
	}
}

// TestWaiting: Config.Waiting is called after some seconds, once until the server answers.
func TestWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var said []time.Duration
		begin := time.Now()
		cfg := wire.Config{Retries: 30, Waiting: func(error) { said = append(said, time.Since(begin)) }}
		f := newFake(t, cfg, wiretest.Until(8, 503, wiretest.Unavailable))
		if err := f.Do(t.Context(), get); err != nil {
			t.Fatal(err)
		}
		if len(said) != 1 || said[0] > wire.NotifyAfter {
			t.Errorf("waiting was told after %v, want once within %v", said, wire.NotifyAfter)
		}
		if err := newFake(t, cfg, wiretest.Until(2, 503, wiretest.Unavailable)).Do(t.Context(), get); err != nil || len(said) != 1 {
			t.Errorf("a short wait was told too: %v, %v", said, err)
		}
	})
}

// TestRetryAfter lets the server say how long to wait.
func TestRetryAfter(t *testing.T) {
	for _, tt := range []struct {
		header   string
		from, to time.Duration
	}{
		{"3", 3 * time.Second, 3 * time.Second},
		{"1", time.Second, time.Second},
		{"3600", wire.LastPause, wire.LastPause},
		{"0", wire.DefaultPause / 2, wire.DefaultPause},
		{"-5", wire.DefaultPause / 2, wire.DefaultPause},
		{"soon", wire.DefaultPause / 2, wire.DefaultPause},
	} {
		synctest.Test(t, func(t *testing.T) {
			f := newFake(t, wire.Config{}, wiretest.Until(1, 429, wiretest.Unavailable))
			f.Header.Set("Retry-After", tt.header)
			if err := f.Do(t.Context(), get); err != nil {
				t.Error(err)
			}
			if got := f.Pauses()[0]; got < tt.from || got > tt.to {
				t.Errorf("after Retry-After: %s the pause is %v, want %v to %v", tt.header, got, tt.from, tt.to)
			}
		})
	}
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t, wire.Config{}, wiretest.Until(8, 429, wiretest.Unavailable))
		f.Header.Set("Retry-After", "1")
		if err := f.Do(t.Context(), get); err != nil {
			t.Error(err)
		}
		if got := f.Pauses()[6]; got < wire.LastPause/2 {
			t.Errorf("pause 6 is %v, want the longer one of back-off and Retry-After", got)
		}
	})
}

// TestCancelledWhileWaiting ends a request in the middle of a pause, and before
// it is sent.
func TestCancelledWhileWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t, wire.Config{}, wiretest.Always(503, wiretest.Unavailable))
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		begin := time.Now()
		err := f.Do(ctx, get)
		if !errors.Is(err, context.DeadlineExceeded) || !strings.HasPrefix(err.Error(), "ask: ") {
			t.Errorf("error is %v, want the end of the context, with what was done", err)
		}
		if got := time.Since(begin); got != 5*time.Second {
			t.Errorf("it ended after %v, want 5s", got)
		}
		before := f.Sent()
		if err := f.Do(ctx, get); !errors.Is(err, context.DeadlineExceeded) || f.Sent() > before+1 {
			t.Errorf("after the end: %v, %d requests, want the end of the context at once", err, f.Sent()-before)
		}
	})
}

// TestCancelledAtTheEnd cancels the last attempt: it is the user who gave up, and
// not the server.
func TestCancelledAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		f := newFake(t, wire.Config{Retries: -1}, func(int, *http.Request) (int, string, error) {
			cancel()
			return 0, "", ctx.Err()
		})
		if err := f.Do(ctx, get); !errors.Is(err, context.Canceled) || err.Error() != "ask: context canceled" {
			t.Errorf("error is %v, want that of the context and what was done", err)
		}
		if f.Down() {
			t.Error("a request was cancelled, and the server counts as gone")
		}
	})
}

// TestPatienceIsWithTheServer shows whose patience a request that is given up
// uses up: that of those which follow, if the server answered nothing meanwhile.
func TestPatienceIsWithTheServer(t *testing.T) {
	count := func(f *fake, r wire.Request) int {
		before := f.Sent()
		_ = f.Do(context.Background(), r) // the number of requests shows it
		return f.Sent() - before
	}
	synctest.Test(t, func(t *testing.T) {
		down := true
		f := newFake(t, wire.Config{Retries: 4}, func(int, *http.Request) (int, string, error) {
			if down {
				return 503, wiretest.Unavailable, nil
			}
			return 200, "{}", nil
		})
		if got := count(f, get); got != 5 {
			t.Errorf("the first request was sent %d times, want 5", got)
		}
		if got := count(f, get); got != 1 {
			t.Errorf("the one after it was sent %d times, want once", got)
		}
		down = false
		if got := count(f, get); got != 1 || f.Down() {
			t.Errorf("with the server back: sent %d times, down %v, want once and not down", got, f.Down())
		}
		down = true
		if got := count(f, get); got != 5 {
			t.Errorf("when the server goes again, a request is sent %d times, want 5", got)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t, wire.Config{Retries: 4}, func(_ int, r *http.Request) (int, string, error) {
			if r.URL.Path == "/x" {
				return 503, wiretest.Unavailable, nil
			}
			return 200, "{}", nil
		})
		other := wire.Request{Op: "ask", Call: wire.Plain(esapi.IndicesGetRequest{Index: []string{"other"}})}
		go func() {
			time.Sleep(300 * time.Millisecond)
			count(f, other)
		}()
		if got := count(f, get); got != 5+1 {
			t.Errorf("there were %d requests, want 5 of one that is refused and the other", got)
		}
		if f.Down() {
			t.Error("one request was refused while another was answered, and the server counts as gone")
		}
	})
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t, wire.Config{Timeout: time.Second}, wiretest.Silent)
		eager := get
		eager.Slow = 1
		count(f, eager)
		if f.Down() {
			t.Error("a request that may not take long made the server count as gone")
		}
		if got := count(f, get); got != 3 {
			t.Errorf("after it a request was sent %d times, want 3", got)
		}
		if !f.Down() {
			t.Error("three time-outs, and the server does not count as gone")
		}
	})
}

// TestPatienceBeginsAnew shows that a bulk request of which some items are
// accepted has all attempts before it again.
func TestPatienceBeginsAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t, wire.Config{Retries: 3}, wiretest.Always(503, wiretest.Unavailable))
		a := f.Attempts("ask", 0)
		late := &wire.Error{Kind: wire.TimedOut}
		for range 2 {
			if err := a.Next(t.Context(), late, true); err != nil {
				t.Fatal(err)
			}
		}
		a.Progress()
		for i := range 2 {
			if err := a.Next(t.Context(), late, true); err != nil {
				t.Fatalf("attempt %d after some progress: %v", i, err)
			}
		}
		begin := a.Begin()
		if err := a.Next(t.Context(), late, true); err == nil {
			t.Error("the third time-out is no error")
		}
		if took := time.Since(begin); !strings.Contains(late.Reason.Error(), fmt.Sprintf("(3 attempts in %v)", took.Round(100*time.Millisecond))) {
			t.Errorf("the reason is %q, want 3 attempts in %v: those since the progress", late.Reason, took)
		}
	})
}

// A fake is a connection to a server that a function answers for.
type fake struct {
	*wire.Conn
	*wiretest.Server
}

func newFake(t *testing.T, cfg wire.Config, answer wiretest.Answer) *fake {
	t.Helper()
	s := wiretest.New(answer)
	cfg.Transport = s
	c, err := wire.Dial(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return &fake{c, s}
}

var get = wire.Request{Op: "ask", Call: wire.Plain(esapi.IndicesGetRequest{Index: []string{"x"}})}

package esclient

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
)

// TestHowOften counts the requests for all that can go wrong with one, and
// looks at what the error says of it.
func TestHowOften(t *testing.T) {
	first := get
	first.first = true
	eager := get
	eager.slow = 1
	for _, tt := range []struct {
		name    string
		cfg     Config
		request request
		answer  answering
		times   int
		want    string // in the error, "" for none
	}{
		{"answered", Config{}, get, always(200, "{}"), 1, ""},
		{"refused for good", Config{}, get, always(400, "{}"), 1, "400 Bad Request"},
		{"overloaded for good", Config{}, get, always(429, unavailable), 11, "(11 attempts in "},
		{"overloaded once", Config{}, get, until(1, 429, unavailable), 2, ""},
		{"unavailable to the last but one", Config{}, get, until(10, 503, unavailable), 11, ""},
		{"bad gateway", Config{}, get, until(2, 502, "<html>"), 3, ""},
		{"late gateway", Config{}, get, until(2, 504, "<html>"), 3, ""},
		{"a fault of its own", Config{}, get, always(500, "{}"), 1, "500"},
		{"a node that leaves", Config{}, get, until(2, 500, `{"error":{"type":"node_disconnected_exception"}}`), 3, ""},
		{"fewer attempts", Config{Retries: 3}, get, always(503, unavailable), 4, "(4 attempts in "},
		{"no attempts", Config{Retries: -1}, get, always(503, unavailable), 1, "not now"},
		{"a writer's", Config{}.writing(), get, always(503, unavailable), 31, "(31 attempts in "},
		{"a writer's, as configured", Config{Retries: 2}.writing(), get, always(503, unavailable), 3, "(3 attempts in "},
		{"connection cut", Config{}, get, cut, 11, "(11 attempts in "},
		{"connection cut at first", Config{}, first, cut, 5, "(5 attempts in "},
		{"connection cut at first, few attempts", Config{Retries: 1}, first, cut, 2, "(2 attempts in "},
		{"nothing there", Config{}, get, unreachable, 11, "(11 attempts in "},
		{"unavailable at first, for a writer", Config{}.writing(), first, always(503, unavailable), 11, "(11 attempts in "},
		{"no answer", Config{}, get, silent, 3, "(3 attempts in "},
		{"no answer at first", Config{}, first, silent, 1, "no answer within the time-out of 30s"},
		{"no answer, once is enough", Config{}, eager, silent, 1, "no answer within the time-out of 30s"},
		{"half JSON", Config{}, get, until(2, 200, `{"a":`), 3, ""},
		{"no JSON", Config{}, get, until(2, 200, `<html>`), 3, ""},
		{"no JSON at first", Config{}, first, always(200, `<html>`), 1, "not JSON"},
		{"a host that is another program", Config{}, get, until(2, 501, `<html>`), 3, ""},
		{"a host that sends its readers on", Config{}, get, until(2, 302, `<html>`), 3, ""},
		{"every host is another program", Config{}, get, always(405, `<html>`), 11, "does not answer as Elasticsearch does"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tt.cfg.Timeout = 30 * time.Second
				f := newFake(t, tt.cfg, tt.answer)
				err := f.do(t.Context(), tt.request)
				if got := fmt.Sprint(err); (err == nil) != (tt.want == "") || !strings.Contains(got, tt.want) {
					t.Errorf("error is %v, want %q", err, tt.want)
				}
				if len(f.at) != tt.times {
					t.Errorf("there were %d requests, want %d", len(f.at), tt.times)
				}
				if len(f.at) == 1 && strings.Contains(fmt.Sprint(err), "attempts") {
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
			f = newFake(t, Config{}, func(number int, r *http.Request) (int, string, error) {
				if number == 1 {
					return tt.status, tt.body, nil
				}
				f.header.Set(productHeader, "Elasticsearch")
				return 200, "{}", nil
			})
			f.named = true
			if err := f.do(t.Context(), get); (err == nil) != (tt.times == 2) || f.sent() != tt.times {
				t.Errorf("after an answer %d without a name: %d requests and %v, want %d", tt.status, f.sent(), err, tt.times)
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
			f := newFake(t, Config{}.writing(), always(503, unavailable))
			begin := time.Now()
			err := f.do(t.Context(), get)
			pauses := f.pauses()
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

// TestWaiting: who waits is told so after some seconds, once until the server answers.
func TestWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var said []time.Duration
		begin := time.Now()
		cfg := Config{Waiting: func(error) { said = append(said, time.Since(begin)) }}.writing()
		f := newFake(t, cfg, until(8, 503, unavailable))
		if err := f.do(t.Context(), get); err != nil {
			t.Fatal(err)
		}
		if len(said) != 1 || said[0] > tellAfter {
			t.Errorf("waiting was told after %v, want once within %v", said, tellAfter)
		}
		if err := newFake(t, cfg, until(2, 503, unavailable)).do(t.Context(), get); err != nil || len(said) != 1 {
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
		{"3600", lastPause, lastPause},
		{"0", firstPause / 2, firstPause},
		{"-5", firstPause / 2, firstPause},
		{"soon", firstPause / 2, firstPause},
	} {
		synctest.Test(t, func(t *testing.T) {
			f := newFake(t, Config{}, until(1, 429, unavailable))
			f.header.Set("Retry-After", tt.header)
			if err := f.do(t.Context(), get); err != nil {
				t.Error(err)
			}
			if got := f.pauses()[0]; got < tt.from || got > tt.to {
				t.Errorf("after Retry-After: %s the pause is %v, want %v to %v", tt.header, got, tt.from, tt.to)
			}
		})
	}
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t, Config{}, until(8, 429, unavailable))
		f.header.Set("Retry-After", "1")
		if err := f.do(t.Context(), get); err != nil {
			t.Error(err)
		}
		if got := f.pauses()[6]; got < lastPause/2 {
			t.Errorf("pause 6 is %v, want the longer one of back-off and Retry-After", got)
		}
	})
}

// TestCancelledWhileWaiting ends a request in the middle of a pause, and before
// it is sent.
func TestCancelledWhileWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t, Config{}, always(503, unavailable))
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		begin := time.Now()
		err := f.do(ctx, get)
		if !errors.Is(err, context.DeadlineExceeded) || !strings.HasPrefix(err.Error(), "ask: ") {
			t.Errorf("error is %v, want the end of the context, with what was done", err)
		}
		if got := time.Since(begin); got != 5*time.Second {
			t.Errorf("it ended after %v, want 5s", got)
		}
		before := len(f.at)
		if err := f.do(ctx, get); !errors.Is(err, context.DeadlineExceeded) || len(f.at) > before+1 {
			t.Errorf("after the end: %v, %d requests, want the end of the context at once", err, len(f.at)-before)
		}
	})
}

// TestCancelledAtTheEnd cancels the last attempt: it is the user who gave up, and
// not the server.
func TestCancelledAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		f := newFake(t, Config{Retries: -1}, func(int, *http.Request) (int, string, error) {
			cancel()
			return 0, "", ctx.Err()
		})
		if err := f.do(ctx, get); !errors.Is(err, context.Canceled) || err.Error() != "ask: context canceled" {
			t.Errorf("error is %v, want that of the context and what was done", err)
		}
		if f.health.down() {
			t.Error("a request was cancelled, and the server counts as gone")
		}
	})
}

// TestLostAnswerOfTheHead loses the answer to what gives the lease back: that is asked
// again before the time that closing may take is over.
func TestLostAnswerOfTheHead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t, Config{}, func(number int, r *http.Request) (int, string, error) {
			if number < 3 {
				<-r.Context().Done()
				return 0, "", r.Context().Err()
			}
			return 201, `{"_seq_no":2,"_primary_term":1}`, nil
		})
		l := &lease{c: f.conn, names: names{"x", 1}, at: place{1, 1}, stop: make(chan struct{})}
		ctx, cancel := context.WithTimeout(t.Context(), leaseTime)
		defer cancel()
		if err := l.release(ctx, true); err != nil || f.sent() != 3 {
			t.Errorf("release = %v after %d requests, want none after 3", err, f.sent())
		}
	})
	for _, tt := range []struct {
		timeout time.Duration
		times   int
		took    time.Duration
	}{{0, 12, 3 * time.Minute}, {5 * time.Second, 3, 15 * time.Second}, {2 * time.Minute, 24, 6 * time.Minute}} {
		synctest.Test(t, func(t *testing.T) {
			f := newFake(t, Config{Timeout: tt.timeout}.writing(), func(_ int, r *http.Request) (int, string, error) {
				<-r.Context().Done()
				return 0, "", r.Context().Err()
			})
			begin := time.Now()
			_, err := f.writeHead(t.Context(), names{"x", 1}, place{1, 1}, head{})
			pauses := time.Duration(tt.times) * lastPause
			if took := time.Since(begin); !timedOut(err) || f.sent() != tt.times || took < tt.took || took > tt.took+pauses || !f.health.down() {
				t.Errorf("with a time-out of %v: %v after %d requests in %v, want %d in %v and pauses", tt.timeout, err, f.sent(), took, tt.times, tt.took)
			}
		})
	}
}

// TestPatienceIsWithTheServer shows whose patience a request that is given up
// uses up: that of those which follow, if the server answered nothing meanwhile.
func TestPatienceIsWithTheServer(t *testing.T) {
	count := func(f *fake, r request) int {
		before := f.sent()
		_ = f.do(context.Background(), r) // the number of requests shows it
		return f.sent() - before
	}
	synctest.Test(t, func(t *testing.T) {
		down := true
		f := newFake(t, Config{Retries: 4}, func(int, *http.Request) (int, string, error) {
			if down {
				return 503, unavailable, nil
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
		if got := count(f, get); got != 1 || f.health.down() {
			t.Errorf("with the server back: sent %d times, down %v, want once and not down", got, f.health.down())
		}
		down = true
		if got := count(f, get); got != 5 {
			t.Errorf("when the server goes again, a request is sent %d times, want 5", got)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t, Config{Retries: 4}, func(_ int, r *http.Request) (int, string, error) {
			if r.URL.Path == "/x" {
				return 503, unavailable, nil
			}
			return 200, "{}", nil
		})
		other := request{op: "ask", call: plain(esapi.IndicesGetRequest{Index: []string{"other"}})}
		go func() {
			time.Sleep(300 * time.Millisecond)
			count(f, other)
		}()
		if got := count(f, get); got != 5+1 {
			t.Errorf("there were %d requests, want 5 of one that is refused and the other", got)
		}
		if f.health.down() {
			t.Error("one request was refused while another was answered, and the server counts as gone")
		}
	})
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t, Config{Timeout: time.Second}, silent)
		eager := get
		eager.slow = 1
		count(f, eager)
		if f.health.down() {
			t.Error("a request that may not take long made the server count as gone")
		}
		if got := count(f, get); got != 3 {
			t.Errorf("after it a request was sent %d times, want 3", got)
		}
		if !f.health.down() {
			t.Error("three time-outs, and the server does not count as gone")
		}
	})
}

// TestPatienceBeginsAnew shows that a bulk request of which some items are
// accepted has all attempts before it again.
func TestPatienceBeginsAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t, Config{Retries: 3}, always(503, unavailable))
		a := f.attempts("ask")
		late := &Error{Kind: TimedOut}
		for range 2 {
			if err := a.next(t.Context(), late, true); err != nil {
				t.Fatal(err)
			}
		}
		a.progress()
		for i := range 2 {
			if err := a.next(t.Context(), late, true); err != nil {
				t.Fatalf("attempt %d after some progress: %v", i, err)
			}
		}
		begin := a.begin
		if err := a.next(t.Context(), late, true); err == nil {
			t.Error("the third time-out is no error")
		}
		if took := time.Since(begin); !strings.Contains(late.Reason, fmt.Sprintf("(3 attempts in %v)", took.Round(100*time.Millisecond))) {
			t.Errorf("the reason is %q, want 3 attempts in %v: those since the progress", late.Reason, took)
		}
	})
}

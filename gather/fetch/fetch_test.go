package fetch

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/zstd"
)

// local returns a client for a server on this machine, and the server's address.
func local(t *testing.T, opts Options, answer http.HandlerFunc) (*Client, string) {
	t.Helper()
	s := page(t, "127.0.0.1", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			http.NotFound(w, r)
			return
		}
		answer(w, r)
	})
	opts.Allow = append(opts.Allow, "127.0.0.1")
	return client(t, opts), s.URL
}

// TestConditional: an unchanged page is not sent again.
func TestConditional(t *testing.T) {
	c, at := local(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.UserAgent(), "otisk/test (+https://") {
			t.Errorf("user agent %q", r.UserAgent())
		}
		if r.Header.Get("If-None-Match") == `"one"` && r.Header.Get("If-Modified-Since") == "Sun, 01 Mar 2026 11:00:00 GMT" {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		w.Header().Set("ETag", `"one"`)
		w.Header().Set("Last-Modified", "Sun, 01 Mar 2026 11:00:00 GMT")
		io.WriteString(w, "text")
	})
	first, err := c.Get(t.Context(), Request{URL: at + "/a#part"})
	if err != nil || string(first.Body) != "text" || first.Fresh() || first.Err() != nil || first.URL != at+"/a" || first.IP != "127.0.0.1" {
		t.Fatalf("first: %+v, %v", first, err)
	}
	second, err := c.Get(t.Context(), Request{URL: at + "/a", ETag: first.Header.Get("ETag"), Modified: first.Header.Get("Last-Modified")})
	if err != nil || !second.Fresh() || len(second.Body) != 0 || second.Err() != nil {
		t.Errorf("second: %+v, %v", second, err)
	}
}

// TestFreshUnasked: that nothing has changed is no answer to who has nothing.
func TestFreshUnasked(t *testing.T) {
	c, at := local(t, Options{}, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotModified) })
	if res, err := c.Get(t.Context(), Request{URL: at}); !errors.Is(err, ErrStatus) {
		t.Errorf("Get = %+v, %v, want %v", res, err, ErrStatus)
	}
	if _, err := c.Get(t.Context(), Request{URL: at, ETag: `"a"`}); err != nil {
		t.Errorf("Get with an ETag: %v", err)
	}
}

// TestPassword: who logs in does so in the header of the request, and nowhere else.
func TestPassword(t *testing.T) {
	c, at := local(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
		if user, password, _ := r.BasicAuth(); user != "me" || password != "secret" {
			w.WriteHeader(http.StatusUnauthorized)
		}
	})
	res, err := c.Get(t.Context(), Request{URL: strings.Replace(at, "//", "//me:secret@", 1)})
	if err != nil || res.Err() != nil || strings.Contains(res.URL, "secret") {
		t.Errorf("Get = %+v, %v", res, err)
	}
}

// TestStatus: an answer that has nothing says so, and whether it is gone.
func TestStatus(t *testing.T) {
	c, at := local(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
		var status int
		fmt.Sscanf(r.URL.Path, "/%d", &status)
		w.WriteHeader(status)
	})
	for status, gone := range map[int]bool{404: true, 410: true, 403: false, 500: false, 418: false, 206: false, 226: false} {
		res, err := c.Get(t.Context(), Request{URL: fmt.Sprintf("%s/%d", at, status)})
		if err != nil {
			t.Fatal(err)
		}
		if err := res.Err(); !errors.Is(err, ErrStatus) || !strings.Contains(err.Error(), fmt.Sprintf("/%[1]d: the server answered %[1]d ", status)) || res.Gone() != gone {
			t.Errorf("%d: %v, gone %v", status, err, res.Gone())
		}
	}
}

// TestAddress rejects addresses that are not http or https.
func TestAddress(t *testing.T) {
	c := client(t, Options{Allow: []string{"localhost"}})
	for _, at := range []string{"file:///etc/passwd", "ftp://a.test/", "gopher://localhost/", "//a.test/", "a", "", "http://", "http:///x", "http://a b/", "http://[::1", "http://a.test:99999/", "http://a.test:x/", "javascript:alert(1)", "data:text/html,x"} {
		if _, err := c.Get(t.Context(), Request{URL: at}); !errors.Is(err, ErrAddress) {
			t.Errorf("Get(%q) = %v, want %v", at, err, ErrAddress)
		}
	}
	_, err := c.Get(t.Context(), Request{URL: "ftp://me:secret@a.test/"})
	if strings.Contains(err.Error(), "secret") {
		t.Errorf("a password is told: %v", err)
	}
}

// TestRedirects follows them, to a limit, and names loops.
func TestRedirects(t *testing.T) {
	c, at := local(t, Options{Redirects: 4}, func(w http.ResponseWriter, r *http.Request) {
		to := map[string]string{"/1": "2", "/2": "/3?q=ž", "/3": "4", "/round": "/about", "/about": "/round", "/self": "/self", "/file": "file:///etc/passwd", "/none": "", "/user": "//me:pw@" + r.Host + "/asked"}
		if r.URL.Path == "/asked" && r.Header.Get("Authorization") != "" {
			t.Error("a redirect made us log in")
		}
		next, ok := to[r.URL.Path]
		var n int
		if _, err := fmt.Sscanf(r.URL.Path, "/long/%d", &n); err == nil {
			next, ok = fmt.Sprintf("/long/%d", n+1), true
		}
		if !ok {
			io.WriteString(w, "here")
			return
		}
		w.Header().Set("Location", next)
		w.WriteHeader(http.StatusFound)
	})
	res, err := c.Get(t.Context(), Request{URL: at + "/1"})
	if err != nil || string(res.Body) != "here" || res.URL != at+"/4" || len(res.Hops) != 3 || res.Hops[1].URL != at+"/2" {
		t.Errorf("Get(/1) = %+v, %v", res, err)
	}
	if _, err := c.Get(t.Context(), Request{URL: at + "/user"}); err != nil {
		t.Errorf("/user: %v", err)
	}
	for path, want := range map[string]error{"/round": ErrLoop, "/self": ErrLoop, "/long/1": ErrRedirects, "/file": ErrAddress, "/none": ErrAddress} {
		if _, err := c.Get(t.Context(), Request{URL: at + path}); !errors.Is(err, want) || !strings.HasPrefix(err.Error(), "fetch "+at+path+": ") {
			t.Errorf("Get(%s) = %v, want %v", path, err, want)
		}
	}
}

// TestRawQuery: characters not allowed in a request are encoded, also in the target of a
// redirect; encoding is idempotent.
func TestRawQuery(t *testing.T) {
	var got []string
	c, at := local(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/go" {
			w.Header().Set("Location", "/x y?q=\xe8\xbe a&b=%C4%8D&c=\"<")
			w.WriteHeader(http.StatusFound)
			return
		}
		got = append(got, r.RequestURI)
	})
	for path, want := range map[string]string{"/go": "/x%20y?q=%E8%BE%20a&b=%C4%8D&c=%22%3C", "/ž?q=ž ž&r=a+b%20c": "/%C5%BE?q=%C5%BE%20%C5%BE&r=a+b%20c"} {
		got = nil
		res, err := c.Get(t.Context(), Request{URL: at + path})
		if err != nil || len(got) != 1 || got[0] != want || res.URL != at+want {
			t.Errorf("Get(%q) asked for %q (%v), want %q", path, got, err, want)
		}
	}
}

// packed has a text in each encoding that is undone.
func packed(t *testing.T, text []byte) map[string][]byte {
	t.Helper()
	all := map[string][]byte{"": text, "identity": text}
	add := func(name string, open func(io.Writer) io.WriteCloser) {
		var b bytes.Buffer
		w := open(&b)
		if _, err := w.Write(text); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		all[name] = b.Bytes()
	}
	add("gzip", func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) })
	add("br", func(w io.Writer) io.WriteCloser { return brotli.NewWriter(w) })
	add("deflate", func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) })
	add("Deflate", func(w io.Writer) io.WriteCloser { f, _ := flate.NewWriter(w, 9); return f })
	add("zstd", func(w io.Writer) io.WriteCloser { z, _ := zstd.NewWriter(w); return z })
	add("gzip, br", func(w io.Writer) io.WriteCloser { return both{brotli.NewWriter(w)}.open() })
	return all
}

// both packs by gzip, and that again.
type both struct{ outer io.WriteCloser }

func (b both) open() io.WriteCloser { return &twice{gzip.NewWriter(b.outer), b.outer} }

type twice struct {
	*gzip.Writer
	outer io.Closer
}

func (t *twice) Close() error { return errors.Join(t.Writer.Close(), t.outer.Close()) }

// TestEncodings decodes each encoding, and keeps the received bytes.
func TestEncodings(t *testing.T) {
	text := []byte(strings.Repeat("Příliš žluťoučký kůň. ", 100))
	for name, data := range packed(t, text) {
		c, at := local(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Encoding", name)
			w.Write(data)
		})
		res, err := c.Get(t.Context(), Request{URL: at})
		if err != nil || !bytes.Equal(res.Body, text) || !bytes.Equal(res.Raw, data) {
			t.Errorf("%q: %v", name, err)
		}
	}
	for _, name := range []string{"gzip", "br", "zstd", "deflate", "made-up", "gzip, gzip, gzip, gzip"} {
		c, at := local(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Encoding", name)
			w.Write([]byte("this is packed by nothing at all"))
		})
		if _, err := c.Get(t.Context(), Request{URL: at}); !errors.Is(err, ErrEncoding) {
			t.Errorf("wrong %s: %v, want %v", name, err, ErrEncoding)
		}
	}
}

// TestCutOff: a truncated response is an error.
func TestCutOff(t *testing.T) {
	all := packed(t, bytes.Repeat([]byte("one two three "), 1000))
	for _, name := range []string{"gzip", "br", "zstd", "deflate"} {
		c, at := local(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Encoding", name)
			w.Write(all[name][:len(all[name])/2])
		})
		if _, err := c.Get(t.Context(), Request{URL: at}); !errors.Is(err, ErrEncoding) {
			t.Errorf("half of %s: %v, want %v", name, err, ErrEncoding)
		}
	}
	c, at := local(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "1000")
		w.Write([]byte("short"))
	})
	if _, err := c.Get(t.Context(), Request{URL: at}); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("half an answer: %v, want %v", err, io.ErrUnexpectedEOF)
	}
}

// TestTooLarge: the sizes of a body, as received and decoded, are limited whatever its header
// states.
func TestTooLarge(t *testing.T) {
	bombs := packed(t, make([]byte, 5<<18))
	for name, data := range bombs {
		for _, chunked := range []bool{false, true} {
			c, at := local(t, Options{MaxBytes: 1 << 18}, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Encoding", name)
				if chunked {
					w.(http.Flusher).Flush()
				}
				w.Write(data)
			})
			if _, err := c.Get(t.Context(), Request{URL: at}); !errors.Is(err, ErrTooLarge) {
				t.Errorf("%q: %v, want %v", name, err, ErrTooLarge)
			}
			if _, err := c.Get(t.Context(), Request{URL: at, MaxBytes: 5 << 18}); err != nil {
				t.Errorf("%q with a limit of its own: %v", name, err)
			}
		}
	}
	var sent atomic.Int64
	c, at := local(t, Options{MaxBytes: 1 << 20}, func(w http.ResponseWriter, r *http.Request) {
		for {
			n, err := w.Write(make([]byte, 64<<10))
			if sent.Add(int64(n)); err != nil {
				return
			}
		}
	})
	if _, err := c.Get(t.Context(), Request{URL: at}); !errors.Is(err, ErrTooLarge) {
		t.Errorf("without an end: %v", err)
	}
	if n := sent.Load(); n > 64<<20 {
		t.Errorf("%d bytes were taken of a body without an end", n)
	}
}

// TestSlow: nobody can keep us waiting for longer than the limits.
func TestSlow(t *testing.T) {
	stop := make(chan struct{})
	defer close(stop)
	for _, tt := range []struct {
		opts Options
		path string
		want string
	}{
		{Options{Header: 50 * time.Millisecond}, "/silent", "too slow: no response within 50ms"},
		{Options{Whole: 200 * time.Millisecond}, "/drip", "too slow: no complete response within 200ms"},
	} {
		c, at := local(t, tt.opts, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/drip" {
				for range 1000 {
					if _, err := w.Write([]byte(".")); err != nil {
						return
					}
					w.(http.Flusher).Flush()
					time.Sleep(5 * time.Millisecond)
				}
			}
			select {
			case <-stop:
			case <-r.Context().Done():
			}
		})
		_, err := c.Get(t.Context(), Request{URL: at + tt.path, NoRobots: true}) // they may take longer, too
		if !errors.Is(err, ErrSlow) || !strings.HasSuffix(err.Error(), tt.want) {
			t.Errorf("Get(%s) = %v, want %s", tt.path, err, tt.want)
		}
	}
}

// TestEnded: a context that has ended says why nothing is asked.
func TestEnded(t *testing.T) {
	c, at := local(t, Options{}, func(http.ResponseWriter, *http.Request) {})
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	cancel(why)
	if _, err := c.Get(ctx, Request{URL: at}); !errors.Is(err, why) {
		t.Errorf("after the end: %v, want %v", err, why)
	}
}

// TestDead reports why a host cannot be reached.
func TestDead(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	dead := "http://" + l.Addr().String() + "/"
	c, at := local(t, Options{}, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, dead, http.StatusFound) })
	for _, from := range []string{dead, at} {
		_, err = c.Get(t.Context(), Request{URL: from})
		var e *Error
		if !errors.Is(err, ErrConnect) || !strings.HasSuffix(err.Error(), "no connection: connection refused") || !errors.As(err, &e) || e.At != dead {
			t.Errorf("nobody there, from %s: %v at %+v", from, err, e)
		}
	}
}

// TestPauses: between two requests to a host there is a pause, also when several
// goroutines ask.
func TestPauses(t *testing.T) {
	clock := new(fakeClock)
	var at []time.Time
	var mu sync.Mutex
	c, url := local(t, Options{Clock: clock, Delay: 3 * time.Second}, func(http.ResponseWriter, *http.Request) {
		mu.Lock()
		at = append(at, clock.Now())
		mu.Unlock()
	})
	var wg sync.WaitGroup
	for range 5 {
		wg.Go(func() {
			if _, err := c.Get(t.Context(), Request{URL: url}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for i := range at[1:] {
		if gap := at[i+1].Sub(at[i]); gap < 3*time.Second {
			t.Errorf("pause %d is %v", i, gap)
		}
	}
}

// TestRetryAfter: a busy host gets the next request after the time it states, if that is
// within MaxWait, and no other request before.
func TestRetryAfter(t *testing.T) {
	for _, tt := range []struct {
		header string
		busy   int // answers before it has time
		slept  time.Duration
		err    bool
	}{
		{"7", 1, 7 * time.Second, false},
		{"Sun, 01 Mar 2026 12:00:30 GMT", 1, 30 * time.Second, false},
		{"", 2, 15 * time.Second, false},
		{"-5", 1, 0, false},
		{"soon", 1, 5 * time.Second, false},
		{"2", 9, 4 * time.Second, true},
		{"3600", 1, 0, true},
		{"99999999999999999999", 1, 5 * time.Second, false},
	} {
		clock := new(fakeClock)
		asked := 0
		c, url := local(t, Options{Clock: clock, Delay: -1}, func(w http.ResponseWriter, r *http.Request) {
			if asked++; asked <= tt.busy {
				if tt.header != "" {
					w.Header().Set("Retry-After", tt.header)
				}
				w.WriteHeader([]int{429, 503}[asked%2])
			}
		})
		_, err := c.Get(t.Context(), Request{URL: url})
		var busy *BusyError
		if errors.As(err, &busy) != tt.err || errors.Is(err, ErrBusy) != tt.err || clock.all() != tt.slept {
			t.Errorf("Retry-After %q: slept %v, want %v; %v", tt.header, clock.all(), tt.slept, err)
		}
		if tt.header == "3600" {
			before := asked
			if _, err := c.Get(t.Context(), Request{URL: url + "/other"}); !errors.Is(err, ErrBusy) || asked != before {
				t.Errorf("meanwhile: %v, asked %d times", err, asked-before)
			}
			_ = clock.Sleep(t.Context(), time.Hour)
			if _, err := c.Get(t.Context(), Request{URL: url + "/other"}); err != nil {
				t.Errorf("after an hour: %v", err)
			}
		}
	}
}

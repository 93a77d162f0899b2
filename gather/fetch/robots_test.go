package fetch

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestRobots has the examples of RFC 9309, and what else sites write.
func TestRobots(t *testing.T) {
	const groups = "User-agent: *\nDisallow: /all\n\nUser-Agent: Otisk\nuser-agent: other\nDisallow: /ours\n\nUser-agent: otisk\nDisallow: /more\n"
	for _, tt := range []struct{ robots, path, want string }{
		{"", "/a", ""},
		{groups, "/ours", "/ours"}, {groups, "/more/x", "/more"}, {groups, "/all", ""},
		{"User-agent: *\nDisallow: /", "/a", "/"}, {"User-agent: *\nDisallow:", "/a", ""},
		{"User-agent: *\nDisallow: /a\nAllow: /a/b", "/a/b/c", ""}, {"User-agent: *\nAllow: /a/b\nDisallow: /a", "/a/c", "/a"},
		{"User-agent: *\nDisallow: /a\nAllow: /a", "/a", ""},
		{"User-agent: *\nDisallow: *.gif$", "/x.gif", "*.gif$"}, {"User-agent: *\nDisallow: *.gif$", "/x.gif?a", ""},
		{"User-agent: *\nDisallow: /a*z", "/a/b/z/c", "/a*z"}, {"User-agent: *\nDisallow: /a*z", "/x/a/z", ""},
		{"User-agent: *\nDisallow: /*/private", "/uk/private", "/*/private"}, {"User-agent: *\nDisallow: /*?", "/a?q=1", "/*?"},
		{"User-agent: *\nDisallow: /a$", "/a", "/a$"}, {"User-agent: *\nDisallow: /a$", "/ab", ""}, {"User-agent: *\nDisallow: /a*b$", "/a-b-b", "/a*b$"},
		{"User-agent: *\nDisallow: /foo/bar/ツ", "/foo/bar/%E3%83%84", "/foo/bar/%E3%83%84"},
		{"User-agent: *\nDisallow: /foo/%7ejoe", "/foo/~joe", "/foo/~joe"}, {"User-agent: *\nDisallow: /a%3cd", "/a%3Cd", "/a%3Cd"},
		{"User-agent: *\nDisallow: /Case", "/case", ""},
		{"User-agent: * # everybody\nDISALLOW : /x # no\n", "/x", "/x"},
		{"User-agent: *\n\n\nDisallow: /x", "/x", "/x"}, {"User-agent: *\r\nDisallow: /x\r\n", "/x", "/x"}, {"User-agent: *\rDisallow: /x\r", "/x", "/x"},
		{"\ufeffUser-agent: *\nDisallow: /x", "/x", "/x"},
		{"Disallow: /x\nUser-agent: *\nDisallow: /y", "/x", ""}, {"<html>not found</html>", "/x", ""},
		{"User-agent: otisk/2.1\nDisallow: /x", "/x", "/x"}, {"User-agent: otiskbot\nDisallow: /x", "/x", ""}, {"User-agent: oti\nDisallow: /x", "/x", ""},
		{"User-agent: *\nSitemap: /s\nCrawl-delay: x\nDisallow: /x", "/x", "/x"},
		{"User-agent: *\nDisallow: /x\nUser-agent: otisk\nAllow: /", "/x", ""},
		{"User-agent: *\nDisallow: /a" + strings.Repeat("*a", 5000) + "b", "/" + strings.Repeat("a", 20000), ""},
	} {
		t.Run("", func(t *testing.T) {
			s := page(t, "127.0.0.1", func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/robots.txt" {
					io.WriteString(w, tt.robots)
				}
			})
			c := client(t, Options{Allow: []string{"127.0.0.1"}})
			_, err := c.Get(t.Context(), Request{URL: s.URL + tt.path})
			switch {
			case tt.want == "" && err != nil, tt.want != "" && (!errors.Is(err, ErrRobots) || !strings.HasSuffix(err.Error(), "by Disallow: "+tt.want)):
				t.Errorf("%.80q, Get(%.80s) = %v, want %q", tt.robots, tt.path, err, tt.want)
			}
			if _, err := c.Get(t.Context(), Request{URL: s.URL + tt.path, NoRobots: true}); err != nil {
				t.Errorf("not asked: %v", err)
			}
		})
	}
}

// TestRobotsStatus: there is none, it cannot be read, it is elsewhere.
func TestRobotsStatus(t *testing.T) {
	for _, tt := range []struct {
		name string
		give http.HandlerFunc
		want error
	}{
		{"404", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(404) }, nil},
		{"403", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(403) }, nil},
		{"500", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(500) }, ErrRobots},
		{"206", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(206) }, ErrRobots},
		{"503", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(503) }, ErrBusy},
		{"loop", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/robots.txt", http.StatusFound) }, nil},
		{"elsewhere", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/other.txt", http.StatusFound) }, ErrRobots},
		{"broken", func(w http.ResponseWriter, r *http.Request) { panic(http.ErrAbortHandler) }, io.ErrUnexpectedEOF},
		{"large", func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, "User-agent: *\nDisallow: /\n")
			io.WriteString(w, strings.Repeat("# nothing\n", 1<<20))
		}, ErrRobots},
	} {
		s := page(t, "127.0.0.1", func(w http.ResponseWriter, r *http.Request) {
			switch r.URL.Path {
			case "/robots.txt":
				tt.give(w, r)
			case "/other.txt":
				io.WriteString(w, "User-agent: *\nDisallow: /")
			}
		})
		c := client(t, Options{Allow: []string{"127.0.0.1"}})
		_, err := c.Get(t.Context(), Request{URL: s.URL + "/a"})
		if !errors.Is(err, tt.want) || (err == nil) != (tt.want == nil) || tt.want != nil && tt.want != ErrRobots && strings.Contains(err.Error(), "robots.txt") {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
		}
	}
}

// TestRobotsOnce: it is asked for once a day and host, and its pauses are kept.
func TestRobotsOnce(t *testing.T) {
	var asked atomic.Int32
	clock := new(fakeClock)
	s := page(t, "127.0.0.1", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			asked.Add(1)
			io.WriteString(w, "User-agent: *\nCrawl-delay: 20\n")
		}
	})
	c := client(t, Options{Allow: []string{"127.0.0.1"}, Clock: clock})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if _, err := c.Get(t.Context(), Request{URL: s.URL + "/a"}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := asked.Load(); n != 1 {
		t.Errorf("asked for robots.txt %d times, want once", n)
	}
	if got := clock.all(); got < 60*time.Second {
		t.Errorf("pauses of %v for four pages, want 20 s between two", got)
	}
	_ = clock.Sleep(t.Context(), 25*time.Hour)
	if _, err := c.Get(t.Context(), Request{URL: s.URL + "/a"}); err != nil || asked.Load() != 2 {
		t.Errorf("a day later: asked %d times, %v", asked.Load(), err)
	}
}

func FuzzMatches(f *testing.F) {
	f.Add("/a*b$", "/axxb")
	f.Fuzz(func(t *testing.T, pattern, path string) {
		if strings.HasSuffix(pattern, "$") {
			return
		}
		if got, want := matches(pattern, path), slow(pattern, path); got != want {
			t.Fatalf("matches(%q, %q) = %v, want %v", pattern, path, got, want)
		}
		if got, want := matches(pattern+"$", path), slowWhole(pattern, path); got != want {
			t.Fatalf("matches(%q, %q) = %v, want %v", pattern+"$", path, got, want)
		}
	})
}

// slow and slowWhole match by trying everything.
func slow(pattern, path string) bool { return slowWhole(pattern+"*", path) }

func slowWhole(pattern, path string) bool {
	can := make([]bool, len(path)+1)
	can[0] = true
	for i := range len(pattern) {
		next := make([]bool, len(path)+1)
		for at := range can {
			switch {
			case pattern[i] == '*':
				next[at] = can[at] || at > 0 && next[at-1]
			case at > 0:
				next[at] = can[at-1] && path[at-1] == pattern[i]
			}
		}
		can = next
	}
	return can[len(path)]
}

package fetch

import (
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/otisk/otisk/internal/testing/need"
)

// TestInside has addresses of every kind that a foreign address may try.
func TestInside(t *testing.T) {
	for text, want := range map[string]bool{
		"8.8.8.8": false, "93.184.216.34": false, "172.15.255.255": false, "172.32.0.1": false, "100.63.0.1": false, "100.128.0.1": false,
		"11.0.0.1": false, "223.255.255.255": false, "147.251.5.239": false,
		"2606:4700::1": false, "2a00:1450:4014:80e::200e": false, "64:ff9b::808:808": false, "2002:808:808::1": false, "::ffff:8.8.8.8": false,

		"0.0.0.0": true, "0.1.2.3": true, "10.0.0.1": true, "100.64.0.1": true, "100.127.255.255": true, "127.0.0.1": true, "127.255.255.254": true,
		"169.254.169.254": true, "172.16.0.1": true, "172.31.255.255": true, "192.0.0.1": true, "192.0.2.1": true, "192.88.99.1": true, "192.168.1.1": true,
		"198.18.0.1": true, "198.19.255.255": true, "198.51.100.1": true, "203.0.113.1": true, "224.0.0.1": true, "239.255.255.255": true, "240.0.0.1": true, "255.255.255.255": true,
		"::": true, "::1": true, "::7f00:1": true, "::ffff:127.0.0.1": true, "::ffff:10.1.2.3": true, "::ffff:0:127.0.0.1": true,
		"fe80::1": true, "fe80::1%eth0": true, "fec0::1": true, "fc00::1": true, "fd00:ec2::254": true, "ff02::1": true, "100::1": true, "5f00::1": true,
		"64:ff9b::7f00:1": true, "64:ff9b::a9fe:a9fe": true, "64:ff9b:1::1": true, "2001::1": true, "2001:db8::1": true, "3fff::1": true,
		"2002:7f00:1::": true, "2002:c0a8:101::1": true, "4000::1": true,
	} {
		if got := inside(netip.MustParseAddr(text)); got != want {
			t.Errorf("inside(%s) = %v, want %v", text, got, want)
		}
	}
	if !inside(netip.Addr{}) {
		t.Error("inside(no address) = false, want true")
	}
}

// TestOwnAddress: a public address of this machine is inside too.
func TestOwnAddress(t *testing.T) {
	list, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	own := ownAddresses()
	if len(own) == 0 || len(own) > len(list) {
		t.Errorf("%d own addresses, the system has %d", len(own), len(list))
	}
}

// page is a server at an address of this machine that answers everything.
func page(t *testing.T, host string, answer http.HandlerFunc) *httptest.Server {
	t.Helper()
	l, err := net.Listen("tcp", host+":0")
	if err != nil {
		need.Skip(t, "no address "+host+" here: "+err.Error())
	}
	s := &httptest.Server{Listener: l, Config: &http.Server{Handler: answer}}
	s.Start()
	t.Cleanup(s.Close)
	return s
}

func client(t *testing.T, opts Options) *Client {
	t.Helper()
	opts.UserAgent = "otisk/test (+https://example.org/bot)"
	if opts.Clock == nil {
		opts.Clock = new(fakeClock)
	}
	c, err := New(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// TestGuard: whatever way leads to this machine, nothing is asked there.
func TestGuard(t *testing.T) {
	var asked atomic.Int32
	s := page(t, "127.0.0.1", func(http.ResponseWriter, *http.Request) { asked.Add(1) })
	_, port, _ := net.SplitHostPort(s.Listener.Addr().String())
	c := client(t, Options{Resolver: names(t, func(string, int) string { return "127.0.0.1" })})
	for _, host := range []string{"127.0.0.1", "localhost", "LOCALHOST.", "inner.test", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0", "0", "127.1", "2130706433", "0x7f000001", "ｌocalhost"} {
		for _, noRobots := range []bool{false, true} {
			_, err := c.Get(t.Context(), Request{URL: "http://" + host + ":" + port + "/", NoRobots: noRobots})
			if err == nil {
				t.Errorf("Get(%s) = nil, want an error", host)
			}
			var e *Error
			if !errors.As(err, &e) {
				t.Errorf("Get(%s) = %v, want an *Error", host, err)
			}
		}
	}
	if n := asked.Load(); n != 0 {
		t.Errorf("the own network was asked %d times", n)
	}
}

// TestGuardSays names the address and the reason.
func TestGuardSays(t *testing.T) {
	s := page(t, "127.0.0.1", func(http.ResponseWriter, *http.Request) {})
	_, port, _ := net.SplitHostPort(s.Listener.Addr().String())
	c := client(t, Options{Resolver: names(t, func(string, int) string { return "127.0.0.1" })})
	at := "http://inner.test:" + port + "/secret"
	_, err := c.Get(t.Context(), Request{URL: at})
	want := "fetch " + at + ": refused: the address is in your own network: 127.0.0.1"
	if !errors.Is(err, ErrForbidden) || err.Error() != want {
		t.Errorf("Get = %v, want %s", err, want)
	}
}

// TestAllow lets hosts be asked that are allowed by name, and no other name of
// theirs.
func TestAllow(t *testing.T) {
	s := page(t, "127.0.0.1", func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("in")) })
	_, port, _ := net.SplitHostPort(s.Listener.Addr().String())
	for _, tt := range []struct {
		allow, host string
		want        bool
	}{
		{"inner.test", "inner.test", true}, {"INNER.test.", "inner.Test", true}, {"inner.test:" + port, "inner.test", true},
		{"127.0.0.1", "127.0.0.1", true}, {"inner.test:1", "inner.test", false}, {"inner.test", "other.test", false},
		{"test", "inner.test", false}, {"inner.test", "127.0.0.1", false},
	} {
		c := client(t, Options{Allow: []string{tt.allow}, Resolver: names(t, func(string, int) string { return "127.0.0.1" })})
		res, err := c.Get(t.Context(), Request{URL: "http://" + tt.host + ":" + port})
		if got := err == nil && string(res.Body) == "in"; got != tt.want {
			t.Errorf("allowed %s, asked %s: %v, want %v (%v)", tt.allow, tt.host, got, tt.want, err)
		}
	}
	for _, bad := range []string{"", "*.test", "http://a.test/", "a@b"} {
		if _, err := New(Options{UserAgent: "a", Allow: []string{bad}}); err == nil {
			t.Errorf("New allowing %q = nil, want an error", bad)
		}
	}
}

// outer makes 127.0.0.2 an address of the web, for tests on one machine.
func outer(c *Client) *Client {
	c.refused = func(a netip.Addr) bool { return a != netip.MustParseAddr("127.0.0.2") }
	return c
}

// TestRebinding: a name that leads to the web at the first look, and to this machine
// at the second.
func TestRebinding(t *testing.T) {
	var asked atomic.Int32
	in := page(t, "127.0.0.1", func(http.ResponseWriter, *http.Request) { asked.Add(1) })
	port := in.Listener.Addr().(*net.TCPAddr).Port
	l, err := net.Listen("tcp", (&net.TCPAddr{IP: net.IPv4(127, 0, 0, 2), Port: port}).String())
	if err != nil {
		need.Skip(t, "no address 127.0.0.2 here: "+err.Error())
	}
	out := &httptest.Server{Listener: l, Config: &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Connection", "close")
		w.Write([]byte("out"))
	})}}
	out.Start()
	defer out.Close()
	c := outer(client(t, Options{Resolver: names(t, func(_ string, look int) string {
		if look == 0 {
			return "127.0.0.2"
		}
		return "127.0.0.1"
	})}))
	url := "http://twice.test:" + out.URL[strings.LastIndexByte(out.URL, ':')+1:]
	first, err := c.Get(t.Context(), Request{URL: url, NoRobots: true})
	if err != nil || string(first.Body) != "out" {
		t.Fatalf("first look: %v", err)
	}
	if _, err := c.Get(t.Context(), Request{URL: url, NoRobots: true}); !errors.Is(err, ErrForbidden) {
		t.Errorf("second look: %v, want %v", err, ErrForbidden)
	}
	if n := asked.Load(); n != 0 {
		t.Errorf("the own network was asked %d times", n)
	}
}

// TestForeignLeadsInside: a public page leads to an internal host by a redirect or a link.
// Only hosts that are allowed themselves may lead there.
func TestForeignLeadsInside(t *testing.T) {
	var asked atomic.Int32
	in := page(t, "127.0.0.1", func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		if r.URL.Path == "/moved" {
			http.Redirect(w, r, "/there", http.StatusFound)
		}
	})
	out := page(t, "127.0.0.2", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, in.URL+"/delete", http.StatusMovedPermanently)
	})
	c := outer(client(t, Options{Allow: []string{"127.0.0.1"}}))
	_, err := c.Get(t.Context(), Request{URL: out.URL, NoRobots: true})
	if !errors.Is(err, ErrForbidden) || !strings.Contains(err.Error(), "redirected to "+in.URL+"/delete") {
		t.Errorf("redirect: %v, want %v", err, ErrForbidden)
	}
	if _, err := c.Get(t.Context(), Request{URL: in.URL + "/a", From: out.URL + "/feed", NoRobots: true}); !errors.Is(err, ErrForbidden) {
		t.Errorf("named by the web: %v, want %v", err, ErrForbidden)
	}
	if n := asked.Load(); n != 0 {
		t.Errorf("the own network was asked %d times", n)
	}
	for _, req := range []Request{{URL: in.URL + "/moved"}, {URL: in.URL + "/moved", From: in.URL + "/feed"}} {
		if _, err := c.Get(t.Context(), req); err != nil {
			t.Errorf("allowed: %v", err)
		}
	}
}

// TestProxy: hosts are checked before the request goes to the proxy, and connections that
// bypass the proxy are guarded as without one.
func TestProxy(t *testing.T) {
	c := client(t, Options{Proxy: true, Resolver: names(t, func(name string, _ int) string {
		if strings.HasPrefix(name, "inner") {
			return "10.0.0.1"
		}
		return "93.184.216.34"
	})})
	for host, want := range map[string]bool{
		"example.org": true, "8.8.8.8": true, "inner.example.org": false, "intranet": false, "printer.local": false, "a.localhost": false,
		"10.0.0.1": false, "127.1": false, "0x7f.0x1": false, "2130706433": false, "[::1]": false,
	} {
		err := c.lookUp(t.Context(), &url.URL{Scheme: "http", Host: host})
		if got := err == nil; got != want || err != nil && !errors.Is(err, ErrForbidden) {
			t.Errorf("lookUp(%s) = %v, want allowed %v", host, err, want)
		}
	}
	var asked atomic.Int32
	in := page(t, "127.0.0.1", func(http.ResponseWriter, *http.Request) { asked.Add(1) })
	dial := c.dialProxy(c.dialer(c.control), c.dialer(nil))
	if _, err := dial(t.Context(), "tcp", in.Listener.Addr().String()); !errors.Is(err, ErrForbidden) {
		t.Errorf("past the proxy: %v, want %v", err, ErrForbidden)
	}
	c.proxies.Store(in.Listener.Addr().String(), true)
	conn, err := dial(t.Context(), "tcp", in.Listener.Addr().String())
	if err != nil {
		t.Fatalf("to the proxy: %v", err)
	}
	conn.Close()
}

// names returns a resolver that asks answer for the address of a name, with how
// often it was asked for before.
func names(t *testing.T, answer func(name string, look int) string) *net.Resolver {
	t.Helper()
	dns := &fakeDNS{answer: answer, looks: map[string]int{}}
	return &net.Resolver{PreferGo: true, Dial: dns.dial}
}

// pack makes the answer to a question of DNS.
func pack(h dnsmessage.Header, q dnsmessage.Question, addr string) ([]byte, error) {
	b := dnsmessage.NewBuilder(nil, dnsmessage.Header{ID: h.ID, Response: true, RecursionAvailable: true})
	if err := errors.Join(b.StartQuestions(), b.Question(q), b.StartAnswers()); err != nil {
		return nil, err
	}
	ip := netip.MustParseAddr(addr)
	if q.Type == dnsmessage.TypeA && ip.Is4() {
		head := dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class}
		if err := b.AResource(head, dnsmessage.AResource{A: ip.As4()}); err != nil {
			return nil, err
		}
	}
	return b.Finish()
}

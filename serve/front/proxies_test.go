package front

import (
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
)

// TestClientAddress reads the address of the client from X-Forwarded-For only as far as named
// proxies wrote it.
func TestClientAddress(t *testing.T) {
	t.Parallel()
	trusted := Proxies{netip.MustParsePrefix("10.0.0.5/32"), netip.MustParsePrefix("192.168.0.0/16"), netip.MustParsePrefix("2001:db8::/32")}
	for _, tt := range []struct {
		peer      string
		forwarded []string
		want      string
	}{
		{"203.0.113.9:1000", nil, "203.0.113.9"},
		{"203.0.113.9:1000", []string{"198.51.100.1"}, "203.0.113.9"},                            // not a proxy
		{"10.0.0.5:1000", []string{"198.51.100.1"}, "198.51.100.1"},                              // a proxy
		{"10.0.0.6:1000", []string{"198.51.100.1"}, "10.0.0.6"},                                  // next to a proxy
		{"10.0.0.5:1000", []string{"127.0.0.1, 198.51.100.1"}, "198.51.100.1"},                   // the client wrote the first
		{"10.0.0.5:1000", []string{"127.0.0.1", "198.51.100.1, 192.168.7.7"}, "198.51.100.1"},    // two proxies, two headers
		{"10.0.0.5:1000", []string{"192.168.1.1, 192.168.7.7"}, "192.168.1.1"},                   // only proxies
		{"10.0.0.5:1000", []string{"198.51.100.1, nonsense"}, "10.0.0.5"},                        // nothing before it counts
		{"10.0.0.5:1000", []string{""}, "10.0.0.5"},                                              // empty
		{"[::ffff:10.0.0.5]:1000", []string{"::ffff:198.51.100.1"}, "198.51.100.1"},              // IPv4 in IPv6
		{"[2001:db8::1]:1000", []string{"2001:db9::7"}, "2001:db9::7"},                           // IPv6
		{"[2001:db9::1]:1000", []string{"2001:db8::7"}, "2001:db9::1"},                           // IPv6, not a proxy
		{"10.0.0.5:1000", []string{"198.51.100.1:4711"}, "10.0.0.5"},                             // with a port: not an address
		{"10.0.0.5:1000", []string{strings.Repeat("192.168.7.7,", 2000) + "1.2.3.4"}, "1.2.3.4"}, // long
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr = tt.peer
		r.Header["X-Forwarded-For"] = tt.forwarded
		if got := trusted.Client(r); got != tt.want {
			t.Errorf("from %s with %.80q: client %s, want %s", tt.peer, tt.forwarded, got, tt.want)
		}
	}
}

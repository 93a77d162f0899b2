package front

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// Proxies are the networks whose forwarded headers are accepted.
type Proxies []netip.Prefix

// Client returns the address of the client: the last one in X-Forwarded-For that is not a trusted
// proxy, if the connection comes from one.
func (p Proxies) Client(r *http.Request) string {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	client := peer.Addr().Unmap()
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(hops) - 1; i >= 0 && slices.ContainsFunc(p, func(n netip.Prefix) bool { return n.Contains(client) }); i-- {
		ip, err := netip.ParseAddr(strings.TrimSpace(hops[i]))
		if err != nil {
			break
		}
		client = ip.Unmap()
	}
	return client.String()
}

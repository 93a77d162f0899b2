package fetch

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"github.com/otisk/otisk/internal/lists"
)

// proxyOf returns the proxy for a request that the environment names, and records
// its address for dialProxy.
func (c *Client) proxyOf(req *http.Request) (*url.URL, error) {
	u, err := http.ProxyFromEnvironment(req)
	if u != nil {
		c.proxies.Store(net.JoinHostPort(u.Hostname(), proxyPort(u)), true)
	}
	return u, err
}

func proxyPort(u *url.URL) string {
	if u.Port() == "" && strings.HasPrefix(u.Scheme, "socks5") {
		return "1080"
	}
	return port(u)
}

// dialProxy connects to proxies by open, and to hosts that the environment exempts
// from the proxy by guarded.
func (c *Client) dialProxy(guarded, open *net.Dialer) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		if _, ok := c.proxies.Load(address); ok {
			return open.DialContext(ctx, network, address)
		}
		return guarded.DialContext(ctx, network, address)
	}
}

// lookUp checks a host that a proxy will connect to. A name that does not resolve
// here is left to the proxy, unless it can only be in the user's own network.
func (c *Client) lookUp(ctx context.Context, u *url.URL) error {
	name := hostName(u.Hostname())
	if addr, err := netip.ParseAddr(name); err == nil {
		return c.judge(addr)
	}
	last := name[strings.LastIndexByte(name, '.')+1:]
	switch {
	case !strings.Contains(name, "."), ownNames[last], last[0] >= '0' && last[0] <= '9':
		return fmt.Errorf("%w: %s", ErrForbidden, name)
	}
	resolver := cmp.Or(c.opts.Resolver, net.DefaultResolver)
	ctx, cancel := context.WithTimeout(ctx, c.opts.Connect)
	defer cancel()
	list, _ := resolver.LookupNetIP(ctx, "ip", name) // networks that need a proxy often do not resolve public names
	return lists.Each(list, c.judge)
}

// ownNames are the last labels of host names that are never public.
var ownNames = map[string]bool{"localhost": true, "local": true, "internal": true, "lan": true, "intranet": true, "home": true, "corp": true, "arpa": true}

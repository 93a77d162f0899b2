package fetch

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
)

// proxyOf returns the proxy for a request, as the environment says.
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

// dialProxy connects to a proxy wherever it is, and to what the environment
// exempts from it as guarded does.
func (c *Client) dialProxy(guarded, open *net.Dialer) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		if _, ok := c.proxies.Load(address); ok {
			return open.DialContext(ctx, network, address)
		}
		return guarded.DialContext(ctx, network, address)
	}
}

// lookUp judges a host that a proxy will connect to. What is not known here,
// only the proxy knows; but what can only be a name or number of the own network
// is refused.
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
	resolver := c.opts.Resolver
	if resolver == nil {
		resolver = net.DefaultResolver
	}
	ctx, cancel := context.WithTimeout(ctx, c.opts.Connect)
	defer cancel()
	list, _ := resolver.LookupNetIP(ctx, "ip", name) // behind a proxy, names of outside are often unknown
	for _, addr := range list {
		if err := c.judge(addr); err != nil {
			return err
		}
	}
	return nil
}

// ownNames end names that are never of the web.
var ownNames = map[string]bool{"localhost": true, "local": true, "internal": true, "lan": true, "intranet": true, "home": true, "corp": true, "arpa": true}

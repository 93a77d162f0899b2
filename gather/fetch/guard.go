package fetch

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/net/idna"

	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/lang/phrase"
)

// forbidden are the networks that are refused: those that IANA lists as not
// globally reachable, and those that relay to others.
var forbidden = networks(
	"0.0.0.0/8",       // this network; on Linux 0.0.0.0 is this machine
	"10.0.0.0/8",      // private
	"100.64.0.0/10",   // shared by providers (CGNAT)
	"127.0.0.0/8",     // loopback
	"169.254.0.0/16",  // link-local, and the metadata services of clouds
	"172.16.0.0/12",   // private
	"192.0.0.0/24",    // protocols
	"192.0.2.0/24",    // documentation
	"192.88.99.0/24",  // 6to4 relays
	"192.168.0.0/16",  // private
	"198.18.0.0/15",   // benchmarks
	"198.51.100.0/24", // documentation
	"203.0.113.0/24",  // documentation
	"224.0.0.0/4",     // multicast
	"240.0.0.0/4",     // reserved, and broadcast

	"2001::/23",     // protocols, including Teredo
	"2001:db8::/32", // documentation
	"3fff::/20",     // documentation
)

// global is the only part of IPv6 that may be connected to. It excludes loopback,
// unspecified, unique-local, link-local, site-local, multicast and IPv4-compatible
// addresses.
var global = netip.MustParsePrefix("2000::/3")

// An IPv6 address in these prefixes contains an IPv4 address, which is checked
// instead.
var (
	nat64 = netip.MustParsePrefix("64:ff9b::/96") // its last 4 bytes
	sixTo = netip.MustParsePrefix("2002::/16")    // bytes 2 to 5
)

func networks(list ...string) (out []netip.Prefix) {
	return lists.Map(list, netip.MustParsePrefix)
}

// inside reports whether an address is in the user's own network, or leads there.
func inside(addr netip.Addr) bool {
	addr = addr.Unmap().WithZone("")
	if addr.Is6() {
		b := addr.As16()
		switch {
		case nat64.Contains(addr):
			return inside(netip.AddrFrom4([4]byte(b[12:])))
		case sixTo.Contains(addr):
			return inside(netip.AddrFrom4([4]byte(b[2:6])))
		case !global.Contains(addr):
			return true
		}
	}
	return slices.ContainsFunc(forbidden, func(network netip.Prefix) bool { return network.Contains(addr) }) || !addr.IsValid()
}

// ownAddresses returns the addresses of this machine. Even a public one of them
// bypasses the firewall, so they are refused, too.
func ownAddresses() map[netip.Addr]bool {
	own := map[netip.Addr]bool{}
	list, _ := net.InterfaceAddrs() // after an error, only the list of networks is checked
	for _, a := range list {
		if network, ok := a.(*net.IPNet); ok {
			if addr, ok := netip.AddrFromSlice(network.IP); ok {
				own[addr.Unmap()] = true
			}
		}
	}
	return own
}

// A controller is called before each connection.
type controller func(ctx context.Context, network, address string, conn syscall.RawConn) error

// control refuses connections to the user's own network. address is already
// resolved: it is the address that is connected to.
func (c *Client) control(_ context.Context, _, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("%w: %s", ErrForbidden, address)
	}
	return c.judge(at.Addr())
}

func (c *Client) judge(addr netip.Addr) error {
	if c.refused(addr) {
		return fmt.Errorf("%w: %s", ErrForbidden, addr)
	}
	return nil
}

// Guarded returns a transport for requests of other kinds than [Client.Get], which refuses connections
// to the user's own network, but to the hosts in Options.Allow. allowed reports whether an address has
// such a host.
func Guarded(opts Options) (transport http.RoundTripper, allowed func(*url.URL) bool, err error) {
	c, err := New(opts)
	if err != nil {
		return nil, nil, err
	}
	return guarded{c}, c.isAllowed, nil
}

type guarded struct{ c *Client }

func (g guarded) RoundTrip(r *http.Request) (*http.Response, error) {
	if g.c.isAllowed(r.URL) {
		return g.c.open.RoundTrip(r)
	}
	return g.c.guarded.RoundTrip(r)
}

func (c *Client) isAllowed(u *url.URL) bool {
	name := hostName(u.Hostname())
	return c.allowed[name] || c.allowed[net.JoinHostPort(name, port(u))]
}

func port(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "https":
		return "443"
	}
	return "80"
}

func hostName(name string) string {
	if ascii, err := idna.Lookup.ToASCII(name); err == nil {
		name = ascii
	}
	return strings.ToLower(strings.TrimSuffix(name, "."))
}

// allowKey returns the key in Client.allowed for a host, as NAME or NAME:PORT.
func allowKey(typed string) (string, error) {
	name, port, err := net.SplitHostPort(typed)
	switch {
	case strings.ContainsAny(typed, "/@*") || typed == "":
		return "", phrase.Error("said.no-host", "{name} is not the name of a host: want NAME or NAME:PORT", "name", strconv.Quote(typed))
	case err != nil:
		return hostName(strings.Trim(typed, "[]")), nil
	}
	return net.JoinHostPort(hostName(name), port), nil
}

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

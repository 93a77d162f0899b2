// Package front joins the pages and the API to the handler of a server, and refuses requests for
// hosts that are not this server.
package front

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/otisk/otisk/serve/api"
	"github.com/otisk/otisk/serve/desk"
	"github.com/otisk/otisk/serve/lti"
	"github.com/otisk/otisk/serve/oidc"
	"github.com/otisk/otisk/serve/pages"
	"github.com/otisk/otisk/serve/tca"
	"github.com/otisk/otisk/serve/work"
)

// Options are the settings of a server.
type Options struct {
	Desk     *desk.Desk
	Queue    *work.Queue
	Log      *slog.Logger
	Version  string                          // of the program
	Address  string                          // that users type, without a slash at the end
	Names    []string                        // further names of the server
	MaxFile  int64                           // bytes of an uploaded file
	Client   func(r *http.Request) string    // address of the client
	Ready    func(ctx context.Context) error // nil if the server can work
	Provider *oidc.Provider                  // that signs users in, nil for none
	LTI      *lti.Tool                       // for learning platforms
	Metrics  string                          // token for /metrics, "" if only administrators read it
}

// filesPerRequest is the limit of an upload, in files of the largest size.
const filesPerRequest = 16

// New returns the handler of a server.
func New(o Options) (http.Handler, error) {
	base, err := url.Parse(o.Address)
	if err != nil {
		return nil, err
	}
	requests, secure, most := &api.Requests{Log: o.Log}, base.Scheme == "https", filesPerRequest*o.MaxFile+1<<20
	a := api.New(api.Options{
		Desk: o.Desk, Queue: o.Queue, Requests: requests, Log: o.Log, Version: o.Version, Secure: secure, Issuer: base.Host,
		MaxRequest: most, MaxFile: o.MaxFile, BaseURL: o.Address, Address: o.Client, Ready: o.Ready, Metrics: o.Metrics,
	})
	p, err := pages.New(pages.Options{Desk: o.Desk, Log: o.Log, Version: o.Version, Secure: secure, BaseURL: o.Address, MaxRequest: most, Address: o.Client, Provider: o.Provider, LTI: o.LTI})
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	for _, path := range []string{"/api/", tca.Root + "/", "/healthz", "/readyz", "/metrics"} {
		mux.Handle(path, a)
	}
	mux.Handle("/", p)
	return requests.Wrap(knownHosts(append([]string{base.Hostname()}, o.Names...), pages.CrossOrigin().Handler(mux))), nil
}

// wrongHost answers a request to a host that is not this server.
const wrongHost = "this server does not have the name in the request: open it by its own name, or name it to otisk serve by --base-url or --server-name"

// knownHosts passes requests for the names of the server to h. A name that somebody else can register
// is refused otherwise, since a page of that name could lead browsers to this server (DNS rebinding).
// Addresses and names without a dot, such as those of containers behind a proxy, cannot be registered.
func knownHosts(names []string, h http.Handler) http.Handler {
	known := map[string]bool{}
	for _, name := range names {
		known[canonical(name)] = true
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if name := canonical(r.Host); !known[name] && registrable(name) {
			http.Error(w, wrongHost, http.StatusMisdirectedRequest)
			return
		}
		h.ServeHTTP(w, r)
	})
}

func canonical(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
}

// registrable reports whether a host is a name of the public domain name system.
func registrable(host string) bool {
	_, err := netip.ParseAddr(host)
	return err != nil && strings.Contains(host, ".") && !strings.HasSuffix(host, ".localhost")
}

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

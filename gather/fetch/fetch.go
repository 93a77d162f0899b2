// Package fetch downloads web resources whose addresses come from untrusted
// sources: feeds, repositories, redirects.
//
// A [Client] therefore refuses to connect to addresses in the user's own network
// (guard.go has the list), unless the host is allowed by name in [Options]. The
// check is made on the resolved address at the moment of connection, so neither a
// redirect nor a name that resolves differently the second time can bypass it.
//
// A Client sends one request at a time to a host, with a pause between two, and
// obeys robots.txt (RFC 9309) and Retry-After. Time, redirects, and the bytes of
// a body, both received and decoded, are limited.
//
//	client, err := fetch.New(fetch.Options{UserAgent: "example/1.0 (+https://example.org/bot)"})
//	...
//	page, err := client.Get(ctx, fetch.Request{URL: "https://example.org/a.html"})
//	if err == nil {
//		err = page.Err() // 404 and the like
//	}
//
// If a request has the ETag and Last-Modified of an earlier response and the page
// has not changed, the response has status 304 and no body.
//
// [Client.Get] blocks while a host is due a pause, so fetch from several hosts in
// parallel. Every error of Get is an [Error], which names the address. A response
// such as 404 is not an error of Get; [Response.Err] returns one for it.
package fetch

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/otisk/otisk/lang/phrase"
)

// Options configure a client. The zero value of each field but UserAgent means a
// default.
type Options struct {
	UserAgent string   // name of the program and a contact; required. The part before "/" or a space is matched against robots.txt
	Allow     []string // hosts, as name or name:port, that may be in the user's own network

	Connect time.Duration // longest time for a connection; 0 for 15 s
	Header  time.Duration // longest time until a response begins; 0 for 30 s
	Whole   time.Duration // longest time of one request and its response; 0 for 2 minutes

	MaxBytes  int64 // limit of a body, both received and decoded; 0 for 32 MB
	Redirects int   // limit of consecutive redirects; 0 for 10, negative for none

	Delay   time.Duration // between the end of a request and the next to the same host; 0 for 1 s, negative for none
	MaxWait time.Duration // longest Retry-After or Crawl-delay that is obeyed; 0 for 1 minute, negative for none
	Retries int           // after 429 and 503; 0 for 2, negative for none

	// Proxy allows the proxies that the environment names (HTTPS_PROXY and so
	// on). The guard sees only the connection to the proxy, so hosts are looked up
	// before the request instead; a name that resolves to another address
	// afterwards is not caught.
	Proxy bool

	TLS      *tls.Config   // nil for the certificates of the system
	Clock    Clock         // nil for [SystemClock]
	Resolver *net.Resolver // nil for the resolver of the system
}

// A Request is the address to fetch, with conditions.
type Request struct {
	URL      string
	From     string // page that links to URL; "" if the user entered URL
	ETag     string // of the copy that the caller has
	Modified string // Last-Modified of that copy
	Accept   string // media types; "" for all
	MaxBytes int64  // overrides that of the options; 0 for no override
	NoRobots bool   // ignores robots.txt: for interfaces made for programs
}

// A Hop is a response without its body, such as a redirect.
type Hop struct {
	URL    string
	Status int
	Header http.Header
	Proto  string
	At     time.Time
	IP     string
}

// A Response is a response with its body.
type Response struct {
	Hop         // the last response, after all redirects
	Hops []Hop  // redirects before it
	Body []byte // decoded
	Raw  []byte // as received, encoded as Content-Encoding says
}

// Fresh reports whether the copy that the caller has is up to date.
func (r *Response) Fresh() bool { return r.Status == http.StatusNotModified }

// Gone reports whether the server has no such page: status 404 or 410.
func (r *Response) Gone() bool {
	return r.Status == http.StatusNotFound || r.Status == http.StatusGone
}

// partial reports whether the server has sent only a part or a delta, neither of
// which was requested.
func (r *Response) partial() bool {
	return r.Status == http.StatusPartialContent || r.Status == http.StatusIMUsed
}

// Err returns an [Error] wrapping [ErrStatus] if the response does not have the
// page: for all statuses but 304 and 2xx, and for partial responses.
func (r *Response) Err() error {
	if r.Status >= 200 && r.Status < 300 && !r.partial() || r.Fresh() {
		return nil
	}
	return &Error{URL: r.URL, At: r.URL, Err: &StatusError{r.Status}}
}

func statusText(status int) string {
	if text := http.StatusText(status); text != "" {
		return fmt.Sprintf("%d %s", status, text)
	}
	return fmt.Sprint(status)
}

// A Client fetches pages. It is safe for concurrent use.
type Client struct {
	opts    Options
	clock   Clock
	allowed map[string]bool
	refused func(netip.Addr) bool // reports whether the guard refuses the address
	guarded *http.Transport
	open    *http.Transport // not guarded: for allowed hosts
	proxies sync.Map        // host:port of the proxies that the environment names

	mu     sync.Mutex
	hosts  map[string]*host
	robots map[string]*rules // by origin
}

// New returns a client. It returns an error if opts has no UserAgent or an
// invalid Allow.
func New(opts Options) (*Client, error) {
	if opts.UserAgent == "" {
		return nil, errors.New("fetch: UserAgent is required")
	}
	opts.defaults()
	c := &Client{opts: opts, clock: opts.Clock, allowed: map[string]bool{}, hosts: map[string]*host{}, robots: map[string]*rules{}}
	for _, name := range opts.Allow {
		key, err := allowKey(name)
		if err != nil {
			return nil, err
		}
		c.allowed[key] = true
	}
	own := ownAddresses()
	c.refused = func(a netip.Addr) bool { return inside(a) || own[a.Unmap().WithZone("")] }
	c.guarded, c.open = c.transport(c.control), c.transport(nil)
	return c, nil
}

func (o *Options) defaults() {
	o.Connect = cmp.Or(o.Connect, 15*time.Second)
	o.Header = cmp.Or(o.Header, 30*time.Second)
	o.Whole = cmp.Or(o.Whole, 2*time.Minute)
	o.MaxBytes = cmp.Or(o.MaxBytes, 32<<20)
	o.Redirects = max(cmp.Or(o.Redirects, 10), 0)
	o.Delay = max(cmp.Or(o.Delay, time.Second), 0)
	o.MaxWait = max(cmp.Or(o.MaxWait, time.Minute), 0)
	o.Retries = max(cmp.Or(o.Retries, 2), 0)
	o.Clock = cmp.Or(o.Clock, SystemClock)
}

// Close closes idle connections.
func (c *Client) Close() {
	c.guarded.CloseIdleConnections()
	c.open.CloseIdleConnections()
}

// transport returns a transport whose connections control checks; nil for no check.
func (c *Client) transport(control controller) *http.Transport {
	t := &http.Transport{
		DialContext:            c.dialer(control).DialContext,
		TLSClientConfig:        c.opts.TLS.Clone(),
		TLSHandshakeTimeout:    c.opts.Connect,
		ResponseHeaderTimeout:  c.opts.Header,
		MaxResponseHeaderBytes: 256 << 10,
		DisableCompression:     true, // decode.go decodes within the limits
		ForceAttemptHTTP2:      true,
		MaxIdleConns:           64,
		MaxIdleConnsPerHost:    1,
		IdleConnTimeout:        30 * time.Second,
	}
	if c.opts.Proxy {
		t.Proxy, t.DialContext = c.proxyOf, c.dialProxy(c.dialer(control), c.dialer(nil))
	}
	return t
}

func (c *Client) dialer(control controller) *net.Dialer {
	return &net.Dialer{Timeout: c.opts.Connect, Resolver: c.opts.Resolver, ControlContext: control}
}

// Get fetches a page and follows redirects. Every error is an [*Error].
func (c *Client) Get(ctx context.Context, req Request) (*Response, error) {
	w := &way{client: c, req: req, limit: cmp.Or(req.MaxBytes, c.opts.MaxBytes), trusted: true}
	res, err := w.walk(ctx)
	if err == nil && res.Fresh() && req.ETag == "" && req.Modified == "" {
		err = phrase.Error("gather.no-conditions", "{cause} to a request without conditions", "cause", &StatusError{res.Status})
	}
	if err == nil {
		return res, nil
	}
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return nil, w.fail(err)
}

type way struct {
	client  *Client
	req     Request
	limit   int64
	hops    []Hop
	at      *url.URL // current address; nil before the first request
	trusted bool     // all hosts so far may be in the user's own network
	forBots bool     // the request is for robots.txt
}

// walk follows redirects and returns the last response.
func (w *way) walk(ctx context.Context) (*Response, error) {
	at, err := parse(w.req.URL)
	if err != nil {
		return nil, err
	}
	if w.req.From != "" {
		from, err := parse(w.req.From)
		w.trusted = err == nil && w.client.isAllowed(from)
		at.User = nil
	}
	seen := map[string]bool{}
	for {
		w.at = at
		if seen[at.String()] {
			return nil, phrase.Error("gather.loop-at", "{cause} at {address}", "cause", ErrLoop, "address", at.Redacted())
		}
		seen[at.String()] = true
		w.trusted = w.trusted && w.client.isAllowed(at)
		res, err := w.ask(ctx, at)
		if err != nil {
			return nil, w.where(at, err)
		}
		next, err := target(at, res)
		if err != nil {
			return nil, w.where(at, err)
		}
		if next == nil {
			res.Hops = w.hops
			return res, nil
		}
		if len(w.hops) >= w.client.opts.Redirects {
			return nil, phrase.Error("gather.most", "{cause}: more than {most}", "cause", ErrRedirects, "most", w.client.opts.Redirects)
		}
		w.hops, at = append(w.hops, res.Hop), next
	}
}

func (w *way) where(at *url.URL, err error) error {
	if len(w.hops) == 0 {
		return err
	}
	return phrase.Error("gather.redirected", "redirected to {address}: {cause}", "address", at.Redacted(), "cause", err)
}

func (w *way) fail(err error) error {
	name := w.req.URL
	if u, perr := url.Parse(name); perr == nil {
		name = u.Redacted()
	}
	at := name
	if w.at != nil {
		at = bare(w.at)
	}
	return &Error{URL: name, At: at, Err: err}
}

// Check returns an error wrapping [ErrAddress] if address is not an http or https
// address with a host.
func Check(address string) error {
	_, err := parse(address)
	return err
}

// Bare returns an address without user name and password, so that it can be stored
// and displayed.
func Bare(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.User == nil {
		return address
	}
	return bare(u)
}

func bare(u *url.URL) string {
	without := *u
	without.User = nil
	return without.String()
}

// parse parses and normalizes an address. Its errors wrap [ErrAddress].
func parse(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if bad, ok := errors.AsType[*url.Error](err); ok {
		return nil, fmt.Errorf("%w: %w", ErrAddress, bad.Err)
	}
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, phrase.Error("gather.scheme", "{cause}: want http or https", "cause", ErrAddress)
	case u.Hostname() == "":
		return nil, phrase.Error("gather.no-host", "{cause}: it has no host", "cause", ErrAddress)
	}
	if p := u.Port(); p != "" {
		if _, err := strconv.ParseUint(p, 10, 16); err != nil {
			return nil, phrase.Error("gather.port", "{cause}: port {port} is not valid", "cause", ErrAddress, "port", p)
		}
	}
	u.Fragment, u.RawFragment = "", ""
	u.Path = cmp.Or(u.Path, "/")
	u.RawQuery = encodedQuery(u.RawQuery)
	return u, nil
}

// encodedQuery percent-encodes the bytes of a query that must not be in a request
// line: control characters and spaces, quotes, "<", ">", and all but ASCII.
func encodedQuery(query string) string {
	var b strings.Builder
	for i := range len(query) {
		if c := query[i]; c <= ' ' || c >= 0x7f || c == '"' || c == '<' || c == '>' {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// target returns the target of a redirect; nil if res is not a redirect.
func target(at *url.URL, res *Response) (*url.URL, error) {
	location := res.Header.Get("Location")
	switch res.Status {
	case 301, 302, 303, 307, 308:
	default:
		return nil, nil
	}
	if location == "" {
		return nil, phrase.Error("gather.no-location", "{cause}: redirect without Location", "cause", ErrAddress)
	}
	next, err := at.Parse(location)
	if err != nil {
		return nil, phrase.Error("gather.redirect-to", "{cause}: redirect to {location}", "cause", ErrAddress, "location", strconv.Quote(location))
	}
	next.User = nil
	if next, err = parse(next.String()); err != nil {
		return nil, phrase.Error("gather.redirected", "redirected to {address}: {cause}", "address", location, "cause", err)
	}
	return next, nil
}

// Package fetch gets what is at an address of the web, for programs that are
// told the addresses by others: by feeds, by repositories, by redirects.
//
// Such addresses are foreign input. So a [Client] connects to no address inside
// the own network (guard.go has the list), whatever name led there, unless the
// host was allowed by its name. It looks at the address that it is about to
// connect to, and so neither a redirect nor a name that is resolved to something else at
// the second look gets past it.
//
// It is polite: one request at a time to a host, with a pause between two; it
// heeds robots.txt as RFC 9309 says, and Retry-After. And it is bounded: in
// time, in redirects, and in bytes, both as they are received and unpacked.
//
//	client, err := fetch.New(fetch.Options{UserAgent: "example/1.0 (+https://example.org/bot)"})
//	...
//	page, err := client.Get(ctx, fetch.Request{URL: "https://example.org/a.html"})
//	if err == nil {
//		err = page.Err() // 404 and the like
//	}
//
// Give ETag and Modified of the last answer with the next request: then page has the
// status 304 and no body where nothing has changed.
//
// What may surprise: a [Client] waits where a host wants pauses, so work
// on several hosts at once. Everything that Get returns as an error is an [Error] that names the
// address; an answer such as 404 is none, but what [Response.Err] makes of it.
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
)

// Options say how a client fetches. The zero value of each but UserAgent has a
// default.
type Options struct {
	UserAgent string   // names the program and whom to write to; required. What is before "/" or a space is its name in robots.txt
	Allow     []string // hosts, as name or name:port, that may be inside the own network

	Connect time.Duration // longest time for a connection; 0 for 15 s
	Header  time.Duration // longest time until an answer begins; 0 for 30 s
	Whole   time.Duration // longest time of one request with its answer; 0 for 2 minutes

	MaxBytes  int64 // of a body, as it is received and unpacked; 0 for 32 MB
	Redirects int   // followed one after another; 0 for 10, below 0 for none

	Delay   time.Duration // from the end of a request to the next one to the same host; 0 for 1 s, below 0 for none
	MaxWait time.Duration // that a host may ask for, by Retry-After or Crawl-delay; 0 for 1 minute, below 0 for none
	Retries int           // after 429 and 503; 0 for 2, below 0 for none

	// Proxy allows the proxy that the environment names (HTTPS_PROXY and so
	// on). A proxy connects in our place, so the guard sees only the proxy: then
	// hosts are looked up beforehand, and a name that resolves to another
	// address later gets through.
	Proxy bool

	TLS      *tls.Config   // nil for the system's certificates
	Clock    Clock         // nil for the system's
	Resolver *net.Resolver // nil for the system's
}

// A Request says what to fetch.
type Request struct {
	URL      string
	From     string // the page that named URL; "" for an address that a person gave
	ETag     string // of the answer that is there already
	Modified string // its Last-Modified
	Accept   string // media types; "" for all
	MaxBytes int64  // in place of that of the options; 0 for theirs
	NoRobots bool   // robots.txt is not asked: for interfaces that are made for programs
}

// A Hop is an answer that led to another address.
type Hop struct {
	URL    string
	Status int
	Header http.Header
	Proto  string
	At     time.Time
	IP     string
}

// A Response is an answer of a server.
type Response struct {
	Hop         // where the answer is from, after all redirects
	Hops []Hop  // that led there
	Body []byte // unpacked
	Raw  []byte // as it was received: as the header Content-Encoding says
}

// Fresh reports whether what is there already is what the server has.
func (r *Response) Fresh() bool { return r.Status == http.StatusNotModified }

// Gone reports whether the server says that there is nothing.
func (r *Response) Gone() bool {
	return r.Status == http.StatusNotFound || r.Status == http.StatusGone
}

// partial reports whether the server says that it has sent a part, which nobody has asked for, or
// what changed.
func (r *Response) partial() bool {
	return r.Status == http.StatusPartialContent || r.Status == http.StatusIMUsed
}

// Err returns an [Error] wrapping [ErrStatus] for an answer that has not what was asked for.
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

// A Client fetches. It may be used by several goroutines at once.
type Client struct {
	opts    Options
	clock   Clock
	allowed map[string]bool
	refused func(netip.Addr) bool // by the guard
	guarded *http.Transport
	open    *http.Transport // for hosts that are allowed
	proxies sync.Map        // host:port of those that the environment names

	mu     sync.Mutex
	hosts  map[string]*host
	robots map[string]*rules // by origin
}

// New returns a client.
func New(opts Options) (*Client, error) {
	if opts.UserAgent == "" {
		return nil, errors.New("fetch: no user agent: a server is told who asks")
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
	if o.Clock == nil {
		o.Clock = SystemClock
	}
}

// Close gives back the connections that are kept for further requests.
func (c *Client) Close() {
	c.guarded.CloseIdleConnections()
	c.open.CloseIdleConnections()
}

// transport returns what connects, with control looking at each connection.
func (c *Client) transport(control controller) *http.Transport {
	t := &http.Transport{
		DialContext:            c.dialer(control).DialContext,
		TLSClientConfig:        c.opts.TLS.Clone(),
		TLSHandshakeTimeout:    c.opts.Connect,
		ResponseHeaderTimeout:  c.opts.Header,
		MaxResponseHeaderBytes: 256 << 10,
		DisableCompression:     true, // it is undone within the limits: decode.go
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

// Get fetches what is at an address, and follows redirects. Every error is an
// [*Error].
func (c *Client) Get(ctx context.Context, req Request) (*Response, error) {
	w := &way{client: c, req: req, limit: cmp.Or(req.MaxBytes, c.opts.MaxBytes), trusted: true}
	res, err := w.walk(ctx)
	if err == nil && res.Fresh() && req.ETag == "" && req.Modified == "" {
		err = fmt.Errorf("%w, though nothing was there already", &StatusError{res.Status})
	}
	if err == nil {
		return res, nil
	}
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return nil, w.fail(err)
}

// A way is a request and the redirects after it.
type way struct {
	client  *Client
	req     Request
	limit   int64
	hops    []Hop
	at      *url.URL // where it is; nil before the first request
	trusted bool     // all hosts so far are allowed to be in the own network
	forBots bool     // robots.txt itself is fetched
}

// walk goes from redirect to redirect to the answer.
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
			return nil, fmt.Errorf("%w: %s comes again", ErrLoop, at.Redacted())
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
			return nil, fmt.Errorf("%w: more than %d", ErrRedirects, w.client.opts.Redirects)
		}
		w.hops, at = append(w.hops, res.Hop), next
	}
}

// where names the address of an error that is another than was asked for.
func (w *way) where(at *url.URL, err error) error {
	if len(w.hops) == 0 {
		return err
	}
	return fmt.Errorf("redirected to %s: %w", at.Redacted(), err)
}

// fail makes the error that Get returns.
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

// Check returns an error for what is no address of the web: it wraps [ErrAddress].
func Check(address string) error {
	_, err := parse(address)
	return err
}

// Bare returns an address without what is for logging in, as it may be kept and told.
func Bare(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.User == nil {
		return address
	}
	return bare(u)
}

// bare returns an address without what is for logging in.
func bare(u *url.URL) string {
	without := *u
	without.User = nil
	return without.String()
}

// parse reads an address, and refuses what is not of the web.
func parse(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	var bad *url.Error
	if errors.As(err, &bad) {
		return nil, fmt.Errorf("%w: %w", ErrAddress, bad.Err)
	}
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("%w: only http and https are fetched", ErrAddress)
	case u.Hostname() == "":
		return nil, fmt.Errorf("%w: it names no host", ErrAddress)
	}
	if p := u.Port(); p != "" {
		if _, err := strconv.ParseUint(p, 10, 16); err != nil {
			return nil, fmt.Errorf("%w: there is no port %s", ErrAddress, p)
		}
	}
	u.Fragment, u.RawFragment = "", ""
	if u.Path == "" {
		u.Path = "/"
	}
	u.RawQuery = encodedQuery(u.RawQuery)
	return u, nil
}

// encodedQuery returns a query without what must not be in a request as it is: a
// space would end its line, and a letter can be in any encoding.
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

// target returns where an answer leads, nil for nowhere.
func target(at *url.URL, res *Response) (*url.URL, error) {
	location := res.Header.Get("Location")
	switch res.Status {
	case 301, 302, 303, 307, 308:
	default:
		return nil, nil
	}
	if location == "" {
		return nil, fmt.Errorf("%w: the redirect says nowhere", ErrAddress)
	}
	next, err := at.Parse(location)
	if err != nil {
		return nil, fmt.Errorf("%w: redirect to %q", ErrAddress, location)
	}
	next.User = nil
	if next, err = parse(next.String()); err != nil {
		return nil, fmt.Errorf("redirected to %s: %w", location, err)
	}
	return next, nil
}

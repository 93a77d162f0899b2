// Package outgoing makes the HTTP clients of the server: no other package of serve makes one, but
// package bucket, whose store only the command line names. Package mail, which is no client of HTTP, is of the same kind.
//
// Users, learning platforms and providers choose the addresses that the server asks. So a client
// connects to no address in the network of the server, also after a redirect and also if a name leads
// there only at the second look, unless the operator has named the host.
package outgoing

import (
	"errors"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/otisk/otisk/gather/fetch"
)

// Limits of a request.
const (
	Patience      = 10 * time.Second // for a connection, and for the begin of an answer
	mostRedirects = 5
	mostAnswer    = 4 << 20 // bytes of an answer that is read into memory
)

var errLong = errors.New("the answer is too long")

// A Network is the part of the world that the server may ask.
type Network struct {
	transport http.RoundTripper
	allowed   func(*url.URL) bool
}

// New returns a network without the one of the server, but with the hosts in allow, as NAME or
// NAME:PORT. Those may be asked without TLS.
func New(allow []string) (*Network, error) {
	transport, allowed, err := fetch.Guarded(fetch.Options{UserAgent: "otisk", Allow: allow, Connect: Patience, Header: Patience})
	if err != nil {
		return nil, err
	}
	return &Network{transport, allowed}, nil
}

// Allows reports whether the operator has named the host of an address.
func (n *Network) Allows(u *url.URL) bool { return n.allowed(u) }

// Client returns a client whose requests end after a time, and whose answers have limits. With 0, for files, it
// has the limits of [Patience] only. It follows redirects of reads, by TLS or to hosts that the operator has
// named, and sends no authorization to another host.
func (n *Network) Client(timeout time.Duration) *http.Client {
	transport := n.transport
	if timeout != 0 {
		transport = brief{transport}
	}
	return &http.Client{Transport: transport, Timeout: timeout, CheckRedirect: func(r *http.Request, via []*http.Request) error {
		switch {
		case via[0].Method != http.MethodGet:
			return http.ErrUseLastResponse
		case len(via) > mostRedirects:
			return errors.New("too many redirects")
		case r.URL.Scheme != "https" && !n.allowed(r.URL):
			return errors.New("a redirect without TLS")
		case r.URL.Host != via[0].URL.Host:
			r.Header.Del("Authorization")
		}
		return nil
	}}
}

// A brief transport ends answers that are too long by an error.
type brief struct{ http.RoundTripper }

func (b brief) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := b.RoundTripper.RoundTrip(r)
	if err == nil {
		resp.Body = &briefBody{resp.Body, mostAnswer}
	}
	return resp, err
}

// A briefBody is the body of an answer of which some bytes are left to read.
type briefBody struct {
	io.ReadCloser
	left int
}

func (b *briefBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errLong
	}
	n, err := b.ReadCloser.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}

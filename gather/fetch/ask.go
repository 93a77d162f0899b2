package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"os"

	"github.com/otisk/otisk/internal/oserror"
	"github.com/otisk/otisk/lang/phrase"
)

// ask sends one request and returns the response. It retries after the status
// 429 or 503, as Options.Retries and MaxWait allow.
func (w *way) ask(ctx context.Context, at *url.URL) (*Response, error) {
	c := w.client
	if err := w.mayAsk(ctx, at); err != nil {
		return nil, err
	}
	h := c.hostOf(at)
	for try := 0; ; try++ {
		res, err := w.once(ctx, h, at)
		if err != nil || res.Status != http.StatusTooManyRequests && res.Status != http.StatusServiceUnavailable {
			return res, err
		}
		wait := retryAfter(res.Header, c.clock.Now(), try)
		busy := h.later(at, c.clock.Now().Add(wait), res.Status)
		if try >= c.opts.Retries || wait > c.opts.MaxWait {
			return nil, busy
		}
	}
}

// mayAsk returns an error if a request must not be sent: by lookUp, if proxies are
// allowed, or by robots.txt.
func (w *way) mayAsk(ctx context.Context, at *url.URL) error {
	if w.client.opts.Proxy && !w.trusted {
		if err := w.client.lookUp(ctx, at); err != nil {
			return err
		}
	}
	if w.req.NoRobots || w.forBots {
		return nil
	}
	return w.client.checkRobots(ctx, at, w.trusted)
}

func (w *way) once(ctx context.Context, h *host, at *url.URL) (*Response, error) {
	if err := h.waitTurn(ctx, w.client); err != nil {
		return nil, err
	}
	defer h.give(w.client)
	slow := phrase.Error("gather.whole-slow", "{cause}: no complete response within {time}", "cause", ErrSlow, "time", w.client.opts.Whole)
	ctx, cancel := context.WithTimeoutCause(ctx, w.client.opts.Whole, slow)
	defer cancel()
	res, err := w.exchange(ctx, at)
	if err != nil {
		return nil, w.reason(ctx, at, err)
	}
	return res, nil
}

func (w *way) exchange(ctx context.Context, at *url.URL) (*Response, error) {
	out := &Response{Hop: Hop{URL: bare(at), At: w.client.clock.Now()}}
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) {
		out.IP, _, _ = net.SplitHostPort(info.Conn.RemoteAddr().String())
	}})
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrAddress, err)
	}
	w.head(req)
	transport := w.client.guarded
	if w.trusted {
		transport = w.client.open
	}
	res, err := transport.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	out.Status, out.Header, out.Proto = res.StatusCode, res.Header, res.Proto
	if len(res.TransferEncoding) > 0 {
		out.Header.Set("Transfer-Encoding", res.TransferEncoding[0])
	}
	return out, w.body(out, res)
}

func (w *way) head(req *http.Request) {
	set := func(name, value string) {
		if value != "" {
			req.Header.Set(name, value)
		}
	}
	set("User-Agent", w.client.opts.UserAgent)
	set("Accept-Encoding", accepted)
	set("Accept", w.req.Accept)
	set("If-None-Match", w.req.ETag)
	set("If-Modified-Since", w.req.Modified)
	if user := req.URL.User; user != nil {
		password, _ := user.Password()
		req.SetBasicAuth(user.Username(), password)
	}
}

func (w *way) body(out *Response, res *http.Response) error {
	if w.forBots {
		return w.start(out, res)
	}
	if res.ContentLength > w.limit {
		return phrase.Error("gather.length", "{cause}: {bytes} bytes, the limit is {limit}", "cause", ErrTooLarge, "bytes", res.ContentLength, "limit", w.limit)
	}
	raw, err := io.ReadAll(io.LimitReader(res.Body, w.limit+1))
	if err != nil {
		return err
	}
	if int64(len(raw)) > w.limit {
		return phrase.Error("gather.map-large", "{cause}: more than {bytes} bytes", "cause", ErrTooLarge, "bytes", w.limit)
	}
	out.Raw = raw
	if out.Fresh() || len(raw) == 0 {
		return nil
	}
	out.Body, err = decode(raw, res.Header, w.limit)
	return err
}

// start reads the start of a robots.txt; the rest of a longer one is ignored.
func (w *way) start(out *Response, res *http.Response) error {
	raw, err := io.ReadAll(io.LimitReader(res.Body, w.limit))
	if err != nil {
		return err
	}
	out.Body, err = decodeStart(raw, res.Header, w.limit)
	return err
}

// reason converts the error of an exchange to one of this package that names the cause.
func (w *way) reason(ctx context.Context, at *url.URL, err error) error {
	var dns *net.DNSError
	var op *net.OpError
	switch {
	case errors.Is(err, ErrForbidden):
		return unwrapTo(err, ErrForbidden)
	case errors.Is(err, ErrEncoding), errors.Is(err, ErrTooLarge):
		return err
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.As(err, &dns) && dns.IsNotFound:
		return phrase.Error("gather.unknown-host", "{cause}: there is no host {host}", "cause", ErrConnect, "host", at.Hostname())
	case errors.As(err, &op) && op.Op == "dial" && op.Timeout():
		return phrase.Error("gather.within", "{cause} within {time}", "cause", ErrConnect, "time", w.client.opts.Connect)
	case errors.As(err, &op) && op.Op == "dial":
		return fmt.Errorf("%w: %w", ErrConnect, oserror.Cause(op.Err))
	case errors.Is(err, os.ErrDeadlineExceeded), isTimeout(err):
		return phrase.Error("gather.header-slow", "{cause}: no response within {time}", "cause", ErrSlow, "time", w.client.opts.Header)
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return phrase.Error("gather.closed", "the connection closed before the end of the response: {cause}", "cause", io.ErrUnexpectedEOF)
	}
	return err
}

func isTimeout(err error) bool {
	var t interface{ Timeout() bool }
	return errors.As(err, &t) && t.Timeout()
}

// unwrapTo returns the innermost error of err that wraps target, without the
// text that packages in between have added.
func unwrapTo(err, target error) error {
	for {
		inner := errors.Unwrap(err)
		if inner == nil || inner == target || !errors.Is(inner, target) {
			return err
		}
		err = inner
	}
}

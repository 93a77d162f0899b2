// Package wire sends requests to an Elasticsearch or OpenSearch cluster.
//
// [Connect] finds out which server answers, and [Conn.Do] sends one request until the
// server answers it: after a lost connection, a timeout or a refusal that may pass, it
// sends the request again with exponential back-off and jitter. So every request must be
// idempotent. Errors of the server, or of the way to it, are of type [Error]; they wrap
// [ErrServer], and their [Kind] decides what a user can do.
//
// The package knows nothing of indices or documents; package esclient does.
package wire

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/elastic/elastic-transport-go/v8/elastictransport"
	"github.com/elastic/go-elasticsearch/v8/esapi"

	"github.com/otisk/otisk/lang/phrase"
)

// A Conn sends requests to a cluster. It is safe for concurrent use.
type Conn struct {
	cfg     Config
	es      elastictransport.Interface
	where   string // hosts, for messages
	open    bool   // the server is OpenSearch
	version string // "" if the server does not report it
	cluster string // UUID, "" if unknown
	named   bool   // the first answer had productHeader: every answer must
	health  health
}

// Where returns the addresses of the cluster, for messages.
func (c *Conn) Where() string { return c.where }

// OpenSearch reports whether the server is OpenSearch and not Elasticsearch.
func (c *Conn) OpenSearch() bool { return c.open }

// A Request is one call of the server's interface. It must be idempotent.
type Request struct {
	Op      string // for messages: "search", "write blocks"
	Call    Call
	Body    []byte
	Timeout time.Duration // that of the configuration if 0, none if negative
	Slow    int           // timeouts before giving up; SlowAttempts if 0
	Out     any           // the JSON of the answer is decoded into it; may be nil

	// Missing, if not nil, is called once when the first attempt fails with a status
	// of 500 or more. An error that it returns ends the attempts and is returned.
	Missing func(context.Context) error

	first bool // the first request of a connection: gives up early if nobody answers
}

// A Call makes the request of one attempt. The attempt reads body to its end.
type Call func(body io.Reader) esapi.Request

// Plain returns the [Call] of a request without a body.
func Plain(r esapi.Request) Call { return func(io.Reader) esapi.Request { return r } }

// Dial returns a connection to the cluster of cfg, and sends nothing.
func Dial(cfg Config) (*Conn, error) {
	cfg, err := cfg.Resolved()
	if err != nil {
		return nil, err
	}
	es, err := transport(cfg)
	if err != nil {
		return nil, ConfigError{err}
	}
	where := strings.Join(cfg.Hosts, ", ")
	if cfg.CloudID != "" {
		where, _, _ = strings.Cut(cfg.CloudID, ":")
	}
	return &Conn{cfg: cfg, es: es, where: where}, nil
}

// Do sends r until it is answered, and decodes the answer into r.Out. It retries after
// lost connections, timeouts and answers that ask for patience, as often as the
// configuration allows.
func (c *Conn) Do(ctx context.Context, r Request) error {
	a := c.Attempts(r.Op, r.Slow)
	if r.first {
		a.retries = min(a.retries, DefaultRetries)
	}
	for {
		err, again := c.Try(ctx, r)
		if err == nil {
			return nil
		}
		if r.first && a.count == firstAttempts-1 && Status(err) == 0 {
			again = false
		}
		if r.Missing != nil && a.count == 0 && Status(err) >= http.StatusInternalServerError {
			if missing := r.Missing(ctx); missing != nil {
				return missing
			}
		}
		if err := a.Next(ctx, err, again); err != nil {
			return err
		}
	}
}

// Try sends r once, and reports whether another attempt may succeed.
func (c *Conn) Try(ctx context.Context, r Request) (err error, again bool) {
	limit := cmp.Or(r.Timeout, c.cfg.Timeout)
	if limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	resp, err := r.Call(bytes.NewReader(r.Body)).Do(ctx, c.es)
	if err != nil {
		e := lost(c.where, r.Op, limit, err)
		return e, e.Kind != BadCertificate && e.Kind != NoTLS && !(r.first && (e.Kind == TimedOut || noConnection(err)))
	}
	defer resp.Body.Close()
	if r.first {
		c.named = resp.Header.Get(productHeader) != ""
	}
	if c.named && resp.Header.Get(productHeader) == "" && fromAnotherProgram(resp.StatusCode) {
		return c.stranger(r.Op, phrase.Error("cluster.other-host", "another one of the hosts answered, and is not Elasticsearch")), true
	}
	if resp.StatusCode > 299 {
		return c.refusal(r, resp)
	}
	if err := decode(resp.Body, r.Out); err != nil {
		e := lost(c.where, r.Op, limit, err)
		return e, e.Kind != Broken || !r.first && errors.As(err, new(*json.SyntaxError))
	}
	if w, ok := r.Out.(Whole); ok && !w.Whole() {
		return c.stranger(r.Op, phrase.Error("cluster.half-answer", "a host sent an answer without what Elasticsearch always sends")), true
	}
	c.health.fine()
	return nil, false
}

// Whole is implemented by the type of a [Request.Out] whose answers always have some
// field. Try rejects an answer for which Whole returns false: the page of a proxy under
// maintenance, if it is JSON, would otherwise decode as "nothing found" or "done".
type Whole interface{ Whole() bool }

// Unpacker is implemented by the type of a [Request.Out] that decodes a part of an answer itself. Unpack gets
// the whole answer, which it may change, and returns the JSON of the rest, for package json.
type Unpacker interface {
	Unpack(raw []byte) (rest []byte)
}

// fromAnotherProgram reports whether an answer with that status, without productHeader,
// comes from another program than Elasticsearch. A proxy before the server may
// itself answer with other errors, such as 401 or 413.
func fromAnotherProgram(status int) bool {
	switch status {
	case http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented:
		return true
	}
	return status < 400
}

// noConnection reports whether err means that no connection could be made.
func noConnection(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}

// refusal returns the error of an answer without success, and whether another attempt
// may succeed.
func (c *Conn) refusal(r Request, resp *esapi.Response) (err error, again bool) {
	a, err := readAnswer(resp.StatusCode, resp.Body)
	if err != nil {
		return lost(c.where, r.Op, c.cfg.Timeout, err), true
	}
	if fromAnotherProgram(a.status) && !r.first && !json.Valid([]byte(cmp.Or(a.text, "{}"))) {
		return c.stranger(r.Op, phrase.Error("cluster.strange-host", "a host does not answer as Elasticsearch does: {cause}", "cause", a.reason())), true
	}
	e := c.refused(r.Op, a)
	e.product = resp.Header.Get(productHeader) != ""
	if seconds, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil && seconds > 0 {
		e.Err = &retryAfter{time.Duration(seconds) * time.Second}
	}
	return e, a.again()
}

func (c *Conn) refused(op string, a answer) *Error {
	return &Error{Kind: a.kind(), Where: c.where, Op: op, Status: a.status, Reason: errors.New(a.reason()), rejection: a}
}

// Refused returns the error of a part of an answer, such as an item of a bulk request,
// that has a status and an "error" of its own, and whether another attempt may succeed.
func (c *Conn) Refused(op string, status int, cause json.RawMessage) (err *Error, again bool) {
	a := answer{status: status}
	if len(cause) > 0 && json.Unmarshal(cause, &a.cause) != nil {
		a.text = string(cause)
	}
	return c.refused(op, a), a.again()
}

// decode decodes the JSON of body into out. It reads body to its end, so that a
// truncated answer is an error.
func decode(body io.Reader, out any) error {
	if out == nil {
		out = new(json.RawMessage) // an answer that is not JSON comes from another program
	}
	raw, err := io.ReadAll(body)
	if u, ok := out.(Unpacker); ok && err == nil {
		raw = u.Unpack(raw)
	}
	if err == nil {
		err = json.Unmarshal(raw, out)
	}
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok && syntax.Offset >= int64(len(raw)) {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return phrase.Error("cluster.answer", "read answer: {cause}", "cause", err)
	}
	return nil
}

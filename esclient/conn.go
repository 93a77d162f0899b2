package esclient

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/elastic/elastic-transport-go/v8/elastictransport"
	"github.com/elastic/go-elasticsearch/v8/esapi"
)

// A conn is a connection to a cluster: one request at a time goes through
// [conn.do], any number of them at once.
type conn struct {
	cfg     Config
	es      elastictransport.Interface
	where   string // hosts, for messages
	open    bool   // it is OpenSearch
	version string // "" where the server does not say
	cluster string // its identity, "" where the server does not say or nobody asked
	named   bool   // its answers have the header of Elasticsearch
	health  health
}

// A request is one call of the server's interface.
type request struct {
	op      string // for messages: "search", "write blocks"
	call    call
	body    []byte
	timeout time.Duration               // that of the configuration if 0, none if negative
	first   bool                        // whether anybody is there at all: little patience with a connection that fails
	slow    int                         // time-outs that it may take, if not the usual number
	out     any                         // decoded from the answer, may be nil
	missing func(context.Context) error // asked when the server could not do it at first: why it never will; may be nil
}

// A call makes the request for one attempt, with its body, which an attempt reads
// to its end.
type call func(body io.Reader) esapi.Request

// plain is the call of a request without a body.
func plain(r esapi.Request) call { return func(io.Reader) esapi.Request { return r } }

// dial makes a connection of a resolved cfg. It sends nothing.
func dial(cfg Config) (*conn, error) {
	es, err := transport(cfg)
	if err != nil {
		return nil, ConfigError{err}
	}
	where := strings.Join(cfg.Hosts, ", ")
	if cfg.CloudID != "" {
		where, _, _ = strings.Cut(cfg.CloudID, ":")
	}
	return &conn{cfg: cfg, es: es, where: where}, nil
}

// do sends r until it is answered: again after an exponential back-off with
// jitter where the connection was lost or the server asks for patience. All
// requests of this package may be sent twice.
func (c *conn) do(ctx context.Context, r request) error {
	a := c.attempts(r.op)
	a.slow = cmp.Or(r.slow, a.slow)
	if r.first {
		a.retries = min(a.retries, DefaultRetries)
	}
	for {
		err, again := c.try(ctx, r)
		if err == nil {
			return nil
		}
		if r.first && a.count == firstAttempts-1 && status(err) == 0 {
			again = false
		}
		if r.missing != nil && a.count == 0 && status(err) >= http.StatusInternalServerError {
			if missing := r.missing(ctx); missing != nil {
				return missing
			}
		}
		if err := a.next(ctx, err, again); err != nil {
			return err
		}
	}
}

// try sends r once, and says whether another attempt makes sense.
func (c *conn) try(ctx context.Context, r request) (err error, again bool) {
	limit := r.timeout
	if limit == 0 {
		limit = c.cfg.Timeout
	}
	if limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	resp, err := c.send(ctx, r)
	if err != nil {
		e := lost(c.where, r.op, err)
		if e.Kind == TimedOut {
			e.Reason += " of " + limit.String()
		}
		return e, e.Kind != BadCertificate && e.Kind != NoTLS && !(r.first && (e.Kind == TimedOut || nobody(err)))
	}
	defer resp.Body.Close()
	if r.first {
		c.named = resp.Header.Get(productHeader) != ""
	}
	if c.named && resp.Header.Get(productHeader) == "" && elsewhere(resp.StatusCode) {
		return c.stranger(r.op, "another one of the hosts, which is not Elasticsearch, answers"), true
	}
	if resp.StatusCode > 299 {
		return c.refusal(r, resp)
	}
	if err := decode(resp.Body, r.out); err != nil {
		e := lost(c.where, r.op, err)
		return e, e.Kind != Broken || !r.first && errors.As(err, new(*json.SyntaxError))
	}
	if w, ok := r.out.(whole); ok && !w.whole() {
		return c.stranger(r.op, "one of the hosts answers something else than Elasticsearch does"), true
	}
	c.health.fine()
	return nil, false
}

// A whole answer is one that has what each of its kind has. An answer of somebody
// else, such as a proxy that is being looked after, could be taken for one that
// says that nothing was found, or that all is done.
type whole interface{ whole() bool }

// elsewhere says whether an answer with that status, and without the name of
// Elasticsearch, is one of another program. What refuses for lack of room or of a
// password may be a proxy before the server.
func elsewhere(status int) bool {
	switch status {
	case http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented:
		return true
	}
	return status < 400
}

// nobody says whether err means that no connection could be made.
func nobody(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}

func (c *conn) send(ctx context.Context, r request) (*esapi.Response, error) {
	return r.call(bytes.NewReader(r.body)).Do(ctx, c.es)
}

// refusal makes an error of an answer that is none of success.
func (c *conn) refusal(r request, resp *esapi.Response) (err error, again bool) {
	a, err := readAnswer(resp.StatusCode, resp.Body)
	if err != nil {
		return lost(c.where, r.op, err), true
	}
	if elsewhere(a.status) && !r.first && !json.Valid([]byte(cmp.Or(a.text, "{}"))) {
		return c.stranger(r.op, "one of the hosts does not answer as Elasticsearch does: "+a.reason()), true
	}
	e := &Error{Kind: a.kind(), Where: c.where, Op: r.op, Status: a.status, Reason: a.reason(),
		product: resp.Header.Get(productHeader) != "", said: a}
	if seconds, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil && seconds > 0 {
		e.Err = &retryAfter{time.Duration(seconds) * time.Second}
	}
	return e, a.again()
}

// decode reads an answer to its end, so that one that was cut short is never
// taken for a whole one.
func decode(body io.Reader, out any) error {
	if out == nil {
		out = new(json.RawMessage) // whoever does not answer in JSON is somebody else
	}
	raw, err := io.ReadAll(body)
	if err == nil {
		err = json.Unmarshal(raw, out)
	}
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) && syntax.Offset >= int64(len(raw)) {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return fmt.Errorf("read answer: %w", err)
	}
	return nil
}

// said says whether err is a refusal for a cause of this type.
func said(err error, kind string) bool {
	var e *Error
	return errors.As(err, &e) && e.said.has(kind)
}

// status returns the HTTP status that err came with, or 0.
func status(err error) int {
	var e *Error
	if errors.As(err, &e) {
		return e.Status
	}
	return 0
}

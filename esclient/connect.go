package esclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// connect finds out who answers at the addresses of cfg, and refuses what this
// package cannot work with. A server that is not there is an error at once.
func connect(ctx context.Context, cfg Config) (*conn, error) {
	c, err := dial(cfg)
	if err != nil {
		return nil, err
	}
	hello, err := c.greet(ctx)
	if err != nil {
		return nil, err
	}
	c.version, c.open = hello.Version.Number, hello.Version.Distribution == "opensearch"
	if c.version == "" {
		c.version = c.nodeVersion(ctx)
	}
	return c, c.checkVersion()
}

// A greeting is what GET / answers.
type greeting struct {
	Tagline string `json:"tagline"`
	Version struct {
		Number       string `json:"number"`
		Distribution string `json:"distribution"`
	} `json:"version"`
}

const greetOp = "connect to server"

// greetTime is how long a server may take to say who it is.
const greetTime = 30 * time.Second

// greet asks each of the hosts until one answers. The answer is empty where it
// is Elasticsearch that answers but does not tell its version.
func (c *conn) greet(ctx context.Context) (greeting, error) {
	for host := 1; ; host++ {
		hello, err := c.greetOnce(ctx)
		var e *Error
		if host < len(c.cfg.Hosts) && errors.As(err, &e) && (e.Kind == Unreachable || e.Kind == TimedOut) {
			continue
		}
		return hello, err
	}
}

func (c *conn) greetOnce(ctx context.Context) (hello greeting, err error) {
	var raw json.RawMessage
	err = c.do(ctx, request{op: greetOp, method: http.MethodGet, path: "/", first: true, timeout: min(greetTime, c.cfg.Timeout), out: &raw})
	var e *Error
	switch {
	case errors.As(err, &e) && e.product && (e.Status == http.StatusMethodNotAllowed || e.Status == http.StatusForbidden):
		return hello, nil // a stripped server, or a user who may not see the version
	case errors.As(err, &e) && (e.Kind == Refused || errors.As(err, new(*json.SyntaxError))):
		return hello, c.stranger("it does not answer as Elasticsearch does: " + e.Reason)
	case err != nil:
		return hello, err
	case json.Unmarshal(raw, &hello) != nil || hello.Version.Number == "":
		return hello, c.stranger("it answers, but is not Elasticsearch")
	}
	return hello, nil
}

func (c *conn) stranger(reason string) error {
	return &Error{Kind: NotElasticsearch, Where: c.where, Op: greetOp, Reason: reason}
}

// nodeVersion asks a node that does not answer GET / with its version.
func (c *conn) nodeVersion(ctx context.Context) string {
	var info struct {
		Nodes map[string]struct {
			Version string `json:"version"`
		} `json:"nodes"`
	}
	r := request{op: greetOp, method: http.MethodGet, path: "/_nodes/_local?filter_path=nodes.*.version", out: &info}
	if c.do(ctx, r) != nil {
		return "" // it takes a privilege that the rest does not need
	}
	for _, n := range info.Nodes {
		return n.Version
	}
	return ""
}

// Oldest versions whose interface has what this package needs.
var (
	oldestElasticsearch = [2]int{8, 0}
	oldestOpenSearch    = [2]int{2, 4} // the first with a point in time
)

func (c *conn) checkVersion() error {
	if c.version == "" {
		return nil
	}
	name, oldest := "Elasticsearch", oldestElasticsearch
	if c.open {
		name, oldest = "OpenSearch", oldestOpenSearch
	}
	part := strings.SplitN(c.version, ".", 3)
	var have [2]int
	for i := range min(2, len(part)) {
		have[i], _ = strconv.Atoi(part[i]) // 0 where it is no number: too old
	}
	if have[0] > oldest[0] || have[0] == oldest[0] && have[1] >= oldest[1] {
		return nil
	}
	return &Error{Kind: TooOld, Where: c.where, Op: greetOp,
		Reason: fmt.Sprintf("it is %s %s, and %d.%d or newer is needed", name, c.version, oldest[0], oldest[1])}
}

// product returns the name and version of the server, for people.
func (c *conn) product() string {
	name := "Elasticsearch"
	if c.open {
		name = "OpenSearch"
	}
	return strings.TrimSpace(name + " " + c.version)
}

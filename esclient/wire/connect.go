package wire

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"github.com/otisk/otisk/lang/phrase"
)

// Connect returns a connection to the cluster of cfg after it has verified that a
// supported server answers. If no server listens there, it returns an error at once. Of
// several hosts one suffices: Connect skips hosts where another program answers, and
// keeps hosts that do not answer, because they may come back. It rejects hosts of
// different clusters, as each would have only a part of the index.
func Connect(ctx context.Context, cfg Config) (*Conn, error) {
	cfg, err := cfg.Resolved()
	if err != nil {
		return nil, err
	}
	if len(cfg.Hosts) < 2 || cfg.CloudID != "" {
		return connectOne(ctx, cfg)
	}
	first, hosts, err := agreed(meet(ctx, cfg))
	if err != nil {
		return nil, err
	}
	cfg.Hosts = hosts
	return first.over(cfg)
}

// agreed returns the first connection that was verified, and the hosts to use: those
// that were verified and those that did not answer.
func agreed(list []met) (first *Conn, hosts []string, err error) {
	var known *Conn // the first whose cluster is known
	var failed []error
	for _, m := range list {
		switch KindOf(m.err) {
		case Unreachable, TimedOut, Broken, Overloaded:
		case NotElasticsearch, TooOld, NoTLS, BadCertificate:
			failed = append(failed, m.err)
			continue
		default:
			if m.err != nil {
				return nil, nil, m.err
			}
		}
		hosts = append(hosts, m.host)
		if m.err != nil {
			failed = append(failed, m.err)
		}
		if m.err != nil || m.conn == nil { // its answer is late
			continue
		}
		first = cmp.Or(first, m.conn)
		if m.conn.cluster == "" {
			continue
		}
		known = cmp.Or(known, m.conn)
		if known.cluster != m.conn.cluster {
			return nil, nil, ConfigError{phrase.Error("cluster.two-clusters", "use hosts: {first} and {second} belong to two clusters, want hosts of one", "first", known.where, "second", m.host)}
		}
	}
	if first == nil {
		return nil, nil, together(failed)
	}
	return first, hosts, nil
}

// A met is the outcome of connecting to one host; empty if its answer is late.
type met struct {
	host string
	conn *Conn
	err  error
}

// lateHost is how long meet waits for the other hosts after one has answered.
const lateHost = 2 * time.Second

func meet(ctx context.Context, cfg Config) []met {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	list := make([]met, len(cfg.Hosts))
	answered := make(chan func(), len(list)) // each records one outcome
	for i, host := range cfg.Hosts {
		list[i].host = host
		one := cfg
		one.Hosts = []string{host}
		go func() {
			c, err := connectOne(ctx, one)
			if err == nil {
				c.identifyCluster(ctx)
			}
			answered <- func() { list[i].conn, list[i].err = c, err }
		}()
	}
	var late <-chan time.Time
	for range list {
		select {
		case note := <-answered:
			note()
		case <-late:
			return list
		}
		if late == nil && slices.ContainsFunc(list, func(m met) bool { return m.conn != nil && m.err == nil }) {
			late = time.After(lateHost)
		}
	}
	return list
}

// identifyCluster asks for the UUID of the cluster unless the greeting had it. A user
// without the privilege gets no error.
func (c *Conn) identifyCluster(ctx context.Context) {
	if c.cluster != "" {
		return
	}
	var state struct {
		Cluster string `json:"cluster_uuid"`
	}
	ask := esapi.ClusterStateRequest{Metric: []string{"version"}, FilterPath: []string{"cluster_uuid"}}
	if c.Do(ctx, Request{Op: greetOp, Call: Plain(ask), first: true, Out: &state}) == nil {
		c.cluster = knownCluster(state.Cluster)
	}
}

// knownCluster returns the UUID of a cluster, "" while it has none.
func knownCluster(uuid string) string {
	if uuid == "_na_" {
		return ""
	}
	return uuid
}

func connectOne(ctx context.Context, cfg Config) (*Conn, error) {
	c, err := Dial(cfg)
	if err != nil {
		return nil, err
	}
	hello, err := c.greet(ctx)
	if err != nil {
		return nil, err
	}
	c.version, c.open, c.cluster = hello.Version.Number, hello.Version.Distribution == "opensearch", knownCluster(hello.Cluster)
	return c, c.checkVersion()
}

func (c *Conn) over(cfg Config) (*Conn, error) {
	all, err := Dial(cfg)
	if err != nil {
		return nil, err
	}
	all.version, all.open, all.named = c.version, c.open, c.named
	return all, nil
}

func together(failed []error) error {
	var first *Error
	if len(failed) == 1 || !errors.As(failed[0], &first) {
		return failed[0]
	}
	for _, err := range failed[1:] {
		if e, ok := errors.AsType[*Error](err); ok {
			first.Reason = phrase.Error("cluster.also", "{cause}; {where}: {other}", "cause", first.Reason, "where", e.Where, "other", e.Reason)
		}
	}
	return first
}

type greeting struct {
	Tagline string `json:"tagline"`
	Cluster string `json:"cluster_uuid"`
	Version struct {
		Number       string `json:"number"`
		Distribution string `json:"distribution"`
	} `json:"version"`
}

const greetOp = "connect to server"

// greetTime is the timeout of the first request.
const greetTime = 30 * time.Second

// greet asks which server answers. The greeting is empty if Elasticsearch answers but
// does not report its version.
func (c *Conn) greet(ctx context.Context) (hello greeting, err error) {
	var raw json.RawMessage
	err = c.Do(ctx, Request{Op: greetOp, Call: Plain(esapi.InfoRequest{}), first: true, Timeout: min(greetTime, c.cfg.Timeout), Out: &raw})
	var e *Error
	switch {
	case errors.As(err, &e) && e.product && (e.Status == http.StatusMethodNotAllowed || e.Status == http.StatusForbidden):
		return hello, nil // a server without that module, or a user without the privilege
	case errors.As(err, &e) && (e.Kind == Refused || errors.As(err, new(*json.SyntaxError))):
		return hello, c.stranger(greetOp, phrase.Error("cluster.not-elasticsearch", "it does not answer as Elasticsearch does: {cause}", "cause", e.Reason))
	case err != nil:
		return hello, err
	case json.Unmarshal(raw, &hello) != nil || hello.Version.Number == "":
		return hello, c.stranger(greetOp, phrase.Error("cluster.other-program", "it answers, but is not Elasticsearch"))
	}
	return hello, nil
}

func (c *Conn) stranger(op string, reason error) error {
	return &Error{Kind: NotElasticsearch, Where: c.where, Op: op, Reason: reason}
}

// nodeVersion returns the version of a node whose GET / does not report it, or "".
func (c *Conn) nodeVersion(ctx context.Context) string {
	var info struct {
		Nodes map[string]struct {
			Version string `json:"version"`
		} `json:"nodes"`
	}
	own := esapi.NodesInfoRequest{NodeID: []string{"_local"}, FilterPath: []string{"nodes.*.version"}}
	r := Request{Op: greetOp, Call: Plain(own), Out: &info}
	if c.Do(ctx, r) != nil {
		return "" // the user may lack the privilege, which nothing else needs
	}
	for _, n := range info.Nodes {
		return n.Version
	}
	return ""
}

// Oldest versions whose interface suffices.
var (
	oldestElasticsearch = [2]int{8, 0}
	oldestOpenSearch    = [2]int{2, 4} // the first with points in time
)

func (c *Conn) checkVersion() error {
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
		have[i], _ = strconv.Atoi(part[i]) // 0, which is too old, if it is not a number
	}
	if have[0] > oldest[0] || have[0] == oldest[0] && have[1] >= oldest[1] {
		return nil
	}
	return &Error{Kind: TooOld, Where: c.where, Op: greetOp, Reason: phrase.Error("cluster.too-old", "it is {product} {version}, and {wanted} or newer is needed",
		"product", name, "version", c.version, "wanted", fmt.Sprintf("%d.%d", oldest[0], oldest[1]))}
}

// Product returns the name and version of the server, for people.
func (c *Conn) Product(ctx context.Context) string {
	name, version := "Elasticsearch", c.version
	if c.open {
		name = "OpenSearch"
	}
	if version == "" {
		version = c.nodeVersion(ctx)
	}
	return strings.TrimSpace(name + " " + version)
}

package esclient

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
)

// connect finds out who answers at the addresses of cfg, and refuses what this
// package cannot work with. A server that is not there is an error at once. Of
// several hosts it is enough that one is right. Those that turn out to be
// something else are left out; those that do not answer may come back. Two
// clusters are refused: each would be asked for a part of what one has.
func connect(ctx context.Context, cfg Config) (*conn, error) {
	cfg, err := cfg.resolved()
	if err != nil {
		return nil, ConfigError{err}
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

// agreed returns the first connection to a host that is right, and the hosts that are
// or may be.
func agreed(list []met) (first *conn, hosts []string, err error) {
	var known *conn // which says its cluster
	var failed []error
	for _, m := range list {
		switch kindOf(m.err) {
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
		if m.err != nil || m.conn == nil { // nobody waited for it
			continue
		}
		first = cmp.Or(first, m.conn)
		if m.conn.cluster == "" {
			continue
		}
		known = cmp.Or(known, m.conn)
		if known.cluster != m.conn.cluster {
			return nil, nil, ConfigError{fmt.Errorf("use hosts: %s and %s are of two clusters, want hosts of one", known.where, m.host)}
		}
	}
	if first == nil {
		return nil, nil, together(failed)
	}
	return first, hosts, nil
}

// A met is what came of connecting to one host; nothing where nobody waited for it.
type met struct {
	host string
	conn *conn
	err  error
}

// lateHost is how long hosts are waited for when one has answered.
var lateHost = 2 * time.Second // a test makes it shorter

// meet connects to all hosts of cfg at once.
func meet(ctx context.Context, cfg Config) []met {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	list := make([]met, len(cfg.Hosts))
	answered := make(chan func(), len(list)) // each notes who answered
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

// identifyCluster asks a server which cluster it is of that did not say so at first. A
// user who may not know it does without.
func (c *conn) identifyCluster(ctx context.Context) {
	if c.cluster != "" {
		return
	}
	var state struct {
		Cluster string `json:"cluster_uuid"`
	}
	ask := esapi.ClusterStateRequest{Metric: []string{"version"}, FilterPath: []string{"cluster_uuid"}}
	if c.do(ctx, request{op: greetOp, call: plain(ask), first: true, out: &state}) == nil {
		c.cluster = knownCluster(state.Cluster)
	}
}

// knownCluster returns the identity of a cluster, "" where it has none yet.
func knownCluster(uuid string) string {
	if uuid == "_na_" {
		return ""
	}
	return uuid
}

func connectOne(ctx context.Context, cfg Config) (*conn, error) {
	c, err := dial(cfg)
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

// over returns a connection to the same cluster over other hosts.
func (c *conn) over(cfg Config) (*conn, error) {
	all, err := dial(cfg)
	if err != nil {
		return nil, err
	}
	all.version, all.open, all.named = c.version, c.open, c.named
	return all, nil
}

// together makes one error of those of several hosts. The first one says what
// kind it is.
func together(failed []error) error {
	var first *Error
	if len(failed) == 1 || !errors.As(failed[0], &first) {
		return failed[0]
	}
	for _, err := range failed[1:] {
		var e *Error
		if errors.As(err, &e) {
			first.Reason += "; " + e.Where + ": " + e.Reason
		}
	}
	return first
}

func kindOf(err error) Kind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return ""
}

// A greeting is what GET / answers.
type greeting struct {
	Tagline string `json:"tagline"`
	Cluster string `json:"cluster_uuid"`
	Version struct {
		Number       string `json:"number"`
		Distribution string `json:"distribution"`
	} `json:"version"`
}

const greetOp = "connect to server"

// greetTime is how long a server may take to say who it is.
const greetTime = 30 * time.Second

// greet asks who is there. The answer is empty where it is Elasticsearch that
// answers but does not say its version.
func (c *conn) greet(ctx context.Context) (hello greeting, err error) {
	var raw json.RawMessage
	err = c.do(ctx, request{op: greetOp, call: plain(esapi.InfoRequest{}), first: true, timeout: min(greetTime, c.cfg.Timeout), out: &raw})
	var e *Error
	switch {
	case errors.As(err, &e) && e.product && (e.Status == http.StatusMethodNotAllowed || e.Status == http.StatusForbidden):
		return hello, nil // a stripped server, or a user who may not see the version
	case errors.As(err, &e) && (e.Kind == Refused || errors.As(err, new(*json.SyntaxError))):
		return hello, c.stranger(greetOp, "it does not answer as Elasticsearch does: "+e.Reason)
	case err != nil:
		return hello, err
	case json.Unmarshal(raw, &hello) != nil || hello.Version.Number == "":
		return hello, c.stranger(greetOp, "it answers, but is not Elasticsearch")
	}
	return hello, nil
}

func (c *conn) stranger(op, reason string) error {
	return &Error{Kind: NotElasticsearch, Where: c.where, Op: op, Reason: reason}
}

// nodeVersion asks a node that does not answer GET / with its version.
func (c *conn) nodeVersion(ctx context.Context) string {
	var info struct {
		Nodes map[string]struct {
			Version string `json:"version"`
		} `json:"nodes"`
	}
	own := esapi.NodesInfoRequest{NodeID: []string{"_local"}, FilterPath: []string{"nodes.*.version"}}
	r := request{op: greetOp, call: plain(own), out: &info}
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
func (c *conn) product(ctx context.Context) string {
	name, version := "Elasticsearch", c.version
	if c.open {
		name = "OpenSearch"
	}
	if version == "" {
		version = c.nodeVersion(ctx)
	}
	return strings.TrimSpace(name + " " + version)
}

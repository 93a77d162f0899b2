package esclient

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"github.com/otisk/otisk/esclient/wire"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/store"
)

type indexInfo struct {
	Aliases  map[string]struct{} `json:"aliases"`
	Mappings struct {
		Meta struct {
			Otisk *meta `json:"otisk"`
		} `json:"_meta"`
	} `json:"mappings"`
}

// locate is identify, and waits until all primary shards of the index are allocated.
func (c *conn) locate(ctx context.Context) (names, meta, map[string]indexInfo, error) {
	n, m, indices, err := c.identify(ctx)
	if err == nil {
		err = c.awaitAll(ctx, n, indices)
	}
	return n, m, indices, err
}

// identify finds the catalogue of the index, and rejects one that otisk did not make or
// whose layout it does not know. It also returns all indices whose names begin with the
// name of the index.
func (c *conn) identify(ctx context.Context) (names, meta, map[string]indexInfo, error) {
	n := names{base: c.cfg.Index}
	indices, err := c.neighbours(ctx)
	if err != nil {
		return n, meta{}, nil, err
	}
	list := called(indices, n.part(documentsPart))
	if len(list) == 0 {
		return n, meta{}, nil, c.absent(n, indices)
	}
	if own := slices.DeleteFunc(slices.Clone(list), func(name string) bool { _, ok := buildOf(n.base, name); return !ok }); len(own) == 1 {
		list = own // the others are restored copies
	}
	if len(list) != 1 {
		return n, meta{}, nil, n.ambiguous(list)
	}
	m, err := indices[list[0]].ours(list[0], documentsPart)
	if err != nil {
		return n, m, nil, err
	}
	if n.build, _ = buildOf(n.base, list[0]); n.build == 0 || m.Settings == nil {
		return n, m, nil, phrase.Error("cluster.foreign-name", "open index {name}: {index} is not a name that otisk gives: {cause}", "name", n.base, "index", list[0], "cause", store.ErrFormat)
	}
	return n, m, indices, nil
}

func called(indices map[string]indexInfo, alias string) (list []string) {
	for name, info := range indices {
		if _, ok := info.Aliases[alias]; ok || name == alias {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}

// ErrForeign means that an index that otisk did not make has a name that otisk needs.
var ErrForeign error = phrase.Error("cluster.foreign", "otisk did not make it: {cause}", "cause", store.ErrFormat)

// ErrOutdated means that an index was made before the first release, in a layout that
// this program does not read.
var ErrOutdated error = phrase.Error("cluster.outdated", "its layout is older than the first release, and this program reads layout {known}", "known", layoutVersion).Of(store.ErrFormat)

// ours returns the meta data of an index, or an error wrapping store.ErrFormat unless
// otisk made it as that part in the present layout.
func (i indexInfo) ours(name, part string) (meta, error) {
	m := i.Mappings.Meta.Otisk
	switch {
	case m == nil:
		return meta{}, phrase.Error("cluster.open", "open index {name}: {cause}", "name", name, "cause", ErrForeign)
	case m.Layout < layoutVersion: // none was released
		return *m, phrase.Error("cluster.open", "open index {name}: {cause}", "name", name, "cause", ErrOutdated)
	case m.Layout != layoutVersion:
		return *m, phrase.Error("cluster.layout", "open index {name}: it has layout {layout}, and this program reads layout {known}: {cause}", "name", name, "layout", m.Layout, "known", layoutVersion, "cause", store.ErrFormat)
	}
	block := blockOf(part)
	if m.Part != part || m.Block != block {
		return *m, phrase.Error("cluster.part", "open index {name}: it is part {part} with blocks of {block}, want {wanted} and {size}: {cause}", "name", name, "part", strconv.Quote(m.Part), "block", m.Block, "wanted", strconv.Quote(part), "size", block, "cause", store.ErrFormat)
	}
	return *m, nil
}

var concretePattern = regexp.MustCompile("^-" + anyPart + "-([0-9]{1,9})$")

func buildOf(base, index string) (build int, ok bool) {
	if len(index) < len(base) || index[:len(base)] != base {
		return 0, false
	}
	m := concretePattern.FindStringSubmatch(index[len(base):])
	if m == nil {
		return 0, false
	}
	build, err := strconv.Atoi(m[1])
	return build, err == nil
}

// neighbours returns all indices whose names or aliases begin with the name of the index.
// They include closed ones, on which the server rejects later requests.
func (c *conn) neighbours(ctx context.Context) (map[string]indexInfo, error) {
	var indices map[string]indexInfo
	all := esapi.IndicesGetRequest{Index: []string{c.cfg.Index + "-*"}, ExpandWildcards: "open,closed"}
	r := wire.Request{Op: "list indices", Call: wire.Plain(all), Out: &indices}
	if err := c.Do(ctx, r); err != nil && !wire.HasCause(err, wire.NoIndex) {
		return nil, err
	}
	return indices, nil
}

func (c *conn) inspect(ctx context.Context) (map[string]indexInfo, error) {
	indices, err := c.neighbours(ctx)
	if err != nil {
		return nil, err
	}
	maps.DeleteFunc(indices, func(name string, _ indexInfo) bool {
		_, ok := buildOf(c.cfg.Index, name)
		return !ok
	})
	return indices, nil
}

func (c *conn) list(ctx context.Context) ([]string, error) {
	indices, err := c.neighbours(ctx)
	return builds(indices, c.cfg.Index), err
}

func builds(indices map[string]indexInfo, base string) (list []string) {
	for name, info := range indices {
		if _, ok := buildOf(base, name); ok && info.Mappings.Meta.Otisk != nil {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}

// shardsSeconds is how long to wait until all shards of an index are allocated, as after
// the start of a cluster.
const shardsSeconds = 30

// awaitAll waits until all primary shards of the build are allocated.
func (c *conn) awaitAll(ctx context.Context, n names, indices map[string]indexInfo) error {
	list := slices.DeleteFunc(builds(indices, n.base), func(name string) bool {
		build, _ := buildOf(n.base, name)
		return build != n.build // being made, or left behind
	})
	for part := range slices.Chunk(list, addressed) {
		if err := c.awaitShards(ctx, n, part); err != nil {
			return err
		}
	}
	return nil
}

// addressed is how many indices one request names, as URLs are limited in length.
const addressed = 20

func (c *conn) awaitShards(ctx context.Context, n names, indices []string) error {
	red, err := c.redFor(ctx, 1, indices)
	if err != nil || !red {
		return err
	}
	// For an index that was deleted meanwhile the server answers the same as for one
	// whose shards are not allocated.
	there, err := c.neighbours(ctx)
	if err != nil {
		return err
	}
	for _, name := range indices {
		if _, ok := there[name]; !ok {
			return phrase.Error("index.read", "read index {name}: {cause}", "name", n.base, "cause", ErrStale)
		}
	}
	return c.await(ctx, n, indices)
}

func (c *conn) await(ctx context.Context, n names, indices []string) error {
	red, err := c.redFor(ctx, c.awaited(), indices)
	if err == nil && red {
		err = c.red(n, c.awaited())
	}
	return err
}

// awaited is how many seconds one request waits for shards.
func (c *conn) awaited() int { return max(1, min(shardsSeconds, int(c.cfg.Timeout.Seconds())/2)) }

func (c *conn) awaitNew(ctx context.Context, name string) error {
	red, err := c.redFor(ctx, c.awaited(), []string{name})
	if err == nil && red {
		err = c.unallocated(ctx, "create index", name)
	}
	return err
}

// unallocated returns the error that a server allocates no shards of an index, with the reason if the server
// states one: settings of the index or of its templates, the nodes, or their disks.
func (c *conn) unallocated(ctx context.Context, op, index string) error {
	var a struct {
		Summary string `json:"allocate_explanation"`
		Nodes   []struct {
			Deciders []struct {
				Decision    string `json:"decision"`
				Explanation string `json:"explanation"`
			} `json:"deciders"`
		} `json:"node_allocation_decisions"`
	}
	body := marshal(object{"index": index, "shard": 0, "primary": true})
	err := c.Do(ctx, wire.Request{Op: op, Body: body, Out: &a, Call: func(body io.Reader) esapi.Request {
		return esapi.ClusterAllocationExplainRequest{Body: body}
	}})
	why := a.Summary
	for _, n := range a.Nodes {
		for _, d := range n.Deciders {
			if d.Decision == "NO" || why == a.Summary { // others only delay it
				why = d.Explanation
			}
		}
	}
	reason := phrase.Error("cluster.no-shards", "the server allocates no shards of {name}", "name", index)
	if err == nil && why != "" {
		reason = phrase.Error("cluster.no-shards-why", "the server allocates no shards of {name}: {reason}", "name", index, "reason", why)
	}
	return &wire.Error{Kind: wire.Red, Where: c.Where(), Op: op, Reason: reason}
}

// redFor reports whether primary shards of indices are not allocated within some seconds.
func (c *conn) redFor(ctx context.Context, seconds int, indices []string) (bool, error) {
	var health struct {
		Status string `json:"status"`
	}
	err := c.Do(ctx, wire.Request{
		Op: "open index", Out: &health, Call: wire.Plain(esapi.ClusterHealthRequest{
			Index: indices, WaitForStatus: "yellow", Timeout: time.Duration(seconds) * time.Second,
		}),
	})
	switch wire.Status(err) {
	case http.StatusForbidden:
		return false, nil // the user may lack the privilege, which nothing else needs
	case http.StatusRequestTimeout:
		return true, nil
	}
	return err == nil && health.Status == "red", err
}

func (c *conn) red(n names, seconds int) error {
	return &wire.Error{Kind: wire.Red, Where: c.Where(), Op: "open index",
		Reason: phrase.Error("cluster.red", "the indices {name}-* are red: data are missing, and did not come back within {seconds} s", "name", n.base, "seconds", seconds)}
}

// A making has the parameters of a new index.
type making struct {
	settings *store.Settings // only for the catalogue
	shards   int             // 0 for the number from the configuration
	loading  bool            // for a bulk load: without replicas and refreshes
	hidden   bool            // without its alias for reading
}

// create makes the index of a part. If it exists, because the answer to an earlier
// attempt was lost, create verifies that otisk made it. If a template of the cluster changes
// the new index, create deletes it again and returns an error wrapping ErrTemplate.
func (c *conn) create(ctx context.Context, n names, part string, m making) error {
	index := object{"number_of_shards": cmp.Or(m.shards, c.cfg.shards(part))}
	expect := c.cfg.Expect
	if m.settings == nil {
		expect = 0
	}
	switch {
	case m.loading:
		index["number_of_replicas"], index["refresh_interval"] = 0, "-1"
	case c.cfg.Replicas < 0:
		index["number_of_replicas"] = 0
	case c.cfg.Replicas > 0:
		index["number_of_replicas"] = c.cfg.Replicas
	default:
		index["auto_expand_replicas"] = "0-1"
	}
	maps.Copy(index, ownSettings)
	fields := mapping(part, m.settings, expect)
	body := object{"settings": object{"index": index}, "mappings": fields}
	aliases := object{n.writes(part): object{}}
	if !m.hidden {
		aliases[n.part(part)] = object{}
	}
	body["aliases"] = aliases
	name := n.concrete(part)
	var a struct {
		Shards bool `json:"shards_acknowledged"`
	}
	err := c.Do(ctx, wire.Request{
		Op: "create index", Body: marshal(body), Out: &a,
		Call: func(body io.Reader) esapi.Request {
			return esapi.IndicesCreateRequest{Index: name, Body: body, Timeout: time.Duration(c.awaited()) * time.Second}
		},
	})
	if wire.HasCause(err, wire.InUse) {
		if err := c.checkOurs(ctx, n, part); err != nil {
			return err
		}
		return errors.Join(c.unchanged(ctx, name, fields), c.awaitNew(ctx, name))
	}
	if wire.Status(err) == http.StatusBadRequest {
		return c.contradicted(ctx, name, err)
	}
	if err != nil {
		return err
	}
	if !a.Shards { // a busy server allocates the shards later
		if err := c.awaitNew(ctx, name); err != nil {
			return errors.Join(err, c.drop(ctx, []string{name})) // it has no data
		}
	}
	if err = c.unchanged(ctx, name, fields); errors.Is(err, ErrTemplate) {
		err = errors.Join(err, c.drop(ctx, []string{name}))
	}
	return err
}

func (c *conn) checkOurs(ctx context.Context, n names, part string) error {
	name := n.concrete(part)
	var indices map[string]indexInfo
	if err := c.Do(ctx, wire.Request{Op: "open index", Call: wire.Plain(esapi.IndicesGetRequest{Index: []string{name}}), Out: &indices}); err != nil {
		return err
	}
	return indices[name].is(n, part)
}

// is returns an error unless i describes that part of n.
func (i indexInfo) is(n names, part string) error {
	_, err := i.ours(n.concrete(part), part)
	return err
}

// noteSize adds fields to the mapping of the catalogue by which the server adds up the
// n-grams of that length and their blocks.
func (c *conn) noteSize(ctx context.Context, n names, size int) error {
	fields := object{"type": "object", "properties": object{gramsField(size): object{"type": "long", "index": false}}}
	body := object{"properties": object{"grams": fields, "units": fields}}
	return c.Do(ctx, wire.Request{Op: "create index", Body: marshal(body), Call: func(body io.Reader) esapi.Request {
		return esapi.IndicesPutMappingRequest{Index: []string{n.documents()}, Body: body}
	}})
}

func (c *conn) drop(ctx context.Context, list []string) error {
	for some := range slices.Chunk(list, addressed) {
		one := esapi.IndicesDeleteRequest{Index: some, IgnoreUnavailable: new(true)}
		if err := c.Do(ctx, wire.Request{Op: "delete index", Call: wire.Plain(one)}); err != nil && !wire.HasCause(err, wire.NoIndex) {
			return err
		}
	}
	return nil
}

// refresh makes all writes to these indices visible to searches, on every copy. A copy
// that fails is an error.
func (c *conn) refresh(ctx context.Context, list ...string) error {
	for part := range slices.Chunk(list, addressed) {
		if err := c.refreshOnce(ctx, part); err != nil {
			return err
		}
	}
	return nil
}

type refreshAnswer struct {
	Shards *struct {
		Failed   int             `json:"failed"`
		Failures json.RawMessage `json:"failures"`
	} `json:"_shards"`
}

func (a *refreshAnswer) Whole() bool { return a.Shards != nil }

func (c *conn) refreshOnce(ctx context.Context, list []string) error {
	const op = "refresh index"
	tries := c.Attempts(op, 0)
	for {
		var a refreshAnswer
		if err := c.Do(ctx, wire.Request{Op: op, Call: wire.Plain(esapi.IndicesRefreshRequest{Index: list}), Out: &a}); err != nil || a.Shards.Failed == 0 {
			return err
		}
		err := &wire.Error{Kind: wire.Broken, Where: c.Where(), Op: op, Reason: phrase.Counted("cluster.shards-failed", "{n} shard failed: {details}", "{n} shards failed: {details}",
			a.Shards.Failed, "details", fmt.Sprintf("%.300s", a.Shards.Failures))}
		if err := tries.Next(ctx, err, true); err != nil {
			return err
		}
	}
}

package esclient

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"github.com/otisk/otisk/esclient/wire"
)

// A Condition describes a cluster and the privileges of its user on an index. Unknown lists the
// parts that could not be read.
type Condition struct {
	Server    string   // product and version
	Health    string   // green, yellow or red
	Templates string   // names of the index templates that apply to a new index, "" if none do
	Blocks    []string // settings that stop writing, such as "theses-documents: index.blocks.write"
	Disks     []Disk
	Missing   []string // privileges of a writer that the user lacks
	Unlisted  bool     // the server lists no privileges: it has no security, or is OpenSearch
	Unknown   []error  // why something could not be read
}

// A Disk is the use of the disk of a node.
type Disk struct {
	Node    string
	Percent int    // used
	Low     int    // percent above which the node gets no new shards, 0 if it is stated in bytes
	Marks   string // the three watermarks, as the server states them
}

var writerPrivileges = map[string][]string{"cluster": {"monitor"}, "index": {"read", "view_index_metadata", "write", "manage"}}

// Examine returns the condition of a cluster for the index of cfg, which need not exist.
func Examine(ctx context.Context, cfg Config) (Condition, error) {
	c, err := connect(ctx, cfg)
	if err != nil {
		return Condition{}, err
	}
	x := &Condition{Server: c.Product(ctx), Templates: c.templates(ctx, c.cfg.Index+"-"+documentsPart)}
	settings, failed := c.clusterSettings(ctx)
	errs := []error{failed, c.examineHealth(ctx, x), c.examineBlocks(ctx, x, settings), c.examineDisks(ctx, x, settings), c.examinePrivileges(ctx, x)}
	x.Unknown = slices.DeleteFunc(errs, func(err error) bool { return err == nil })
	return *x, context.Cause(ctx)
}

func (c *conn) examineHealth(ctx context.Context, x *Condition) (err error) {
	x.Health, err = healthOf(ctx, c.Conn)
	return err
}

func (c *conn) examineBlocks(ctx context.Context, x *Condition, settings map[string]string) error {
	for _, name := range []string{"cluster.blocks.read_only", "cluster.blocks.read_only_allow_delete"} {
		if settings[name] == "true" {
			x.Blocks = append(x.Blocks, name)
		}
	}
	var indices map[string]struct{ Settings map[string]any }
	err := c.Do(ctx, wire.Request{Op: "read settings", Out: &indices, Call: wire.Plain(esapi.IndicesGetSettingsRequest{
		Index: []string{c.cfg.Index + "-*"}, Name: []string{"index.blocks.*"}, FlatSettings: new(true),
	})})
	for _, index := range slices.Sorted(maps.Keys(indices)) {
		for _, name := range slices.Sorted(maps.Keys(indices[index].Settings)) {
			if fmt.Sprint(indices[index].Settings[name]) == "true" {
				x.Blocks = append(x.Blocks, index+": "+name)
			}
		}
	}
	return err
}

// clusterSettings returns the settings of the cluster: what was set for now, else for good, else the defaults.
func (c *conn) clusterSettings(ctx context.Context) (map[string]string, error) {
	var levels map[string]map[string]any
	err := c.Do(ctx, wire.Request{Op: "read cluster settings", Call: wire.Plain(esapi.ClusterGetSettingsRequest{FlatSettings: new(true), IncludeDefaults: new(true)}), Out: &levels})
	settings := map[string]string{}
	for _, level := range []string{"defaults", "persistent", "transient"} {
		for name, value := range levels[level] {
			settings[name] = fmt.Sprint(value)
		}
	}
	return settings, err
}

// examineDisks finds the use of the disks and the watermarks. A node above the first gets no new shards, above the second it
// loses shards, and above the third it refuses writes.
func (c *conn) examineDisks(ctx context.Context, x *Condition, settings map[string]string) error {
	var nodes []struct {
		Node    string
		Percent string `json:"disk.percent"`
	}
	if err := c.Do(ctx, wire.Request{Op: "read disks", Call: wire.Plain(esapi.CatAllocationRequest{Format: "json", H: []string{"node", "disk.percent"}}), Out: &nodes}); err != nil {
		return err
	}
	var marks []string
	for _, level := range []string{"low", "high", "flood_stage"} {
		if mark := settings["cluster.routing.allocation.disk.watermark."+level]; mark != "" {
			marks = append(marks, mark)
		}
	}
	low := 0
	if len(marks) > 0 {
		if percent, ok := strings.CutSuffix(marks[0], "%"); ok {
			low, _ = strconv.Atoi(percent)
		}
	}
	for _, n := range nodes {
		if percent, err := strconv.Atoi(n.Percent); err == nil { // the row of unassigned shards has no percentage
			x.Disks = append(x.Disks, Disk{n.Node, percent, low, strings.Join(marks, ", ")})
		}
	}
	return nil
}

// examinePrivileges asks Elasticsearch which privileges of a writer the user lacks. A server without security, and OpenSearch, do
// not have this request.
func (c *conn) examinePrivileges(ctx context.Context, x *Condition) error {
	pattern := c.cfg.Index + "-*"
	body, err := json.Marshal(object{
		"cluster": writerPrivileges["cluster"],
		"index":   []object{{"names": []string{pattern}, "privileges": writerPrivileges["index"]}},
	})
	if err != nil {
		return err
	}
	var answer struct {
		Cluster map[string]bool
		Index   map[string]map[string]bool
	}
	err = c.Do(ctx, wire.Request{Op: "read privileges", Body: body, Out: &answer, Call: func(body io.Reader) esapi.Request {
		return esapi.SecurityHasPrivilegesRequest{Body: body}
	}})
	if slices.Contains([]int{http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed}, wire.Status(err)) {
		x.Unlisted = true
		return nil
	}
	if err != nil {
		return err
	}
	for _, name := range writerPrivileges["cluster"] {
		if !answer.Cluster[name] {
			x.Missing = append(x.Missing, name+" (cluster)")
		}
	}
	for _, name := range writerPrivileges["index"] {
		if !answer.Index[pattern][name] {
			x.Missing = append(x.Missing, name)
		}
	}
	return nil
}

// shardBytes is the planned maximum size of a shard. Elasticsearch recommends 10 to 50 GB,
// because a shard is moved and merged as a whole.
const shardBytes = 30 << 30

// perText has the measured size of a part in bytes for each byte of text
// (docs/ELASTICSEARCH.md).
var perText = map[string]float64{textsPart: 0.6, pairsPart: 1.7}

// perTextGrams is that of the n-grams of each length: 18 bytes for a word of 6.3 bytes.
const perTextGrams = 2.9

// mostShards limits the shards of a part, for a mistyped number.
const mostShards = 1024

// shards returns the number of shards for a new part.
func (c Config) shards(part string) int {
	if c.Shards > 0 || part == documentsPart {
		return max(c.Shards, 1)
	}
	factor, ok := perText[part]
	if !ok {
		factor = perTextGrams
	}
	return min(1+int(factor*float64(c.Expect)/shardBytes), mostShards)
}

// split returns the smallest number of shards, at least wanted, that the server can split
// an index into: any number from one shard, otherwise a power of two times have.
func split(have, wanted int) int {
	if have == 1 {
		return max(wanted, 1)
	}
	for have < wanted {
		have *= 2
	}
	return have
}

// Resharding is the effect of [Store.Reshard] on one part.
type Resharding struct {
	part        string
	Index       string // name of the alias
	Before, Now int    // shards
}

// String returns r for people.
func (r Resharding) String() string {
	return fmt.Sprintf("%s: %d shards, were %d", r.Index, r.Now, r.Before)
}

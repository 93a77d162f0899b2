package esclient

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"github.com/otisk/otisk/esclient/wire"
	"github.com/otisk/otisk/store"
)

func (v *view) Info(ctx context.Context) (store.Info, error) {
	info := store.Info{
		Kind: "elasticsearch", Name: cmp.Or(v.c.cfg.Name, v.names.base), Where: v.c.Where() + " " + v.names.base, Format: layoutVersion,
		Changed: v.changed, Bases: slices.Clone(v.bases), Details: map[string]string{"commit": strconv.FormatInt(v.epoch, 10)},
	}
	s, err := v.sums(ctx)
	if err == nil {
		info.Documents, info.TextBytes, info.KeptBytes = s.Documents, s.Text, s.Kept
		info.Sizes, info.Pairs = slices.Clone(s.Sizes), s.Pairs
	}
	return info, err
}

// sums returns the totals of the documents of v. They are from the head, or, before the
// first commit and for a part of the documents, added up by the server.
func (v *view) sums(ctx context.Context) (sums, error) {
	v.mu.Lock()
	known := v.summed
	v.mu.Unlock()
	if known != nil && known.Epoch == v.epoch {
		return *known, v.damage
	}
	s, err := v.sumUp(ctx)
	if err == nil {
		v.mu.Lock()
		v.summed = &s
		v.mu.Unlock()
	}
	return s, err
}

func (v *view) Measure(ctx context.Context, info *store.Info) error {
	info.Details["server"] = v.c.Product(ctx)
	for i := range info.Sizes {
		bytes, err := v.c.storeBytes(ctx, v.names.concrete(gramsPart(info.Sizes[i].N)))
		if err != nil {
			return err
		}
		info.Sizes[i].Bytes = bytes
	}
	if slices.Contains(v.sizes, pairsN) {
		bytes, err := v.c.storeBytes(ctx, v.names.concrete(pairsPart))
		if err != nil {
			return err
		}
		info.Pairs.Bytes = bytes
	}
	return v.clusterDetails(ctx, info.Details)
}

func (v *view) sumUp(ctx context.Context) (s sums, err error) {
	aggs := v.sumAggregations()
	aggs["about"] = object{"terms": object{"field": "about", "size": v.c.limits().mostAbout}}
	for _, part := range partsOf(v.sizes)[1:] {
		aggs[part] = object{"sum": object{"field": unitsField(part)}}
	}
	query := object{"query": v.live(), "size": 0, "track_total_hits": true, "aggs": aggs}
	f, err := find[entrySource](ctx, v, "sum up index", documentsPart, query)
	if err != nil {
		return s, err
	}
	s = v.summedUp(f.Hits.Total.Value, f.Aggregations)
	s.Units = map[string]int64{}
	for _, part := range partsOf(v.sizes)[1:] {
		s.Units[part] = int64(f.Aggregations[part].Value)
	}
	if about := f.Aggregations["about"]; about.Others == 0 {
		s.About = map[string]int64{}
		for _, b := range about.Buckets {
			s.About[b.Key] = b.Count
		}
	}
	return s, nil
}

// sumAggregations returns the aggregations of a search that add up the entries it finds.
func (v *view) sumAggregations() object {
	sum := func(field string) object { return object{"sum": object{"field": field}} }
	aggs := object{"text": sum("text"), "kept": sum("kept")}
	for _, n := range v.sizes {
		field := "grams." + gramsField(n)
		aggs["grams"+gramsField(n)] = sum(field)
		aggs["docs"+gramsField(n)] = object{"value_count": object{"field": field}}
	}
	return aggs
}

func (v *view) summedUp(documents int64, aggregations map[string]aggregate) sums {
	value := func(name string) int64 { return int64(aggregations[name].Value) }
	s := sums{Epoch: v.epoch, Documents: documents, Text: value("text"), Kept: value("kept")}
	for _, n := range v.sizes {
		size := store.SizeInfo{N: n, Documents: value("docs" + gramsField(n)), Grams: value("grams" + gramsField(n))}
		if n == pairsN {
			s.Pairs = store.PairInfo{Documents: size.Documents, Pairs: size.Grams}
		} else if size.Documents > 0 {
			s.Sizes = append(s.Sizes, size)
		}
	}
	return s
}

// storeBytes returns the size of an index on disk in bytes, without replicas.
func (c *conn) storeBytes(ctx context.Context, index string) (int64, error) {
	var a struct {
		All struct {
			Primaries struct {
				Store struct {
					Size int64 `json:"size_in_bytes"`
				} `json:"store"`
			} `json:"primaries"`
		} `json:"_all"`
	}
	err := c.Do(ctx, wire.Request{Op: "sum up index", Call: wire.Plain(esapi.IndicesStatsRequest{Index: []string{index}, Metric: []string{"store"}}), Out: &a})
	return a.All.Primaries.Store.Size, err
}

// clusterDetails adds name, health, nodes and shards of the cluster to details, unless the
// user lacks the privilege.
func (v *view) clusterDetails(ctx context.Context, details map[string]string) error {
	var all clusterHealth
	for part := range slices.Chunk(v.names.all(v.sizes), addressed) {
		var some clusterHealth
		err := v.c.Do(ctx, wire.Request{Op: "sum up index", Call: wire.Plain(esapi.ClusterHealthRequest{Index: part}), Out: &some})
		if wire.Status(err) == http.StatusForbidden {
			return nil
		}
		if err != nil {
			return err
		}
		all.add(some)
	}
	details["cluster"], details["health"] = all.Cluster, all.Status
	details["nodes"] = strconv.Itoa(all.Nodes)
	details["shards"] = fmt.Sprintf("%d, with copies %d, not assigned %d", all.Shards, all.Active, all.Unassigned)
	return nil
}

// Health returns the product and version of the server of a cluster, and its health: green, yellow or
// red, or "" if the user lacks the privilege.
func Health(ctx context.Context, cfg wire.Config) (server, health string, err error) {
	c, err := wire.Connect(ctx, cfg)
	if err != nil {
		return "", "", err
	}
	health, err = healthOf(ctx, c)
	if wire.Status(err) == http.StatusForbidden {
		err = nil
	}
	return c.Product(ctx), health, err
}

func healthOf(ctx context.Context, c *wire.Conn) (string, error) {
	var all clusterHealth
	err := c.Do(ctx, wire.Request{Op: "read health", Call: wire.Plain(esapi.ClusterHealthRequest{}), Out: &all})
	return all.Status, err
}

type clusterHealth struct {
	Cluster    string `json:"cluster_name"`
	Status     string `json:"status"`
	Nodes      int    `json:"number_of_data_nodes"`
	Shards     int    `json:"active_primary_shards"`
	Active     int    `json:"active_shards"`
	Unassigned int    `json:"unassigned_shards"`
}

func (h *clusterHealth) Whole() bool { return h.Status != "" }

// add adds the health of other indices to h. The status is the worse of both.
func (h *clusterHealth) add(other clusterHealth) {
	levels := []string{"", "green", "yellow", "red"}
	if slices.Index(levels, other.Status) > slices.Index(levels, h.Status) {
		h.Status = other.Status
	}
	h.Cluster, h.Nodes = other.Cluster, other.Nodes
	h.Shards, h.Active, h.Unassigned = h.Shards+other.Shards, h.Active+other.Active, h.Unassigned+other.Unassigned
}

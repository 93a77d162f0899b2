package esclient

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"github.com/otisk/otisk/store"
)

// Info sums up the index and the cluster it is on.
func (v *view) Info(ctx context.Context) (store.Info, error) {
	info := store.Info{
		Kind: "elasticsearch", Name: v.names.base, Where: v.c.where + " " + v.names.base, Format: layoutVersion,
		Changed: v.changed,
		Details: map[string]string{"server": v.c.product()}, Bases: slices.Clone(v.bases),
	}
	if err := v.sums(ctx, &info); err != nil {
		return info, err
	}
	for i := range info.Sizes {
		bytes, err := v.c.storeBytes(ctx, v.names.concrete(gramsPart(info.Sizes[i].N)))
		if err != nil {
			return info, err
		}
		info.Sizes[i].Bytes = bytes
	}
	if slices.Contains(v.sizes, pairsN) {
		bytes, err := v.c.storeBytes(ctx, v.names.concrete(pairsPart))
		if err != nil {
			return info, err
		}
		info.Pairs.Bytes = bytes
	}
	return info, v.clusterDetails(ctx, info.Details)
}

// sums has the server add up the catalogue.
func (v *view) sums(ctx context.Context, info *store.Info) error {
	sum := func(field string) object { return object{"sum": object{"field": field}} }
	aggs := object{"text": sum("text"), "kept": sum("kept")}
	for _, n := range v.sizes {
		field := "grams." + gramsField(n)
		aggs["grams"+gramsField(n)] = sum(field)
		aggs["docs"+gramsField(n)] = object{"value_count": object{"field": field}}
	}
	query := object{"query": v.live(), "size": 0, "track_total_hits": true, "aggs": aggs}
	f, err := find[entrySource](ctx, v, "sum up index", documentsPart, query)
	if err != nil {
		return err
	}
	value := func(name string) int64 { return int64(f.Aggregations[name].Value) }
	info.Documents, info.TextBytes, info.KeptBytes = f.Hits.Total.Value, value("text"), value("kept")
	for _, n := range v.sizes {
		s := store.SizeInfo{N: n, Documents: value("docs" + gramsField(n)), Grams: value("grams" + gramsField(n))}
		if n == pairsN {
			info.Pairs = store.PairInfo{Documents: s.Documents, Pairs: s.Grams}
		} else if s.Documents > 0 {
			info.Sizes = append(info.Sizes, s)
		}
	}
	return nil
}

// storeBytes returns the size of an index on disk, without its copies.
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
	err := c.do(ctx, request{op: "sum up index", call: plain(esapi.IndicesStatsRequest{Index: []string{index}, Metric: []string{"store"}}), out: &a})
	return a.All.Primaries.Store.Size, err
}

// clusterDetails adds what people want to know of the cluster. A user who may
// not know it does without.
func (v *view) clusterDetails(ctx context.Context, details map[string]string) error {
	var health struct {
		Cluster    string `json:"cluster_name"`
		Status     string `json:"status"`
		Nodes      int    `json:"number_of_data_nodes"`
		Shards     int    `json:"active_primary_shards"`
		Active     int    `json:"active_shards"`
		Unassigned int    `json:"unassigned_shards"`
	}
	err := v.c.do(ctx, request{op: "sum up index", call: plain(esapi.ClusterHealthRequest{Index: []string{v.names.documents()}}), out: &health})
	if status(err) == http.StatusForbidden {
		return nil
	}
	if err != nil {
		return err
	}
	details["cluster"], details["health"] = health.Cluster, health.Status
	details["nodes"] = strconv.Itoa(health.Nodes)
	details["shards"] = fmt.Sprintf("%d, with copies %d, not assigned %d", health.Shards, health.Active, health.Unassigned)
	details["commit"] = strconv.FormatInt(v.epoch, 10)
	return nil
}

package esclient

import "fmt"

// shardBytes is what a shard should have at most. Elasticsearch recommends 10 to
// 50 GB: a shard is what a node moves, and what is merged, as a whole.
const shardBytes = 30 << 30

// perText is how many bytes a part takes for each byte of text, measured
// (docs/ELASTICSEARCH.md).
var perText = map[string]float64{textsPart: 0.6, pairsPart: 1.7}

// perTextGrams is that of the n-grams of any length: 18 bytes a word of 6.3.
const perTextGrams = 2.9

// mostShards is more than anybody needs: a petabyte.
const mostShards = 1024

// shards returns how many shards the index of a part has when it is made.
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

// split returns the number of shards next to wanted that an index of so many can
// be split into: one into any number, others again and again into halves.
func split(have, wanted int) int {
	if have == 1 {
		return max(wanted, 1)
	}
	for have < wanted {
		have *= 2
	}
	return have
}

// Resharding says what [Store.Reshard] did to an index.
type Resharding struct {
	part        string
	Index       string
	Before, Now int // shards
}

// String returns it for people.
func (r Resharding) String() string {
	return fmt.Sprintf("%s: %d shards, were %d", r.Index, r.Now, r.Before)
}

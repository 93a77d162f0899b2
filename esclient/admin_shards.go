package esclient

import "fmt"

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

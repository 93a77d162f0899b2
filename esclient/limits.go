package esclient

import (
	"cmp"
	"time"
)

// Limits are sizes and intervals that only tests change.
type limits struct {
	settleAt    int           // changes, of about 1 kB, that a transaction holds in memory: see Store.settle
	entriesPage int           // entries, of about 1 kB, in one answer
	blockPage   int           // blocks of n-grams in one answer: 10 MB of JSON
	gramsPage   int           // blocks of one document in one answer
	nearPage    int           // blocks with near pairs that one search of several names
	nearAll     int           // blocks up to which all blocks of documents are read, and not searched: 3 MB
	nearTerms   int           // words and scores in one search of several; the least limit of a server is 1,024 clauses
	beatEvery   time.Duration // heartbeat of the lease

	mostAbout  int   // values of the field about that the head lists
	mostValues int   // values of a name that are compared with a condition
	mostListed int64 // documents of a part that are listed when the part is created
	mostPicked int64 // the same if they are a small share of all
	fewOf      int64 // a small share is one in fewOf
}

var defaultLimits = limits{
	settleAt: 2000, entriesPage: 1000, blockPage: 4096, gramsPage: 1000, nearPage: 1000, nearAll: 1500, nearTerms: 1000, beatEvery: 10 * time.Second,
	mostAbout: 200, mostValues: 2000, mostListed: 2000, mostPicked: 10_000, fewOf: 8,
}

// limits returns the limits of c.
func (c *conn) limits() *limits {
	return cmp.Or(c.cfg.limits, &defaultLimits)
}

package esclient

import (
	"cmp"
	"context"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/otisk/otisk/esclient/wire"
	"github.com/otisk/otisk/lang/phrase"
)

// A Config names an index and the cluster that has it, and sets how the index is made.
// Only Index is required.
type Config struct {
	wire.Config
	Index  string // the names of all indices of the store begin with it
	Name   string // that reports call the index; Index if empty
	Memory int64  // bytes for buffers and look-ups; DefaultMemory if 0, at least 16 MB

	BulkLoad bool  // while the index is empty: no replicas and no refreshes until Close
	Shards   int   // of each part of a new index; if 0, chosen by Expect
	Expect   int64 // bytes of text that a new index is sized for; if 0 too, it has one shard
	Replicas int   // of a new index: if 0, one if there are enough nodes; if negative, none

	// Templates is called with the names of the templates of the cluster that apply to a new index. The settings
	// that the index depends on override theirs. It may be nil.
	Templates func(names string)

	limits *limits // nil for defaultLimits
}

// DefaultMemory is the default of [Config.Memory].
const DefaultMemory = 128 << 20

// writeRetries is how often a writer retries by default. That takes about 3 minutes: a
// killed node takes one or two to come back, and hours of work must not be lost to it.
const writeRetries = 30

// writing returns c with the default retries of a writer.
func (c Config) writing() Config {
	c.Retries = cmp.Or(c.Retries, writeRetries)
	return c
}

// resolved returns c with its defaults, or a [wire.ConfigError].
func (c Config) resolved() (Config, error) {
	if err := CheckName(c.Index); err != nil {
		return c, wire.ConfigError{Err: err}
	}
	var err error
	if c.Config, err = c.Config.Resolved(); err != nil {
		return c, err
	}
	if c.Memory <= 0 {
		c.Memory = DefaultMemory
	}
	c.Memory = max(c.Memory, 16<<20)
	return c, nil
}

// CheckName returns an error for a name of an index that Elasticsearch would reject.
func CheckName(name string) error {
	var why *phrase.Phrase
	switch {
	case name == "":
		why = phrase.Error("cluster.name-empty", "is empty")
	case len(name) > 200:
		why = phrase.Error("cluster.name-long", "is longer than 200 bytes")
	case !utf8.ValidString(name):
		why = phrase.Error("cluster.name-utf8", "is not UTF-8")
	case name != strings.ToLower(name):
		why = phrase.Error("cluster.name-upper", "has an upper-case letter")
	case strings.ContainsAny(name, "\\/*?\"<>| ,#:%\n\t"):
		why = phrase.Error("cluster.name-signs", "has one of {signs} or a blank", "signs", `\ / * ? " < > | , # : %`)
	case strings.ContainsAny(name[:1], "-_+."):
		why = phrase.Error("cluster.name-begins", "begins with - _ + or .")
	default:
		return nil
	}
	return phrase.Error("cluster.index-name", "use index name {name}: it {problem}", "name", strconv.Quote(name), "problem", why)
}

type conn struct {
	*wire.Conn
	cfg Config // resolved
}

// connect returns a connection to the cluster of cfg after a supported server has
// answered.
func connect(ctx context.Context, cfg Config) (*conn, error) {
	cfg, err := cfg.resolved()
	if err != nil {
		return nil, err
	}
	c, err := wire.Connect(ctx, cfg.Config)
	if err != nil {
		return nil, err
	}
	return &conn{c, cfg}, nil
}

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

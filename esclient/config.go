package esclient

import (
	"cmp"
	"context"
	"strconv"
	"strings"
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

// Package indexes opens the indexes of the collections of otisk serve, each in a folder or in an
// Elasticsearch cluster.
package indexes

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/otisk/otisk/esclient"
	"github.com/otisk/otisk/esclient/wire"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/segment"
)

// A Place is where the index of a collection is.
type Place struct {
	ID     string `json:"id"`               // of the collection, and the name of its folder
	Index  string `json:"index,omitempty"`  // name in the cluster, "" for a folder
	Filled bool   `json:"filled,omitempty"` // the collection has documents, so it has an index
}

// InCluster reports whether the index is in the cluster.
func (p Place) InCluster() bool { return p.Index != "" }

// Errors whose cause is not in the documents of a collection.
var (
	// ErrMissing means that a collection with documents has no index: its folder is gone or not
	// mounted, or the server uses a different cluster.
	ErrMissing error = phrase.Error("serve.index-missing", "the index of a collection is missing on the server")
	// ErrAway means that the cluster does not answer, or cannot do a request at the moment.
	ErrAway error = phrase.Error("serve.cluster-away", "the cluster with the collections is not available")
)

// Explain returns the error of using the index at p. A missing index is store.ErrNoIndex for a
// collection that nothing was added to yet, and ErrMissing otherwise. An error of the cluster is
// ErrAway.
func Explain(p Place, err error) error {
	switch {
	case p.Filled && errors.Is(err, store.ErrNoIndex):
		return fmt.Errorf("%w: %v", ErrMissing, err)
	case errors.Is(err, ErrAway):
	case errors.Is(err, wire.ErrServer) && !errors.Is(err, store.ErrRefused), errors.Is(err, esclient.ErrStale):
		return fmt.Errorf("%w: %w", ErrAway, err)
	}
	return err
}

// An Opener opens collections.
type Opener struct {
	dir     string           // with the folders of collections
	cluster *esclient.Config // its Index begins the names of new indexes; nil if there is no cluster
	probe   probe
}

// requestTries is how often a request to the cluster is sent again.
const requestTries = 3

// New returns an opener of the collections in the folder dir and in a cluster, which may be nil. New
// collections are in the cluster if there is one; the Index of its configuration begins the names of
// their indexes.
func New(dir string, cluster *esclient.Config) (*Opener, error) {
	o := &Opener{dir: dir}
	if cluster == nil {
		return o, nil
	}
	if err := esclient.CheckName(cluster.Index); err != nil {
		return nil, wire.ConfigError{Err: err}
	}
	c := *cluster
	var err error
	if c.Config, err = c.Resolved(); err != nil {
		return nil, err
	}
	if c.Transport, err = wire.Network(c.Config); err != nil {
		return nil, err
	}
	c.Retries = requestTries
	o.cluster = &c
	return o, nil
}

// IndexName returns the name of the index of a new collection in the cluster, "" for one in a folder.
func (o *Opener) IndexName(id string) string {
	if o.cluster == nil {
		return ""
	}
	return o.cluster.Index + "-" + id
}

// Open opens the index at p for reading. For errors see [Explain].
func (o *Opener) Open(ctx context.Context, p Place) (store.Reader, error) {
	r, err := o.open(ctx, p)
	return r, Explain(p, err)
}

func (o *Opener) open(ctx context.Context, p Place) (store.Reader, error) {
	if !p.InCluster() {
		return segment.Open(filepath.Join(o.dir, p.ID))
	}
	if err := o.Ready(ctx, p); err != nil {
		return nil, err
	}
	return esclient.Open(ctx, o.config(p))
}

func (o *Opener) config(p Place) esclient.Config {
	c := *o.cluster
	c.Index, c.Name = p.Index, p.ID
	return c
}

// Ready returns an error wrapping ErrAway if one of the places is in a cluster that does not answer.
// The last answer counts for some seconds.
func (o *Opener) Ready(ctx context.Context, places ...Place) error {
	if !slices.ContainsFunc(places, Place.InCluster) {
		return nil
	}
	c := o.Cluster(ctx)
	if c == nil {
		return fmt.Errorf("%w: the server was started without --cluster", ErrAway)
	}
	return c.Err
}

// Delete deletes the index at p, if there is one.
func (o *Opener) Delete(ctx context.Context, p Place) error {
	if !p.InCluster() {
		return os.RemoveAll(filepath.Join(o.dir, p.ID))
	}
	if err := o.Ready(ctx, p); err != nil {
		return err
	}
	return Explain(p, esclient.Remove(ctx, o.config(p)))
}

// A Cluster is the state of the cluster with the collections of a server.
type Cluster struct {
	Where  string `json:"where" doc:"addresses"`
	Server string `json:"server,omitempty" doc:"product and version"`
	Health string `json:"health,omitempty" doc:"green, yellow or red"`
	Err    error  `json:"-"` // wraps ErrAway; nil if the cluster answers
	Cause  string `json:"cause,omitempty" doc:"why the cluster is not available"`
}

// Times of a probe of the cluster.
const (
	probeTime  = 3 * time.Second // limit of a request
	probeValid = 5 * time.Second // how long an answer counts
	probeAgain = time.Second     // how long none counts
)

// A probe keeps the last state of a cluster, so that pages, jobs and monitors do not each wait for
// one that does not answer.
type probe struct {
	mu    sync.Mutex
	last  *Cluster
	until time.Time
}

// Cluster returns the state of the cluster, at most some seconds old, or nil if there is none.
func (o *Opener) Cluster(ctx context.Context) *Cluster {
	if o.cluster == nil {
		return nil
	}
	o.probe.mu.Lock()
	defer o.probe.mu.Unlock()
	if time.Now().After(o.probe.until) {
		o.probe.last = o.ask(context.WithoutCancel(ctx))
		valid := probeValid
		if o.probe.last.Err != nil {
			valid = probeAgain
		}
		o.probe.until = time.Now().Add(valid)
	}
	return o.probe.last
}

func (o *Opener) ask(ctx context.Context) *Cluster {
	cfg := o.cluster.Config
	cfg.Retries, cfg.Timeout = requestTries, probeTime
	c := &Cluster{Where: strings.Join(cfg.Hosts, " ")}
	if cfg.CloudID != "" {
		c.Where, _, _ = strings.Cut(cfg.CloudID, ":")
	}
	var err error
	if c.Server, c.Health, err = esclient.Health(ctx, cfg); err != nil {
		c.Err, c.Cause = fmt.Errorf("%w: %w", ErrAway, err), err.Error()
	}
	return c
}

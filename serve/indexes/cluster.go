package indexes

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/otisk/otisk/esclient"
)

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

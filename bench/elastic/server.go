package main

import (
	"context"
	"flag"
	"fmt"

	"github.com/otisk/otisk/internal/esnode"
)

// A serverChoice says what is measured: the server, and its heap.
type serverChoice struct{ name, heap *string }

// serverFlags has flags say it.
func serverFlags(flags *flag.FlagSet, name, heap string) *serverChoice {
	return &serverChoice{
		flags.String("server", name, "elasticsearch8, elasticsearch9 or opensearch3"),
		flags.String("heap", heap, "heap of each node"),
	}
}

// start starts a cluster of so many nodes, compiled as servers are that work for long.
func (c *serverChoice) start(ctx context.Context, nodes int) (*esnode.Cluster, error) {
	servers := map[string]esnode.Server{
		"elasticsearch8": esnode.Elasticsearch8, "elasticsearch9": esnode.Elasticsearch9, "opensearch3": esnode.OpenSearch3,
	}
	s, ok := servers[*c.name]
	if !ok {
		return nil, fmt.Errorf("unknown server %q", *c.name)
	}
	return esnode.Start(ctx, s, esnode.Options{Nodes: nodes, Heap: *c.heap, Optimise: true})
}

package main

import (
	"context"
	"flag"
	"fmt"
	"strings"

	"github.com/otisk/otisk/internal/esnode"
)

// runServe starts a cluster, prints its addresses, and keeps it until it is
// interrupted: something to point the commands at.
func runServe(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("serve", flag.ContinueOnError)
	nodes := flags.Int("nodes", 1, "nodes of the cluster")
	heap := flags.String("heap", "2g", "heap of each node")
	server := flags.String("server", "elasticsearch9", serverNames)
	if err := flags.Parse(args); err != nil {
		return err
	}
	s, err := serverOf(*server)
	if err != nil {
		return err
	}
	cluster, err := esnode.Start(ctx, s, esnode.Options{Nodes: *nodes, Heap: *heap, Optimise: true})
	if err != nil {
		return err
	}
	fmt.Println(strings.Join(cluster.URLs(), " "))
	<-ctx.Done()
	return cluster.Close()
}

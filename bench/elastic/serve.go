package main

import (
	"context"
	"flag"
	"fmt"
	"strings"
)

// runServe starts a cluster, prints its addresses, and keeps it until it is
// interrupted: something to point the commands at.
func runServe(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("serve", flag.ContinueOnError)
	nodes := flags.Int("nodes", 1, "nodes of the cluster")
	wanted := serverFlags(flags, "elasticsearch9", "2g")
	if err := flags.Parse(args); err != nil {
		return err
	}
	cluster, err := wanted.start(ctx, *nodes)
	if err != nil {
		return err
	}
	fmt.Println(strings.Join(cluster.URLs(), " "))
	<-ctx.Done()
	return cluster.Close()
}

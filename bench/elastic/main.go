// Command elastic starts a cluster of Elasticsearch or OpenSearch on this
// machine, prints the addresses of its nodes, and stops it when interrupted.
// It needs Java and Maven.
//
//	go run ./bench/elastic -nodes 3
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"

	"github.com/otisk/otisk/internal/testing/esnode"
)

var servers = map[string]esnode.Server{
	"elasticsearch8": esnode.Elasticsearch8, "elasticsearch9": esnode.Elasticsearch9, "opensearch3": esnode.OpenSearch3,
}

func main() {
	nodes := flag.Int("nodes", 1, "number of nodes")
	server := flag.String("server", "elasticsearch9", "elasticsearch8, elasticsearch9 or opensearch3")
	heap := flag.String("heap", "2g", "heap of each node, in the syntax of Java")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := serve(ctx, *server, esnode.Options{Nodes: *nodes, Heap: *heap, Optimise: true}); err != nil {
		fmt.Fprintf(os.Stderr, "elastic: error: %v\n", err)
		os.Exit(1)
	}
}

// serve runs a cluster until ctx ends.
func serve(ctx context.Context, server string, o esnode.Options) error {
	s, ok := servers[server]
	if !ok {
		return fmt.Errorf("unknown server %q", server)
	}
	cluster, err := esnode.Start(ctx, s, o)
	if err != nil {
		return err
	}
	fmt.Println(strings.Join(cluster.URLs(), " "))
	<-ctx.Done()
	return cluster.Close()
}

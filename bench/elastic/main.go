// Command elastic starts a cluster of Elasticsearch or OpenSearch on this
// machine. It needs Java and Maven.
//
//	go run ./bench/elastic [-server elasticsearch9] [-nodes 3]
//
// prints the addresses of the nodes, and stops them when interrupted.
//
//	go run ./bench/elastic -otisk ./otisk -dir DIR -host FILE FOLDER...
//
// compares an index in a cluster with one in a folder. It adds the plain texts
// of one folder after another to both, and after each checks a text, composed of
// the file -host and ten stretches of 500 words of the first folder, against
// both. It prints the costs of each step, and fails if the reports differ.
//
//	go run ./bench/elastic -otisk ./otisk -dir DIR -host FILE -words 15000000,45000000 FOLDER FOLDER...
//
// does that with the texts of the first folder and documents composed of short altered
// stretches of the others, until the collection has each of these numbers of words.
//
//	go run ./bench/elastic -tail -otisk ./otisk -dir DIR -host FILE FOLDER
//
// checks against an index of eight shards on two nodes, of which the second is slow, busy or away.
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
	c := comparison{}
	flag.StringVar(&c.program, "otisk", "./otisk", "`program` to measure")
	flag.StringVar(&c.dir, "dir", "", "`folder` for the index and the reports; must not exist")
	flag.StringVar(&c.host, "host", "", "plain `file` that receives the copied stretches")
	flag.StringVar(&c.given, "suspect", "", "`file` to check as well, for example a natural text")
	tail := flag.Bool("tail", false, "check while the second of two nodes is slow, busy or away")
	flag.StringVar(&c.flags, "flags", "", "`flags` of each check, separated by blanks")
	flag.IntVar(&c.runs, "runs", 10, "runs of each check, the first of which warm up the server; the minimum counts")
	words := flag.String("words", "", "`numbers` of words, separated by commas, that the collection has after each step")
	flag.BoolVar(&c.plain, "plain", false, "finally index the first folder without and with pairs of words again")
	flag.Parse()
	c.words = strings.FieldsFunc(*words, func(r rune) bool { return r == ',' })
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	start := run
	if *tail {
		start = runTail
	}
	if err := start(ctx, *server, esnode.Options{Nodes: *nodes, Heap: *heap, Optimise: true}, c, flag.Args()); err != nil {
		fmt.Fprintf(os.Stderr, "elastic: error: %v\n", err)
		os.Exit(1)
	}
}

// run starts a cluster, and compares an index in it with a folder if there are
// folders, or waits until ctx ends.
func run(ctx context.Context, server string, o esnode.Options, c comparison, folders []string) (err error) {
	s, ok := servers[server]
	if !ok {
		return fmt.Errorf("unknown server %q", server)
	}
	if c.cluster, err = esnode.Start(ctx, s, o); err != nil {
		return err
	}
	if len(folders) > 0 {
		err = c.compare(ctx, os.Stdout, folders)
	} else {
		fmt.Println(strings.Join(c.cluster.URLs(), " "))
		<-ctx.Done()
	}
	if closed := c.cluster.Close(); err == nil {
		err = closed
	}
	return err
}

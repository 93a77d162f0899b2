// Elastic measures Otisk on Elasticsearch: which layout of the index is best,
// and what the one that was chosen reaches.
//
// It starts its own server out of Maven artifacts, and prints Markdown tables;
// docs/ELASTICSEARCH.md has them with the machine they were measured on.
//
//	go run ./bench/elastic layouts -grams 5000000 -blocks 128,256,512,1024
//	go run ./bench/elastic store -grams 5000000,40000000
//	go run ./bench/elastic answers -corpus DIR
//	go run ./bench/elastic in -documents 20000
//	go run ./bench/elastic neuromancer -grams 500000
//	go run ./bench/elastic serve -nodes 3
//
// The last one only runs a cluster, to try the commands on.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "elastic: error: %v\n", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	commands := map[string]func(context.Context, []string) error{
		"layouts": runLayouts, "store": runStore, "answers": runAnswers, "in": runIn, "neuromancer": runNeuromancer, "serve": runServe,
	}
	if len(args) == 0 || commands[args[0]] == nil {
		return fmt.Errorf("name one of the benchmarks: layouts, store, answers, in, neuromancer, serve")
	}
	return commands[args[0]](ctx, args[1:])
}

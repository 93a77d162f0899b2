// Pan measures how well copied passages are found, on a corpus laid out like
// the training corpus for text alignment of PAN 2013:
//
//	src/NAME.txt         sources
//	susp/NAME.txt        suspects
//	PART/pairs           a suspect and a source on each line, for each part
//	PART/SUSPECT-SOURCE.xml  the true passages of the pair, offsets in code points
//
// "pan compare" aligns the listed pairs, "pan search" finds the sources by an index,
// "pan changed" checks changed texts, "pan keys" compares kinds of index keys, and
// "pan score" scores detections of any program.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// commands are the subcommands.
var commands = []struct {
	name, purpose string
	run           func(ctx context.Context, args []string, stdout io.Writer) error
}{
	{"changed", "check suspects again after repeating, cutting or extending their texts", runChanged},
	{"compare", "align the listed pairs of each part", runCompare},
	{"keys", "compare kinds of index keys by the sources that they find", runKeys},
	{"score", "score detections in PAN files", runScore},
	{"search", "check suspects against an index of all sources", runSearch},
}

// run executes one command line and returns the exit status: 0 for success, 1
// for a failure, 2 for a misused command line.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	if len(args) > 0 {
		for _, c := range commands {
			if c.name != args[0] {
				continue
			}
			err := c.run(ctx, args[1:], stdout)
			if errors.Is(err, flag.ErrHelp) {
				return 0
			}
			if err != nil {
				fmt.Fprintf(stderr, "pan %s: error: %v\n", c.name, err)
				return 1
			}
			return 0
		}
	}
	fmt.Fprintln(stderr, "usage: pan COMMAND [flags], where COMMAND is one of")
	for _, c := range commands {
		fmt.Fprintf(stderr, "  %-8s %s\n", c.name, c.purpose)
	}
	return 2
}

// Innocent measures how many texts that copied nothing get a passage: answers to one question, and abstracts on one title.
//
//	innocent make -answers DIR -short DIR OUT           writes the sets
//	innocent measure [flags] COLLECTION SUSPECTS...     checks texts against a folder of others, and prints one row
//
// The texts are those of public repositories, which are no part of this one: Rokeer/aes (its folder data: answers of
// pupils to eight questions, without names) and Weixin-Liang/ChatGPT-Detector-Bias (its folder Data_and_Results).
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
	{"make", "write texts that copied nothing, and rewritten ones", runMake},
	{"measure", "check texts against a folder, and count those with passages and hints", runMeasure},
}

// run executes one command line and returns the exit status: 0 for success, 1 for a failure, 2 for a misused command line.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	for _, c := range commands {
		if len(args) == 0 || c.name != args[0] {
			continue
		}
		err := c.run(ctx, args[1:], stdout)
		if errors.Is(err, flag.ErrHelp) {
			return 0
		}
		if err != nil {
			fmt.Fprintf(stderr, "innocent %s: error: %v\n", c.name, err)
			return 1
		}
		return 0
	}
	fmt.Fprintln(stderr, "usage: innocent COMMAND [flags], where COMMAND is one of")
	for _, c := range commands {
		fmt.Fprintf(stderr, "  %-8s %s\n", c.name, c.purpose)
	}
	return 2
}

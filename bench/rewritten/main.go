// Rewritten measures how well passages are found that language models have rewritten, and hints to them.
//
//	rewritten make -polished DIR -mixset DIR CORPUS    plants rewritten passages
//	rewritten make -papers DIR CORPUS                  writes papers with paragraphs rewritten from another paper
//	rewritten measure CORPUS                           checks the suspects with the sources given, and from an index
//	rewritten pairs DIR...                             checks the pairs of texts in each folder, on one subject
//
// The texts are those of public repositories, which have no licence file, so they are no part of this
// one: ShoumikSaha/ai-polished-text (its folder data/polished_json), Dongping-Chen/MixSet (data/MixSet/separated_files), and
// pan-webis-de/pan-code (clef25/generated-plagiarism-detection/transform-dataset/sample_raw.zip, unpacked; a sample of PAN 2025).
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
	{"make", "plant rewritten passages among human ones", runMake},
	{"measure", "print recall, precision and plagdet of each part, of passages alone and with hints", runMeasure},
	{"pairs", "print the hints between texts that share nothing", runPairs},
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
			fmt.Fprintf(stderr, "rewritten %s: error: %v\n", c.name, err)
			return 1
		}
		return 0
	}
	fmt.Fprintln(stderr, "usage: rewritten COMMAND [flags], where COMMAND is one of")
	for _, c := range commands {
		fmt.Fprintf(stderr, "  %-8s %s\n", c.name, c.purpose)
	}
	return 2
}

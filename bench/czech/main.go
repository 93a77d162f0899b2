// Command czech makes a corpus of Czech texts with copied passages at known
// places, laid out as that of PAN 2013: see package novels.
//
//	go run ./bench/czech -out DIR [-seed N] [-suspects N]
//
// The sources are cut from the novels in samples/collection/czech; the suspects
// from those in testdata/czech, with passages of the sources put in. The same
// seed gives the same bytes. DIR must be new or empty.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/otisk/otisk/bench/novels"
)

func main() {
	out := flag.String("out", "", "`folder` to write, new or empty")
	seed := flag.Uint64("seed", 1, "of the generator")
	suspects := flag.Int("suspects", 40, "suspects of each kind")
	sources := flag.String("sources", "samples/collection/czech", "`folder` of novels to copy from")
	hosts := flag.String("hosts", "testdata/czech", "`folder` of novels to copy into")
	flag.Parse()
	if *out == "" || flag.NArg() > 0 || *suspects < 1 {
		flag.Usage()
		os.Exit(2)
	}
	if err := novels.Make(*out, *sources, *hosts, *seed, *suspects); err != nil {
		fmt.Fprintf(os.Stderr, "czech: error: %v\n", err)
		os.Exit(1)
	}
}

// Command czech makes a corpus of novels with copied passages at known places,
// laid out like PAN 2013: see package novels.
//
//	go run ./bench/czech -out DIR [-seed N] [-suspects N]
//	go run ./bench/czech -out DIR -sources FOLDER -hosts "" -synonyms ""
//
// By default, the sources are cut from the novels in samples/collection/czech,
// and the suspects from those in testdata/czech, with passages of the sources
// inserted. With a folder of other novels and no hosts, every fourth novel
// becomes a host; corpora of other languages are made in this way, for example
// from ELTeC (level1 of its repositories). The same seed gives the same bytes.
// DIR must be new or empty.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/otisk/otisk/bench/novels"
	"github.com/otisk/otisk/bench/plant"
)

func main() {
	out := flag.String("out", "", "`folder` to write, new or empty")
	synonyms := flag.String("synonyms", "bench/czech/synonyms.txt", "`file` with groups of synonyms, one a line, for heavy paraphrase; none if empty")
	var o novels.Options
	flag.Uint64Var(&o.Seed, "seed", 1, "seed of the random numbers")
	flag.IntVar(&o.Suspects, "suspects", 40, "suspects of each kind")
	flag.StringVar(&o.Sources, "sources", "samples/collection/czech", "`folder` of novels to copy from, .txt or TEI as .xml")
	flag.StringVar(&o.Hosts, "hosts", "testdata/czech", "`folder` of novels to copy into; if empty, every fourth novel of -sources")
	flag.Parse()
	if *out == "" || flag.NArg() > 0 || o.Suspects < 1 {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(*out, *synonyms, o); err != nil {
		fmt.Fprintf(os.Stderr, "czech: error: %v\n", err)
		os.Exit(1)
	}
}

func run(out, synonyms string, o novels.Options) (err error) {
	if synonyms != "" {
		if o.Synonyms, err = plant.ReadSynonyms(synonyms); err != nil {
			return err
		}
	}
	return novels.Make(out, o)
}

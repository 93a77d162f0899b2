// Command paraphrase makes a corpus of passages reworded by people, at known places, from
// two translations of one book, verse by verse.
//
//	go run ./bench/paraphrase -source FILE -copy FILE -hosts FOLDER -out DIR [-short]
//
// The files have the verses of a book each, as those in formats/txt of
// github.com/scrollmapper/bible_databases: a line "### Genesis", then "[1:1]" and
// the verse. The sources are cut from the first file. The suspects are stretches
// of the novels in the folder (.txt, or .xml of TEI) with passages of the second
// file inserted; the true source of each is the same verses in the first file. The
// output is laid out as the corpus of PAN 2013, for "pan compare" and "pan search".
//
// With -short, the texts are short: sources of 300 words, and suspects of about 40 words of
// a novel and 100 to 200 of the other translation.
//
// The translations are not part of this repository.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/otisk/otisk/bench/novels"
)

// options hold the flags.
type options struct {
	out, source, copy, hosts string
	seed                     uint64
	suspects                 int
	short                    bool
}

func main() {
	var o options
	flag.StringVar(&o.out, "out", "", "`folder` to write, new or empty")
	flag.StringVar(&o.source, "source", "", "`file` with the translation from which sources are cut")
	flag.StringVar(&o.copy, "copy", "", "`file` with the translation whose passages are inserted into suspects")
	flag.StringVar(&o.hosts, "hosts", "", "`folder` of novels that become suspects")
	flag.Uint64Var(&o.seed, "seed", 1, "seed of the random numbers")
	flag.IntVar(&o.suspects, "suspects", 40, "suspects of each kind")
	flag.BoolVar(&o.short, "short", false, "texts of 200 to 300 words")
	flag.Parse()
	if o.out == "" || o.source == "" || o.copy == "" || o.hosts == "" || flag.NArg() > 0 || o.suspects < 1 {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(o); err != nil {
		fmt.Fprintf(os.Stderr, "paraphrase: error: %v\n", err)
		os.Exit(1)
	}
}

func run(o options) error {
	source, err := readVerses(o.source)
	if err != nil {
		return err
	}
	other, err := readVerses(o.copy)
	if err != nil {
		return err
	}
	hosts, err := novels.Read(o.hosts)
	if err != nil {
		return err
	}
	s := novels.Set{Hosts: hosts, Sizes: novels.PAN(), Seed: o.seed, Suspects: o.suspects}
	sources := 3
	if o.short {
		s.Sizes = novels.Sizes{Source: 300, Host: 40, Passage: 100, PassageVariance: 100}
		sources = 1
	}
	pool := newPool(source, other, s.Sizes.Source)
	if len(pool.sources) < 2*sources {
		return fmt.Errorf("%s and %s have too few chapters with equal numbers of verses", o.source, o.copy)
	}
	s.Sources = pool.sources
	s.Kinds = []novels.Kind{
		{Folder: "01-no-plagiarism", Sources: sources, Together: 1},
		{Folder: "02-other-chapters", Copy: pool.reworded, Sources: sources, Together: 1, Beside: true},
		{Folder: "03-other-translation", Copy: pool.reworded, Sources: sources, Together: 1},
	}
	return s.Write(o.out)
}

// Command formats converts one Czech text to every format that Otisk reads, by different
// programs, and prints how much of each file is found in each other one.
//
//	go run ./bench/formats -out DIR [-text FILE] [-words N] [-n N] [-speed]
//	go run ./bench/formats -public DIR [-peers DIR] [-damaged N]
//
// The text is the start of a novel, with headings, footnotes and a quotation inserted at
// fixed places. Some files are written by this program; the others are made by pandoc,
// LibreOffice (soffice), LaTeX (pdflatex) and Chromium, if they are installed. DIR must be
// new or empty.
//
// The table has a row for each suspect and a column for each source: the share
// of the suspect's words that passages cover. Below it are the number of passages, and the
// number of those that join different places of the text. With -speed, a second table has
// the time of reading each file.
//
// With -public, the command reads files from other sources, with a folder for each kind. It
// prints the number of files, the errors, the words shared with the text that another
// program extracts, and the results of reading damaged copies.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
)

func main() {
	out := flag.String("out", "", "`folder` to write, new or empty")
	source := flag.String("text", "samples/collection/czech/cech-vylet-pana-broucka-do-mesice.txt", "`file` of the novel, UTF-8")
	words := flag.Int("words", 8000, "number of words of the novel")
	n := flag.Int("n", 7, "words per n-gram")
	fast := flag.Bool("speed", false, "also measure the time of reading each file")
	read := flag.String("read", "", "only read this `file`, to be measured")
	times := flag.Int("times", 1, "how many times, with -read")
	all := flag.Bool("all", false, "only read the given files, to be measured")
	files := flag.String("public", "", "measure the files in this `folder`, which has a folder for each kind")
	peers := flag.String("peers", "", "with -public: `folder` with the texts extracted by another program")
	copies := flag.Int("damaged", 0, "with -public: number of damaged copies of each kind to read")
	flag.Parse()
	if *all {
		fail(readAll(context.Background(), flag.Args()))
		return
	}
	if *files != "" {
		fail(public(context.Background(), os.Stdout, *files, *peers, *copies))
		return
	}
	if *read != "" {
		fail(readTimes(context.Background(), *read, *times))
		return
	}
	if *out == "" || flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	fail(run(context.Background(), *out, *source, *words, *n, *fast))
}

func fail(err error) {
	if err != nil {
		fmt.Fprintf(os.Stderr, "formats: error: %v\n", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out, source string, words, n int, fast bool) error {
	novel, err := os.ReadFile(source)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o777); err != nil {
		return err
	}
	left, err := os.ReadDir(out)
	if err != nil {
		return err
	}
	if len(left) > 0 {
		return fmt.Errorf("%s is not empty", out)
	}
	t := newText(string(novel), words)
	m := &maker{dir: out, text: t}
	if err := m.all(ctx); err != nil {
		return err
	}
	for _, missing := range m.missing {
		fmt.Println("not made:", missing)
	}
	if _, err := table(ctx, os.Stdout, m.files, t, n); err != nil || !fast {
		return err
	}
	fmt.Println()
	return speed(ctx, os.Stdout, m.files)
}

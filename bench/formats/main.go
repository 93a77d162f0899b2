// Command formats makes one Czech text into every format that Otisk reads, as
// different programs write them, and prints how much of each is found in each.
//
//	go run ./bench/formats -out DIR [-text FILE] [-words N] [-n N] [-speed]
//	go run ./bench/formats -public DIR [-peers DIR] [-damaged N]
//
// The text is the start of a novel, with headings, footnotes and a quotation
// put in at fixed places. What Go writes by itself is always made; pandoc,
// LibreOffice (soffice), LaTeX (pdflatex) and Chromium make the rest where they
// are installed. DIR must be new or empty.
//
// The table has a row for each suspect and a column for each source: the share
// of the suspect's words that passages cover. Below it is how many passages
// there are, and how many of them do not join the same place of the text. With
// -speed a second table says how long each file takes to be read.
//
// With -public, files that others wrote are read, those of each kind in a folder of their
// own: how many there are, what is wrong with those that are not read, how many words are
// shared with what another program finds in them, and what damaged copies of them do.
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
	words := flag.Int("words", 8000, "of the novel to take")
	n := flag.Int("n", 7, "words per n-gram")
	fast := flag.Bool("speed", false, "measure how fast each is read, too")
	read := flag.String("read", "", "only read this `file`, for the measuring")
	times := flag.Int("times", 1, "how many times, with -read")
	all := flag.Bool("all", false, "only read the files that are named, for the measuring")
	files := flag.String("public", "", "measure the files in this `folder`, which has one for each kind")
	peers := flag.String("peers", "", "`folder` of what another program took out of them, with -public")
	copies := flag.Int("damaged", 0, "damaged copies of each kind to read, with -public")
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

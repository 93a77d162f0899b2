// Command formats makes one Czech text into every format that Otisk reads, as
// different programs write them, and prints how much of each is found in each.
//
//	go run ./bench/formats -out DIR [-text FILE] [-words N] [-n N] [-speed]
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
	flag.Parse()
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

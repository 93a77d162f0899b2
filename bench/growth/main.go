//go:build linux

// Command growth measures the costs of growing indexes in folders.
//
// By words:
//
//	go run ./bench/growth -otisk ./otisk -dir DIR -texts 'ELTeC/*/*.xml' -suspects SHORT,LONG 10000000 100000000 1000000000
//
// indexes texts, then altered copies of them, until the index has each of these
// numbers of words, and prints the costs of indexing, look-ups, searching and
// verifying, and the size of the index. The copies of each step are removed once
// they are indexed.
//
//	go run ./bench/growth -otisk ./otisk -dir DIR -texts 'ELTeC/*/*.xml' -speed 50000000
//
// writes plain files with this number of words, if there are none in DIR, and compares
// the time of indexing them with two processes of `wc -w`, by the clock.
//
// By documents, of twelve words each, added without files:
//
//	go run ./bench/growth -otisk ./otisk -dir DIR 1000 10000 100000 1000000
//
// prints the costs of adding one file and of starting a search: for each command, the
// median of several runs with the files in the page cache, the bytes written, and the
// bytes read from the disk with an empty cache.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
)

func main() {
	program := flag.String("otisk", "./otisk", "`program` to measure; it must have the same index format as this source")
	dir := flag.String("dir", "", "`folder` for the indexes")
	runs := flag.Int("runs", 5, "runs of each command")
	texts := flag.String("texts", "", "comma-separated `patterns` of initial texts: measures by words, not by documents")
	suspects := flag.String("suspects", "", "by words: comma-separated `files` to search for")
	plain := flag.Int64("plain", 0, "by words: up to this `number`, also make an index without pairs of words")
	words := flag.Int64("speed", 0, "only index plain files with this number of `words`")
	flag.Parse()
	ctx := context.Background()
	err := error(nil)
	if *words > 0 {
		err = speed(ctx, os.Stdout, *program, *dir, *runs, list(*texts), *words)
	} else if *texts != "" {
		g := growth{program: *program, dir: *dir, runs: *runs, plain: *plain, suspects: list(*suspects)}
		err = g.measure(ctx, os.Stdout, list(*texts), flag.Args())
	} else {
		fmt.Println("documents  command    wall ms   CPU ms   written KB   read cold KB   index MB")
		for _, arg := range flag.Args() {
			if err = byDocuments(ctx, *program, *dir, arg, *runs); err != nil {
				break
			}
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "growth:", err)
		os.Exit(1)
	}
}

// list returns the comma-separated items of s.
func list(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return r == ',' })
}

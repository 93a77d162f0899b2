// Command growth measures what embedded indexes cost that get larger and larger.
//
// By words, as text grows:
//
//	go run ./bench/growth -otisk ./otisk -dir DIR -texts 'ELTeC/*/*.xml' -suspects SHORT,LONG 10000000 100000000 1000000000
//
// indexes texts, then altered copies of them, until the index has so many words,
// and prints at each number what indexing, looking up, searching and verifying
// took, and the bytes of the index. The copies are made a step at a time and
// removed once they are indexed.
//
//	go run ./bench/growth -otisk ./otisk -dir DIR -texts 'ELTeC/*/*.xml' -speed 50000000
//
// makes plain files of so many words, if there are none there, and times the
// indexing of them beside two processes of `wc -w`, by the clock.
//
// By documents, of twelve words each, added without files:
//
//	go run ./bench/growth -otisk ./otisk -dir DIR 1000 10000 100000 1000000
//
// prints what one more file and the start of a search cost: of each command the
// median of some runs with files in the page cache, the bytes that it wrote, and
// those that it read from the disk with no file of the index in the cache.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
)

func main() {
	program := flag.String("otisk", "./otisk", "`program` to measure; it must know the format that this source writes")
	dir := flag.String("dir", "", "`folder` for the indexes")
	runs := flag.Int("runs", 5, "runs of each command")
	texts := flag.String("texts", "", "`patterns` of texts to begin with, with commas between them: measures by words, not by documents")
	suspects := flag.String("suspects", "", "by words: `files` to search for, with commas between them")
	plain := flag.Int64("plain", 0, "by words: up to this `number`, make an index without pairs of words, too")
	words := flag.Int64("speed", 0, "index plain files of so many `words`, and nothing else")
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

// list returns what is between the commas of s.
func list(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return r == ',' })
}

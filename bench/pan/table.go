package main

import (
	"fmt"
	"io"

	"github.com/otisk/otisk/bench/plagdet"
)

// A table has the scores of each part and of all together.
type table struct {
	names   []string
	tallies []plagdet.Tally
}

func newTable() *table { return new(table) }

// add adds a part.
func (t *table) add(name string, tally plagdet.Tally) {
	t.names = append(t.names, name)
	t.tallies = append(t.tallies, tally)
}

// print writes one line per part, one for all parts together, and one for the parts without
// true passages.
func (t *table) print(w io.Writer) {
	fmt.Fprintf(w, "%-28s %6s %6s %9s %8s %10s %12s %8s\n", "part", "pairs", "cases", "passages", "recall", "precision", "granularity", "plagdet")
	var all plagdet.Tally
	clean, hit := 0, 0
	for i, name := range t.names {
		s := t.tallies[i].Score()
		all.Merge(t.tallies[i])
		if s.Cases == 0 {
			clean, hit = clean+s.Pairs, hit+s.Hit
			fmt.Fprintf(w, "%-28s %6d %6d %9d\n", name, s.Pairs, s.Cases, s.Detections)
			continue
		}
		printScore(w, name, s)
	}
	printScore(w, "all", all.Score())
	if clean > 0 {
		fmt.Fprintf(w, "%d of %d pairs without copies have a passage\n", hit, clean)
	}
}

func printScore(w io.Writer, name string, s plagdet.Score) {
	fmt.Fprintf(w, "%-28s %6d %6d %9d %8.4f %10.4f %12.4f %8.4f\n", name, s.Pairs, s.Cases, s.Detections, s.Recall, s.Precision, s.Granularity, s.Plagdet)
}

package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/otisk/otisk/report"
	"github.com/otisk/otisk/search"
)

// TestOneWarningOfEachKind: omissions that differ in their numbers only have one line, which names the text
// that has most of it and the first of the others.
func TestOneWarningOfEachKind(t *testing.T) {
	runs := func(n int) search.Unsearched {
		return search.Unsearched{Kind: search.UnsearchedScattered, Count: int64(n), Limit: 12, Words: 10 * n}
	}
	faint := search.Unsearched{Kind: search.UnsearchedFaint, Count: 3, Limit: 50}
	const scattered = "unchanged runs are too short for a passage, which has 12 words or more (fewer with --exact); in no passage for that reason: "
	for _, tt := range []struct {
		name  string
		texts int
		left  func(i int) []search.Unsearched
		want  []string
	}{
		{"one text", 1, func(int) []search.Unsearched { return []search.Unsearched{runs(2)} }, []string{"essay000.txt: 2 " + scattered + "20 words"}},
		{"other numbers", 350, func(i int) []search.Unsearched { return []search.Unsearched{runs(2 + i%100)} }, []string{
			"essay099.txt: 101 " + scattered + "1,010 words; likewise, with other numbers, 349 texts: essay199.txt, essay299.txt, essay098.txt, essay198.txt, …"}},
		{"two kinds", 3, func(i int) []search.Unsearched { return []search.Unsearched{runs(i + 2), faint}[:2-i%2] }, []string{
			"2 texts: 3 documents that may have been reworded were not aligned, beyond the 50 likeliest: essay000.txt, essay002.txt",
			"essay002.txt: 4 " + scattered + "40 words; likewise, with other numbers, 2 texts: essay001.txt, essay000.txt"}},
		{"all alike", 20, func(int) []search.Unsearched { return []search.Unsearched{runs(2)} }, []string{"all texts: 2 " + scattered + "20 words"}},
	} {
		var stderr bytes.Buffer
		options := newReviewOptions()
		o := &output{stderr: &stderr, stdout: new(bytes.Buffer), review: &options, done: map[string]bool{}}
		for i := range tt.texts {
			path := fmt.Sprintf("essay%03d.txt", i)
			o.note(path, "", &report.Report{Result: search.Result{Suspect: search.Suspect{Path: path, Words: 5000}, Unsearched: tt.left(i)}})
		}
		o.warnPartly()
		got := strings.Split(strings.TrimSpace(strings.ReplaceAll(stderr.String(), "otisk: warning: ", "")), "\n")
		if fmt.Sprint(got) != fmt.Sprint(tt.want) {
			t.Errorf("%s:\n%s\nwant\n%s", tt.name, strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
		}
	}
}

package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// longestRepeated is the number of words from which a run of equal words in two documents counts as the same statement.
const longestRepeated = 12

// TestNothingIsSaidTwice: no two documents share a run of that many words, as a repeated sentence, table row or list of
// figures does. One of them refers to the other instead.
func TestNothingIsSaidTwice(t *testing.T) {
	documents, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(documents) == 0 {
		t.Fatal(documents, err)
	}
	for _, name := range []string{"README.md", "CONTRIBUTING.md", "SECURITY.md"} {
		documents = append(documents, "../../"+name)
	}
	first := map[string]string{} // first document of each run
	for _, path := range documents {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, run := range repeatedRuns(string(text), path, first) {
			t.Errorf("%s repeats %s: %q", filepath.Base(path), filepath.Base(first[run]), run)
		}
	}
}

// TestRepeatedRuns: lines, case and markup do not matter; commands that are typed in both documents do not count.
func TestRepeatedRuns(t *testing.T) {
	const sentence = "The server removes all texts that a user deletes, and the archives of them too."
	first := map[string]string{}
	if runs := repeatedRuns(sentence, "a", first); len(runs) > 0 {
		t.Errorf("a text repeats itself: %q", runs)
	}
	if runs := repeatedRuns("- the **server** removes all texts\n  that a [user](x.md) deletes, and the archives of them", "b", first); len(runs) != 1 {
		t.Errorf("a repeated sentence: %q, want one run", runs)
	}
	if runs := repeatedRuns("    "+sentence, "c", first); len(runs) > 0 {
		t.Errorf("code repeats a text: %q", runs)
	}
}

var (
	codeOf  = regexp.MustCompile("(?m)(?s:```.*?```)|^    .*$")
	targets = regexp.MustCompile(`\]\([^)]*\)`)
	wordOf  = regexp.MustCompile(`[\p{L}\p{N}]+`)
)

// repeatedRuns returns the first run of each stretch of text that another document has, and adds the runs of text to first.
func repeatedRuns(text, path string, first map[string]string) (list []string) {
	text = targets.ReplaceAllString(codeOf.ReplaceAllString(text, ""), "")
	words := wordOf.FindAllString(strings.ToLower(text), -1)
	within := false // the run before is repeated, too
	for i := 0; i+longestRepeated <= len(words); i++ {
		run := strings.Join(words[i:i+longestRepeated], " ")
		if first[run] == "" {
			first[run] = path
		}
		if isRepeated := first[run] != path; isRepeated && !within {
			list, within = append(list, run), true
		} else {
			within = isRepeated
		}
	}
	return list
}

// Command prose reports turns of phrase that the project does not use: old-fashioned
// ones, and vague ones. It reads the comments of Go files, the string literals of those
// that are not tests, Markdown without its code, headings and links, and the
// messages in English, *.en.json.
//
//	go run ./internal/prose ./corpus docs/SOURCES.md
//
// A line that contains "prose:ok" is not checked: the comment goes at the end of
// the line. With -count only a count per phrase is printed, and the exit
// status is 0; otherwise the exit status is 1 if anything was found.
package main

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

func main() {
	count := flag.Bool("count", false, "print only how often each phrase occurs, and exit with status 0")
	flag.Parse()
	roots := flag.Args()
	if len(roots) == 0 {
		roots = []string{"."}
	}
	var found []finding
	for _, root := range roots {
		if err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return skip(path, root, d, err)
			}
			here, err := checkFile(path)
			found = append(found, here...)
			return err
		}); err != nil {
			fmt.Fprintln(os.Stderr, "prose:", err)
			os.Exit(2)
		}
	}
	if *count {
		printCounts(found)
		return
	}
	for _, f := range found {
		fmt.Printf("%s:%d: %q: %s\n", f.path, f.line, f.phrase, f.advice)
	}
	if len(found) > 0 {
		fmt.Fprintf(os.Stderr, "prose: %d phrases to rewrite (CONTRIBUTING.md says how)\n", len(found))
		os.Exit(1)
	}
}

// skip leaves out test data, samples, hidden folders and this package, which
// quotes the phrases, below root.
func skip(path, root string, d fs.DirEntry, err error) error {
	if err != nil {
		return err
	}
	name := d.Name()
	if path != root && (name == "testdata" || name == "samples" || name == "prose" || strings.HasPrefix(name, ".")) {
		return fs.SkipDir
	}
	return nil
}

func checkFile(path string) ([]finding, error) {
	var split func([]byte, bool) []block
	switch {
	case strings.HasSuffix(path, ".go"):
		split = goBlocks
	case strings.HasSuffix(path, ".md"), strings.HasSuffix(path, "help/en.txt"):
		split = markdownBlocks
	case strings.HasSuffix(path, ".en.json"):
		split = messageBlocks
	default:
		return nil, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var found []finding
	for _, b := range split(text, strings.HasSuffix(path, "_test.go")) {
		for _, f := range b.check() {
			f.path = path
			found = append(found, f)
		}
	}
	return found, nil
}

func printCounts(found []finding) {
	counts := map[string]int{}
	for _, f := range found {
		counts[f.advice]++
	}
	advice := make([]string, 0, len(counts))
	for a := range counts {
		advice = append(advice, a)
	}
	sort.Slice(advice, func(i, j int) bool { return counts[advice[i]] > counts[advice[j]] })
	for _, a := range advice {
		fmt.Printf("%5d  %s\n", counts[a], a)
	}
	fmt.Printf("%5d  in all\n", len(found))
}

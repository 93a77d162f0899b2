package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// makeTexts writes files of shortest to longest bytes, about size bytes in all, and returns their paths.
// The same arguments give the same bytes.
func makeTexts(dir string, size int, shortest, longest float64) (paths []string, err error) {
	sources, err := readSources("samples/collection/*/*.txt")
	if err != nil {
		return nil, err
	}
	r := rand.New(rand.NewPCG(1, 2))
	for size > 0 {
		want := int(shortest * math.Pow(longest/shortest, r.Float64()))
		path := filepath.Join(dir, "texts", fmt.Sprint(len(paths)%100), fmt.Sprintf("%06d.txt", len(paths)))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return nil, err
		}
		text := altered(r, sources[r.IntN(len(sources))], want)
		if err := os.WriteFile(path, text, 0o666); err != nil {
			return nil, err
		}
		paths = append(paths, path)
		size -= len(text)
	}
	return paths, nil
}

// readSources returns the words of texts.
func readSources(pattern string) (sources [][]string, err error) {
	names, err := filepath.Glob(pattern)
	if err != nil || len(names) == 0 {
		return nil, fmt.Errorf("no texts in %s: run this in the root of the project (%w)", pattern, err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		sources = append(sources, strings.Fields(string(text)))
	}
	return sources, nil
}

// altered returns about size bytes of a text, from a random position and wrapping at its
// end, in paragraphs of 120 words and lines of 12.
func altered(r *rand.Rand, words []string, size int) []byte {
	text := make([]byte, 0, size+100)
	for count, at := 1, r.IntN(len(words)); len(text) < size; count, at = count+1, at+1 {
		word := words[at%len(words)]
		if r.IntN(8) == 0 {
			word = words[r.IntN(len(words))]
		}
		text = append(text, word...)
		switch {
		case count%120 == 0:
			text = append(text, "\n\n"...)
		case count%12 == 0:
			text = append(text, '\n')
		default:
			text = append(text, ' ')
		}
	}
	return text
}

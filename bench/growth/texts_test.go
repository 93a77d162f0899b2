//go:build linux

package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// The first pass over the sources gives them as they are; no document of a
// later one has seven words in a row that are in the sources.
func TestCopiesAreAltered(t *testing.T) {
	var texts []string
	for i := range 3 {
		var words []string
		for j := range 3000 {
			words = append(words, fmt.Sprintf("word%d.%d", i, j))
		}
		texts = append(texts, strings.Join(words, " \n"))
	}
	m := maker{r: rand.New(rand.NewPCG(1, 2))}
	for _, text := range texts {
		m.sources = append(m.sources, source{text, startsOf(text)})
	}
	var first string
	known := map[string]bool{}
	for m.pass < 3 {
		text := string(m.next())
		if m.pass == 0 {
			first += text
		}
		words := strings.Fields(text)
		for i := range len(words) - 6 {
			gram := strings.Join(words[i:i+7], " ")
			if known[gram] && m.pass > 0 {
				t.Fatalf("pass %d repeats %q", m.pass, gram)
			}
			known[gram] = true
		}
	}
	if want := strings.Join(texts, ""); first != want {
		t.Errorf("the first pass gives %d bytes, not the %d of the sources", len(first), len(want))
	}
}

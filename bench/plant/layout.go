package plant

import (
	"math/rand/v2"
	"slices"
	"strings"
	"unicode/utf8"
)

// A Place is the location of a copy in a text.
type Place struct {
	Origin     *Origin
	Start, End int // byte range
}

// Insert inserts copies between the sentences of a host, at random places and in random
// order, each as its own paragraph or within one. It returns paragraphs of runs. There
// must be fewer copies than sentences.
func Insert(r *rand.Rand, host []Sentence, copies [][]Run) [][]Run {
	gaps := r.Perm(len(host) - 1)[:len(copies)]
	at := make(map[int][]Run, len(copies)) // by the index of the sentence before
	for i, gap := range gaps {
		at[gap] = copies[i]
	}
	var paragraphs [][]Run
	var current []Run
	end := func() {
		if current != nil {
			paragraphs, current = append(paragraphs, current), nil
		}
	}
	for i, s := range host {
		if i > 0 && s.Paragraph != host[i-1].Paragraph {
			end()
		}
		current = append(current, Run{Words: s.Words})
		if runs, ok := at[i]; ok {
			if r.IntN(2) == 0 {
				current = append(current, runs...)
				continue
			}
			end()
			paragraphs = append(paragraphs, slices.Clone(runs))
		}
	}
	end()
	return paragraphs
}

// Layout returns paragraphs as text, separated by blank lines and wrapped at width
// characters, and the place of each copy.
func Layout(paragraphs [][]Run, width int) (text string, places []Place) {
	w := writer{width: width}
	for i, p := range paragraphs {
		if i > 0 {
			w.WriteString("\n\n")
		}
		w.column = 0
		for _, run := range p {
			start, end := w.words(run.Words)
			if run.Origin != nil {
				places = append(places, Place{run.Origin, start, end})
			}
		}
	}
	w.WriteString("\n")
	return w.String(), places
}

// A writer wraps words.
type writer struct {
	strings.Builder
	width  int
	column int // characters on the line
}

// words writes words and returns their byte range.
func (w *writer) words(words []string) (start, end int) {
	for i, word := range words {
		word, glued := strings.CutPrefix(word, Glue)
		size := utf8.RuneCountInString(word)
		switch {
		case w.column == 0:
		case glued && w.column+size <= w.width:
		case glued, w.column+1+size > w.width:
			w.WriteByte('\n')
			w.column = 0
		default:
			w.WriteByte(' ')
			w.column++
		}
		if i == 0 {
			start = w.Len()
		}
		w.WriteString(word)
		w.column += size
	}
	return start, w.Len()
}

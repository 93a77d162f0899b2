package main

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// A paper is one side of a file of sample_raw.zip.
type paper struct {
	Title      string
	Abstract   []paragraph
	Sections   []section
	References []struct{ Tag, Ref string }
}

type section struct {
	Title      string
	Paragraphs []paragraph
}

// A paragraph of a paper. In a candidate, Plagiarism names the paragraph of the source that a model rewrote.
type paragraph struct {
	ID, Content string
	Plagiarism  struct {
		Type     string
		SourceID string `json:"source_paragraph_id"`
	}
}

// paragraphs returns all paragraphs in order.
func (p *paper) paragraphs() []paragraph {
	list := slices.Clone(p.Abstract)
	for _, s := range p.Sections {
		list = append(list, s.Paragraphs...)
	}
	return list
}

// repeats returns for each paragraph the number of the first one with the same text, which may be itself. The conversion of
// PAN 2025 lists the paragraphs of some subsections a second time, with formulas set in another way.
func (p *paper) repeats() []int {
	const long, same = 10, 0.7 // least number of 5-grams, and share of equal ones
	var grams []map[string]bool
	var first []int
	for i, q := range p.paragraphs() {
		own := fiveGrams(q.Content)
		k := slices.IndexFunc(grams, func(other map[string]bool) bool {
			both := 0
			for g := range own {
				if other[g] {
					both++
				}
			}
			return len(own) >= long && float64(both) >= same*float64(len(own)+len(other)-both)
		})
		if k < 0 {
			k = i
		}
		grams, first = append(grams, own), append(first, k)
	}
	return first
}

// fiveGrams returns the sequences of five words of Latin letters.
func fiveGrams(text string) map[string]bool {
	words := strings.FieldsFunc(text, func(r rune) bool { return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') })
	set := map[string]bool{}
	for i := range max(0, len(words)-4) {
		set[strings.Join(words[i:i+5], " ")] = true
	}
	return set
}

// text returns the paper as PAN 2025 writes it, and the places of its paragraphs in code points. A paragraph that repeats an
// earlier one is not written, and has the place of that one.
func (p *paper) text(first []int) (text string, places [][2]int) {
	var b strings.Builder
	at := 0
	write := func(s string) (place [2]int) {
		place[0] = at
		at += utf8.RuneCountInString(s)
		place[1] = at
		b.WriteString(s + between)
		at += len(between)
		return place
	}
	paragraphs := func(list []paragraph) {
		for _, q := range list {
			if i := len(places); first[i] < i {
				places = append(places, places[first[i]])
			} else {
				places = append(places, write(q.Content))
			}
		}
	}
	write(p.Title)
	write("Abstract")
	paragraphs(p.Abstract)
	for _, s := range p.Sections {
		if s.Title != "" {
			write(s.Title)
		}
		paragraphs(s.Paragraphs)
	}
	write("References")
	for _, r := range p.References {
		write(r.Tag + " " + r.Ref)
	}
	return b.String(), places
}

// makePapers writes a corpus of papers with paragraphs that models rewrote of another paper on the subject.
func makePapers(stdout io.Writer, dir, out string) error {
	const part = "papers"
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return fmt.Errorf("%s: no papers", dir)
	}
	w := newCorpusWriter(out)
	for i, file := range files {
		var both struct{ Source, Candidate paper }
		if err := readJSON(file, &both); err != nil {
			return err
		}
		suspect, source := fmt.Sprintf("suspect-%d.txt", i), fmt.Sprintf("source-%d.txt", i)
		candidate := both.Candidate.paragraphs()
		each := make([]int, len(candidate)) // each rewritten paragraph is its own, even if another has its ID
		for i := range each {
			each[i] = i
		}
		text, here := both.Candidate.text(each)
		other, places := both.Source.text(both.Source.repeats())
		there := map[string][2]int{}
		for i, p := range both.Source.paragraphs() {
			there[p.ID] = places[i]
		}
		w.files[filepath.Join("susp", suspect)], w.files[filepath.Join("src", source)] = text, other
		var truth strings.Builder
		for i, p := range candidate {
			from, ok := there[p.Plagiarism.SourceID]
			if ok && p.Plagiarism.Type == "plagiarism" && p.Content != "" && from[0] < from[1] {
				w.passage(&truth, part, source, here[i], from)
			}
		}
		w.pair(part, suspect, source, truth.String())
	}
	fmt.Fprintf(stdout, "%-24s %5d cases\n", part, w.counts[part])
	return w.write()
}

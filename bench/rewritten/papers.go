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

// text returns the paper as PAN 2025 writes it, and the places of its paragraphs in code points.
func (p *paper) text() (text string, places map[string][2]int) {
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
	places = map[string][2]int{}
	write(p.Title)
	write("Abstract")
	for _, q := range p.Abstract {
		places[q.ID] = write(q.Content)
	}
	for _, s := range p.Sections {
		if s.Title != "" {
			write(s.Title)
		}
		for _, q := range s.Paragraphs {
			places[q.ID] = write(q.Content)
		}
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
		text, here := both.Candidate.text()
		other, there := both.Source.text()
		w.files[filepath.Join("susp", suspect)], w.files[filepath.Join("src", source)] = text, other
		var truth strings.Builder
		for _, p := range both.Candidate.paragraphs() {
			from, ok := there[p.Plagiarism.SourceID]
			if ok && p.Plagiarism.Type == "plagiarism" && p.Content != "" && from[0] < from[1] {
				w.passage(&truth, part, source, here[p.ID], from)
			}
		}
		w.pair(part, suspect, source, truth.String())
	}
	fmt.Fprintf(stdout, "%-24s %5d cases\n", part, w.counts[part])
	return w.write()
}

package main

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"strings"

	"github.com/otisk/otisk/bench/novels"
	"github.com/otisk/otisk/bench/plant"
)

// A chapter has verses by number, from 1; a verse that a translation lacks is "".
type chapter []string

// A book is one translation: its chapters by name, such as "Genesis 1", in order.
type book struct {
	names    []string
	chapters map[string]chapter
}

var verseLine = regexp.MustCompile(`^\[(\d+):(\d+)\] *(.*)`)

// readVerses reads a translation.
func readVerses(name string) (*book, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("read verses: %w", err)
	}
	defer f.Close()
	b := &book{chapters: map[string]chapter{}}
	title := ""
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if t, ok := strings.CutPrefix(lines.Text(), "### "); ok {
			title = strings.TrimSpace(t)
		} else if m := verseLine.FindStringSubmatch(lines.Text()); m != nil && m[3] != "" {
			b.add(title+" "+m[1], m[2], m[3])
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read verses of %s: %w", name, err)
	}
	if len(b.names) == 0 {
		return nil, fmt.Errorf("read verses: no line of %s begins with a number such as [1:1]", name)
	}
	return b, nil
}

func (b *book) add(chapter, number, text string) {
	if b.chapters[chapter] == nil {
		b.names = append(b.names, chapter)
	}
	var n int
	fmt.Sscan(number, &n) // verseLine matches digits only
	for len(b.chapters[chapter]) < n {
		b.chapters[chapter] = append(b.chapters[chapter], "")
	}
	b.chapters[chapter][n-1] = text
}

// A pool has the sources, and for each verse its text in the other translation.
type pool struct {
	sources []*plant.Text
	other   map[place][]string
}

// A place is where a verse begins in a source.
type place struct {
	source *plant.Text
	start  int
}

// newPool cuts source into texts with this number of words. It omits chapters with
// different numbers of verses in the two translations, since their numbers may refer to
// different verses, and verses that one of the two lacks.
func newPool(source, other *book, words int) *pool {
	p := &pool{other: map[place][]string{}}
	t := newText(words)
	for _, name := range source.names {
		a, b := source.chapters[name], other.chapters[name]
		if len(a) != len(b) {
			continue
		}
		t.paragraph++
		for i := range a {
			if a[i] == "" || b[i] == "" {
				continue
			}
			p.other[place{t.Text, t.add(a[i])}] = plant.Fields(b[i])
			if t.left <= 0 {
				t = p.keep(t, words)
			}
		}
	}
	return p
}

// keep adds a text to the sources, and returns a new one.
func (p *pool) keep(t *text, words int) *text {
	t.Name = novels.SourceName(len(p.sources))
	p.sources = append(p.sources, t.Text)
	return newText(words)
}

// A text is an unfinished source.
type text struct {
	*plant.Text
	paragraph int // number of the chapter
	left      int // number of words still to add
}

func newText(words int) *text { return &text{Text: new(plant.Text), left: words} }

// add appends a verse as a sentence and returns its offset. A blank line separates
// chapters.
func (t *text) add(verse string) int {
	if n := len(t.Sentences); n > 0 && t.Sentences[n-1].Paragraph != t.paragraph {
		t.Body += "\n"
	}
	s := plant.Sentence{Words: plant.Fields(verse), Start: len(t.Body), Paragraph: t.paragraph}
	t.Body += plant.Join(s.Words)
	s.End = len(t.Body)
	t.Body += "\n"
	t.Sentences = append(t.Sentences, s)
	t.left -= len(s.Words)
	return s.Start
}

// reworded is a [plant.Kind] that returns the same verses in the other translation.
func (p *pool) reworded(_ *rand.Rand, _ []string, passages ...plant.Passage) []plant.Run {
	var runs []plant.Run
	for _, passage := range passages {
		var words []string
		for _, s := range passage.Sentences {
			words = append(words, p.other[place{passage.Source, s.Start}]...)
		}
		runs = append(runs, passage.Run(words))
	}
	return runs
}

package main

import (
	"fmt"
	"strings"
)

// A text is what is made into every format.
type text struct {
	title, author string
	blocks        []block
}

// A block is a paragraph of some kind.
type block struct {
	kind blockKind
	text string
	note string // footnote, "" for none
	at   int    // byte of text after which the note is called
}

type blockKind int

const (
	paragraph blockKind = iota
	heading
	quotation
)

// Where what the novel lacks is put: a heading before every twentieth
// paragraph, a footnote in every fifteenth, a quotation in place of one.
const (
	headingEvery = 20
	noteEvery    = 15
	quoteAt      = 50
)

// newText takes the first words of a novel, whose paragraphs blank lines part.
// The footnotes are paragraphs after them.
func newText(novel string, words int) *text {
	t := &text{title: "Zkouška formátů", author: "Svatopluk Čech"}
	var all []string
	for p := range strings.SplitSeq(strings.ReplaceAll(novel, "\r\n", "\n"), "\n\n") {
		if p = strings.Join(strings.Fields(p), " "); p != "" {
			all = append(all, p)
		}
	}
	used, taken := 0, 0
	for taken < len(all) && used < words {
		used += len(strings.Fields(all[taken]))
		taken++
	}
	notes := all[taken:]
	for i, p := range all[:taken] {
		if i%headingEvery == 0 {
			t.blocks = append(t.blocks, block{kind: heading, text: fmt.Sprintf("Kapitola %s o dalších příhodách", ordinals[i/headingEvery%len(ordinals)])})
		}
		b := block{text: p}
		if i == quoteAt {
			b.kind = quotation
		}
		if i%noteEvery == noteEvery/2 && len(notes) > 0 {
			b.note, b.at = notes[0], middle(p)
			notes = notes[1:]
		}
		t.blocks = append(t.blocks, b)
	}
	return t
}

var ordinals = strings.Fields("první druhá třetí čtvrtá pátá šestá sedmá osmá devátá desátá jedenáctá dvanáctá třináctá čtrnáctá patnáctá")

// middle returns where the word in the middle of s ends.
func middle(s string) int {
	if at := strings.Index(s[len(s)/2:], " "); at >= 0 {
		return len(s)/2 + at
	}
	return len(s)
}

// called returns the text of a block with mark put where its note is called,
// each part of it changed by fn.
func (b block) called(mark string, fn func(string) string) string {
	if b.note == "" {
		return fn(b.text)
	}
	return fn(b.text[:b.at]) + mark + fn(b.text[b.at:])
}

// words returns all words of the text in order, the notes after their blocks.
func (t *text) words() string {
	var b strings.Builder
	for _, p := range t.blocks {
		b.WriteString(p.text + "\n" + p.note + "\n")
	}
	return b.String()
}

package main

import (
	"fmt"
	"strings"
)

// A text is the text that is converted to every format.
type text struct {
	title, author string
	blocks        []block
}

// A block is a paragraph of some kind.
type block struct {
	kind blockKind
	text string
	note string // footnote, "" for none
	at   int    // byte offset in text of the reference to the note
}

type blockKind int

const (
	paragraph blockKind = iota
	heading
	quotation
)

// Places of the elements that the novel lacks: a heading before every twentieth paragraph,
// a footnote in every fifteenth, and a quotation instead of one paragraph.
const (
	headingEvery = 20
	noteEvery    = 15
	quoteAt      = 50
)

// newText returns a text with the first words of a novel, whose paragraphs are separated by
// blank lines. The next paragraphs of the novel become footnotes.
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

// middle returns the offset of the end of the word in the middle of s.
func middle(s string) int {
	if at := strings.Index(s[len(s)/2:], " "); at >= 0 {
		return len(s)/2 + at
	}
	return len(s)
}

// called returns the text of a block with mark at the reference to its note. fn is applied
// to the text on both sides of the mark.
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

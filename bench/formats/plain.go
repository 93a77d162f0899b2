package main

import (
	"fmt"
	"html"
	"strings"
	"unicode/utf16"

	"golang.org/x/text/encoding/charmap"
)

// plainText returns the text in lines of 72 characters, with blank lines between paragraphs
// and the notes at the end.
func (t *text) plainText() string {
	var b, notes strings.Builder
	count := 0
	for _, p := range t.blocks {
		mark := ""
		if p.note != "" {
			count++
			mark = fmt.Sprintf(" [%d]", count)
			fmt.Fprintf(&notes, "%s\n\n", wrap(fmt.Sprintf("[%d] %s", count, p.note)))
		}
		b.WriteString(wrap(p.called(mark, asIs)) + "\n\n")
	}
	return b.String() + notes.String()
}

func asIs(s string) string { return s }

// rows returns the text as a table of one column, with the notes at the end.
func (t *text) rows() string {
	var b, notes strings.Builder
	row := func(b *strings.Builder, s string) { b.WriteString(`"` + strings.ReplaceAll(s, `"`, `""`) + "\"\n") }
	for _, p := range t.blocks {
		row(&b, p.called("", asIs))
		if p.note != "" {
			row(&notes, p.note)
		}
	}
	return b.String() + notes.String()
}

// wrap breaks s into lines of 72 characters at most.
func wrap(s string) string {
	var b strings.Builder
	width := 0
	for i, w := range strings.Fields(s) {
		n := len([]rune(w))
		switch {
		case i == 0:
		case width+1+n > 72:
			b.WriteByte('\n')
			width = 0
		default:
			b.WriteByte(' ')
			width++
		}
		b.WriteString(w)
		width += n
	}
	return b.String()
}

// windows1250 encodes s, with question marks for characters that the code page lacks.
func windows1250(s string) []byte {
	data := make([]byte, 0, len(s))
	for _, r := range s {
		b, ok := charmap.Windows1250.EncodeRune(r)
		if !ok {
			b = '?'
		}
		data = append(data, b)
	}
	return data
}

// utf16LE encodes s with a byte order mark.
func utf16LE(s string) []byte {
	data := []byte{0xff, 0xfe}
	for _, u := range utf16.Encode([]rune(s)) {
		data = append(data, byte(u), byte(u>>8))
	}
	return data
}

func (t *text) markdown() string {
	var b, notes strings.Builder
	fmt.Fprintf(&b, "---\ntitle: %s\nauthor: %s\nlang: cs\n---\n\n", t.title, t.author)
	count := 0
	escape := strings.NewReplacer(`\`, `\\`, "*", `\*`, "_", `\_`, "[", `\[`, "<", `\<`, "#", `\#`)
	for _, p := range t.blocks {
		mark := ""
		if p.note != "" {
			count++
			mark = fmt.Sprintf("[^%d]", count)
			fmt.Fprintf(&notes, "[^%d]: %s\n\n", count, escape.Replace(p.note))
		}
		s := wrap(p.called(mark, escape.Replace))
		switch p.kind {
		case heading:
			s = "# " + s
		case quotation:
			s = "> " + strings.ReplaceAll(s, "\n", "\n> ")
		}
		b.WriteString(s + "\n\n")
	}
	return b.String() + notes.String()
}

// page returns the text as a web page, with the notes at its end.
func (t *text) page() string {
	var b, notes strings.Builder
	fmt.Fprintf(&b, `<!DOCTYPE html>
<html lang="cs"><head><meta charset="utf-8"><title>%s</title><meta name="author" content="%s">
<style>body { font: 12pt/1.4 "DejaVu Serif", serif; text-align: justify; hyphens: auto } @page { margin: 25mm }</style></head><body>
`, t.title, t.author)
	count := 0
	for _, p := range t.blocks {
		mark := ""
		if p.note != "" {
			count++
			mark = fmt.Sprintf(`<sup><a href="#n%d">%[1]d</a></sup>`, count)
			fmt.Fprintf(&notes, "<li id=\"n%d\">%s</li>\n", count, html.EscapeString(p.note))
		}
		tag := [...]string{paragraph: "p", heading: "h1", quotation: "blockquote"}[p.kind]
		fmt.Fprintf(&b, "<%s>%s</%[1]s>\n", tag, p.called(mark, html.EscapeString))
	}
	return b.String() + "<ol>\n" + notes.String() + "</ol>\n</body></html>\n"
}

func (t *text) tei() string {
	var b strings.Builder
	fmt.Fprintf(&b, `<?xml version="1.0" encoding="UTF-8"?>
<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc><titleStmt><title>%s</title><author>%s</author></titleStmt></fileDesc></teiHeader>
<text><body><div>
`, t.title, t.author)
	for _, p := range t.blocks {
		note := ""
		if p.note != "" {
			note = `<note place="foot">` + html.EscapeString(p.note) + "</note>"
		}
		tag := [...]string{paragraph: "p", heading: "head", quotation: "p"}[p.kind]
		if p.kind == heading {
			b.WriteString("</div>\n<div>\n")
		}
		fmt.Fprintf(&b, "<%s>%s</%[1]s>\n", tag, p.called(note, html.EscapeString))
	}
	return b.String() + "</div></body></text></TEI>\n"
}

// vertical returns the text as a vertical file: one token per line, with columns.
func (t *text) vertical() string {
	var b strings.Builder
	fmt.Fprintf(&b, "<doc id=\"zkouska\" title=\"%s\" author=\"%s\">\n", t.title, t.author)
	for _, p := range t.blocks {
		for _, s := range []string{p.text, p.note} {
			if s != "" {
				b.WriteString("<p>\n<s>\n")
				tokens(&b, s)
				b.WriteString("</s>\n</p>\n")
			}
		}
	}
	return b.String() + "</doc>\n"
}

func tokens(b *strings.Builder, s string) {
	for word := range strings.FieldsSeq(s) {
		for i, token := range cutPunctuation(word) {
			if i > 0 {
				b.WriteString("<g/>\n")
			}
			fmt.Fprintf(b, "%s\t%s\tX@\n", html.EscapeString(token), html.EscapeString(strings.ToLower(token)))
		}
	}
}

// cutPunctuation splits a word and the punctuation marks around it into tokens.
func cutPunctuation(word string) []string {
	const signs = ".,;:!?„“”‚‘’»«()–—…\""
	var before, after []string
	for _, r := range word {
		if !strings.ContainsRune(signs, r) {
			break
		}
		before = append(before, string(r))
		word = strings.TrimPrefix(word, string(r))
	}
	runes := []rune(word)
	for len(runes) > 0 && strings.ContainsRune(signs, runes[len(runes)-1]) {
		after = append([]string{string(runes[len(runes)-1])}, after...)
		runes = runes[:len(runes)-1]
	}
	if len(runes) > 0 {
		before = append(before, string(runes))
	}
	return append(before, after...)
}

// latex returns the text as LaTeX source of a report, or of an article in two columns.
func (t *text) latex(class, fonts string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `\documentclass[%s}
\usepackage[utf8]{inputenc}
%s
\usepackage[czech]{babel}
\pagestyle{headings}
\title{%s}
\author{%s}
\begin{document}
`, class, fonts, t.title, t.author)
	escape := strings.NewReplacer(`\`, `\textbackslash{}`, "{", `\{`, "}", `\}`, "$", `\$`, "&", `\&`, "#", `\#`, "%", `\%`, "_", `\_`, "~", `\textasciitilde{}`, "^", `\^{}`,
		"„", ",,", "“", "{}``", "–", "--", "—", "---", "…", `\dots{}`)
	section := "section"
	if strings.Contains(class, "report") {
		section = "chapter"
	}
	for _, p := range t.blocks {
		note := ""
		if p.note != "" {
			note = `\footnote{` + escape.Replace(p.note) + "}"
		}
		s := wrap(p.called(note, escape.Replace))
		switch p.kind {
		case heading:
			s = `\` + section + "{" + s + "}"
		case quotation:
			s = "\\begin{quote}\n" + s + "\n\\end{quote}"
		}
		b.WriteString(s + "\n\n")
	}
	return b.String() + "\\end{document}\n"
}

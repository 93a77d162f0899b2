// Package markup reads lightweight markup: AsciiDoc, reStructuredText, Org, Textile, Typst, Jupyter
// notebooks, and subtitles.
//
// Its readers are rows of the table in package document. They are small: they parse the markup
// that is common in texts, keep code unchanged, and omit what a rendered document does not
// show. Included files are not read; a note reports that.
package markup

import (
	"bytes"
	"context"
	"regexp"
	"strings"
	"sync"

	"github.com/otisk/otisk/document/charset"
	"github.com/otisk/otisk/document/flow"
	"github.com/otisk/otisk/document/format"
)

// maxParagraph limits how many bytes of a paragraph are parsed at once.
const maxParagraph = 1 << 20

// A writer builds paragraphs from lines.
type writer struct {
	*flow.Body
	pulse    *format.Pulse
	title    string
	author   string
	encoding string
	lines    []string // of the open paragraph
	size     int
	notes    []string // footnotes of the open paragraph
	others   int      // includes of other files
	unread   format.Unread
	quote    int // start of the open quotation, counted from 1; 0 for none
	inline   func(string) string
}

// open returns a writer and the text of src with LF line ends.
func open(ctx context.Context, src *format.Source) (*writer, string, error) {
	data, encoding, err := charset.Decode(ctx, src, "")
	if err != nil {
		return nil, "", err
	}
	text := strings.NewReplacer("\r\n", "\n", "\r", "\n", "\x00", " ").Replace(string(bytes.TrimPrefix(data, format.BOM)))
	return &writer{Body: flow.NewBody(), pulse: format.NewPulse(ctx), encoding: encoding}, text, nil
}

// A liner reads a format line by line.
type liner interface {
	addLine(line string)
	clean(text string) string // removes inline markup from a paragraph
}

// byLine reads src with the liner that begin returns.
func byLine(ctx context.Context, src *format.Source, begin func(w *writer, text string) liner) (*format.Text, error) {
	w, text, err := open(ctx, src)
	if err != nil {
		return nil, err
	}
	r := begin(w, text)
	w.inline = r.clean
	if err := w.each(text, r.addLine); err != nil {
		return nil, err
	}
	return w.done()
}

// each calls fn for each line of text.
func (w *writer) each(text string, fn func(line string)) error {
	for l := range strings.SplitSeq(text, "\n") {
		if err := w.pulse.Err(); err != nil {
			return err
		}
		fn(strings.TrimRight(l, " \t\r"))
	}
	w.part()
	return nil
}

// done returns the text.
func (w *writer) done() (*format.Text, error) {
	w.quoted(false)
	w.part()
	t, err := w.Done()
	t.Title, t.Author, t.Encoding = w.title, w.author, w.encoding
	t.Note(format.Elsewhere(w.others))
	w.unread.Note(t)
	return t, err
}

// line adds a line to the open paragraph.
func (w *writer) line(l string) {
	w.lines = append(w.lines, strings.TrimSpace(l))
	if w.size += len(l) + 1; w.size > maxParagraph {
		w.part()
	}
}

// leastProse is the number of words from which an option or a value is prose.
const leastProse = 8

// countProse counts the words of an option or a value that is not read, if it is prose.
func (w *writer) countProse(kind, value string) {
	if n := len(strings.Fields(value)); n >= leastProse {
		w.unread.Words(kind, n)
	}
}

// expansions are the values of names that a text defines. They share a limit of the bytes that they may
// expand to.
type expansions struct {
	values map[string]string
	room   *int
}

// expansionsOf returns the definitions in text that match finds: the name, in any case, and the value.
func expansionsOf(text string, match *regexp.Regexp) expansions {
	room := maxParagraph + 2*len(text)
	e := expansions{map[string]string{}, &room}
	for _, m := range match.FindAllStringSubmatch(text, -1) {
		e.values[strings.ToLower(m[1])] = strings.Join(strings.Fields(strings.ReplaceAll(m[2], "\\\n", " ")), " ")
	}
	return e
}

// of returns the value of a name in lower case, or other without one.
func (e expansions) of(name, other string) string {
	value, ok := e.values[name]
	if *e.room -= len(value); !ok || *e.room < 0 {
		return other
	}
	return value
}

// part ends the paragraph; its footnotes follow as paragraphs.
func (w *writer) part() {
	if len(w.lines) > 0 {
		s := strings.Join(w.lines, "\n")
		w.lines, w.size = w.lines[:0], 0
		w.Gap(flow.Part)
		w.Builder.Text([]byte(w.inline(s)))
	}
	w.Gap(flow.Part)
	notes := w.notes
	w.notes = nil
	for _, n := range notes {
		w.note(n)
	}
}

// note adds a footnote as a paragraph.
func (w *writer) note(s string) { w.marked(format.Footnote, s) }

// heading adds a heading.
func (w *writer) heading(s string) {
	w.part()
	w.marked(format.Heading, s)
}

func (w *writer) marked(kind format.MarkKind, s string) {
	start := w.Builder.Start(flow.Part)
	w.Builder.Text([]byte(w.inline(strings.TrimSpace(s))))
	w.Mark(kind, start)
	w.Gap(flow.Part)
}

// code adds a line unchanged.
func (w *writer) code(l string) {
	if len(w.lines) > 0 {
		w.part()
	}
	w.Gap(flow.Line)
	w.Verbatim([]byte(l))
}

// cells adds a row of a table.
func (w *writer) cells(cells []string) {
	if len(w.lines) > 0 {
		w.part()
	}
	w.Gap(flow.Line)
	for _, c := range cells {
		w.Builder.Text([]byte(w.inline(strings.TrimSpace(c))))
		w.Gap(flow.Cell)
	}
	w.Gap(flow.Line)
}

// quoted starts or ends a quotation.
func (w *writer) quoted(now bool) {
	switch {
	case now && w.quote == 0:
		w.part()
		w.quote = w.Len() + 1
	case !now && w.quote > 0:
		w.part()
		w.Mark(format.Quote, w.quote-1)
		w.quote = 0
	}
}

// pairs returns a function that compiles patterns for text between two equal marks at word
// boundaries, such as *bold*.
func pairs(signs ...string) func() []signPair {
	return sync.OnceValue(func() []signPair { return pairsOf(signs) })
}

func pairsOf(signs []string) []signPair {
	var found []signPair
	for _, s := range signs {
		q, last := regexp.QuoteMeta(s), regexp.QuoteMeta(s[:1])
		found = append(found, signPair{s, regexp.MustCompile(`(^|[\s("'{\[„“‚‘—–\x{200B}-])` + q + `([^\s` + last + `](?:[^` + last + `]*[^\s` + last + `])?)` + q + `($|[\s).,;:!?"'}\]“”’—–\x{200B}\\-])`)})
	}
	return found
}

// A signPair is a mark and the pattern of text between two such marks.
type signPair struct {
	sign string
	*regexp.Regexp
}

// without removes these marks from s.
func without(signs []signPair, s string) string {
	for _, sign := range signs {
		if !strings.Contains(s, sign.sign) {
			continue // most marks are in few paragraphs
		}
		for range 2 { // consecutive pairs share the character between them
			s = sign.ReplaceAllString(s, "$1$2$3")
		}
	}
	return s
}

package report

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/otisk/otisk/search"
)

// made returns the result of a search in texts of random words: a suspect of
// about that many words, with these numbers of passages and sources. Every
// tenth passage lies inside quotation marks.
func made(words, passages, sources int) *Report {
	m := &maker{rnd: rand.New(rand.NewPCG(7, 7))}
	r := &Report{Result: search.Result{Version: "1.0.0", Index: search.Index{Kind: search.KindIndex, Name: "made", Documents: 101, Grams: 5801345},
		Settings: search.Settings{N: 7, Normalization: map[string]string{"new_line": "auto"}},
		Suspect:  search.Suspect{Path: "made.txt", Format: "text", NewLine: "blank"}}}
	texts := make([]string, sources)
	for i := range texts {
		texts[i] = m.prose(400)
		r.Sources = append(r.Sources, search.Source{ID: fmt.Sprintf("%016x", i+1), Name: fmt.Sprintf("source %d.txt", i+1), Words: 400,
			Bytes: int64(len(texts[i])), Excerpts: []search.Excerpt{{Span: spanOf(texts[i], texts[i]), Text: texts[i]}}})
	}
	for i := range passages {
		m.add(m.prose(max(1, words/max(passages, 1)-30)) + " ")
		source := m.rnd.IntN(sources)
		m.passage(r, source, texts[source], i%10 == 9)
		if i%3 == 2 {
			m.add("\n\n")
		}
	}
	if passages == 0 {
		m.add(m.prose(words))
	}
	r.Suspect.Text = m.text.String()
	return measured(r)
}

type maker struct {
	rnd   *rand.Rand
	text  strings.Builder
	words int
}

// add appends text of words that are separated by single white space.
func (m *maker) add(s string) {
	m.words += len(strings.Fields(s))
	m.text.WriteString(s)
}

// prose returns random words; they hold Czech letters and one beyond 16 bits.
func (m *maker) prose(words int) string {
	parts := []string{"ko", "lo", "vá", "říč", "ně", "stra", "mu", "žlu", "ť", "pe", "𝄞"}
	var b strings.Builder
	for i := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		for range 1 + m.rnd.IntN(3) {
			b.WriteString(parts[m.rnd.IntN(len(parts))])
		}
	}
	return b.String()
}

// passage copies a part of a source, one in three with every seventh word
// changed.
func (m *maker) passage(r *Report, source int, text string, quoted bool) {
	fields := strings.Fields(text)
	from := m.rnd.IntN(len(fields) - 60)
	origin := fields[from : from+10+m.rnd.IntN(50)]
	start := len(strings.Join(fields[:from], " "))
	if from > 0 {
		start++
	}
	p := search.Passage{Source: source, Kind: search.KindExact, Grade: search.Verbatim, Word: m.words, Words: len(origin),
		OriginWords: len(origin), Origin: plainSpan(start, start+len(strings.Join(origin, " ")))}
	mark := ""
	if quoted {
		mark = "„"
		m.text.WriteString(mark)
	}
	p.Suspect.Start = m.text.Len()
	changed := m.rnd.IntN(3) == 0
	if changed {
		p.Kind, p.Grade = search.KindAligned, search.Edited
	}
	here, there := p.Suspect.Start, start
	for i, w := range origin {
		own := w
		if changed && i%7 == 3 {
			own = "změna"
		} else {
			p.Equal = append(p.Equal, search.Run{Suspect: [2]int{here, here + len(w)}, Origin: [2]int{there, there + len(w)}, Words: 1})
			p.Matched++
		}
		if i > 0 {
			m.text.WriteByte(' ')
		}
		m.text.WriteString(own)
		here, there = here+len(own)+1, there+len(w)+1
	}
	p.Suspect = plainSpan(p.Suspect.Start, m.text.Len())
	if quoted {
		m.text.WriteString("“")
		r.Exclusions = append(r.Exclusions, search.Exclusion{Kind: "quotation", Word: m.words, Words: len(origin),
			Place: plainSpan(p.Suspect.Start-len(mark), m.text.Len())})
	}
	m.text.WriteByte(' ')
	m.words += len(origin)
	r.Passages = append(r.Passages, p)
}

// plainSpan is a span whose code points nobody looks at.
func plainSpan(start, end int) search.Span {
	return search.Span{Start: start, End: end}
}

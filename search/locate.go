package search

import (
	"cmp"
	"slices"

	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/store"
)

// A located run has its place in the source's original text.
type located struct {
	run
	from, to int // bytes
}

// locate walks the words of a source's text and finds where runs are in it,
// comparing every word: a run whose words differ was a false match of hashes.
// Those, and runs that reach over the end of a paragraph of the source, are
// noted in known. The runs come back in order of their first n-gram in the
// suspect.
func locate(s *shared, words *normalize.Scanner, doc store.DocID, runs []run, known corrections) []located {
	l := locator{shared: s, doc: doc, waiting: slices.Clone(runs), recent: make([]word, s.n), known: known}
	slices.SortFunc(l.waiting, func(a, b run) int { return cmp.Compare(a.pos, b.pos) })
	paragraph := 0
	for words.Next() {
		if words.Paragraph() != paragraph {
			paragraph = words.Paragraph()
			l.inParagraph = 0
		}
		start, end := words.Span()
		l.add(words.Word(), start, end)
		if len(l.waiting) == 0 && len(l.open) == 0 {
			break
		}
	}
	for len(l.open) > 0 {
		l.close(0)
	}
	for _, r := range l.waiting {
		l.false(r.gram, r.pos)
	}
	slices.SortFunc(l.found, func(a, b located) int {
		return cmp.Or(cmp.Compare(a.gram, b.gram), cmp.Compare(a.pos, b.pos))
	})
	return l.found
}

// partOf reports whether l lies in the run r.
func (l located) partOf(r run) bool {
	return l.gram >= r.gram && l.run.end() <= r.end() && l.pos-r.pos == uint32(l.gram-r.gram)
}

type word struct {
	text       []byte
	start, end int
}

// An openRun is one that the walk is in.
type openRun struct {
	want  run // what is left of it
	found located
}

type locator struct {
	*shared
	doc         store.DocID
	waiting     []run // not reached yet, by position
	open        []openRun
	found       []located
	known       corrections
	recent      []word // the last n words, a ring
	seen        int    // words so far
	inParagraph int    // words of the paragraph so far
	pos         uint32 // position of the next n-gram
}

// add takes the next word of the source.
func (l *locator) add(text []byte, start, end int) {
	w := &l.recent[l.seen%l.n]
	w.text, w.start, w.end = append(w.text[:0], text...), start, end
	l.seen++
	l.inParagraph++
	if l.inParagraph < l.n {
		return
	}
	for len(l.waiting) > 0 && l.waiting[0].pos == l.pos {
		l.open = append(l.open, openRun{want: l.waiting[0]})
		l.waiting = l.waiting[1:]
	}
	for i := 0; i < len(l.open); {
		if l.step(&l.open[i]) {
			i++
		} else {
			l.close(i)
		}
	}
	l.pos++
}

// step takes the n-gram that the last word ends into the run, and reports
// whether the run goes on.
func (l *locator) step(o *openRun) bool {
	if !l.same(int(l.list[o.want.gram].word)) {
		l.false(o.want.gram, l.pos)
		l.flush(o)
	} else {
		if o.found.k > 0 && l.inParagraph == l.n {
			l.known.borders[store.Posting{Doc: l.doc, Pos: l.pos}] = true
			l.flush(o)
		}
		if o.found.k == 0 {
			o.found = located{run: run{gram: o.want.gram, pos: l.pos}, from: l.oldest().start}
		}
		o.found.k++
		o.found.to = l.recent[(l.seen-1)%l.n].end
	}
	o.want.gram++
	o.want.k--
	return o.want.k > 0
}

// false notes that the n-gram at pos is not the suspect's.
func (l *locator) false(gram int32, pos uint32) {
	l.known.wrong[falseMatch{l.list[gram].hash, store.Posting{Doc: l.doc, Pos: pos}}] = true
}

// same reports whether the last n words are those of the suspect from word on.
func (l *locator) same(word int) bool {
	for i := range l.n {
		if string(l.recent[(l.seen+i)%l.n].text) != l.suspect.words[word+i].Text {
			return false
		}
	}
	return true
}

func (l *locator) oldest() *word { return &l.recent[l.seen%l.n] }

// flush ends what was found of a run so far.
func (l *locator) flush(o *openRun) {
	if o.found.k > 0 {
		l.found = append(l.found, o.found)
	}
	o.found = located{}
}

// close drops the open run i.
func (l *locator) close(i int) {
	l.flush(&l.open[i])
	l.open = slices.Delete(l.open, i, i+1)
}

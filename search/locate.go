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
	word int  // its first word there
	span Span // its bytes
}

// locate finds where runs are in the parts of a source's text, comparing every
// word: a run whose words differ was a false match of hashes. Those, and runs
// that reach over the end of a paragraph of the source, are noted in known. The
// runs come back in order of their first n-gram in the suspect.
func locate(s *shared, b *body, doc store.DocID, runs []run, known corrections) []located {
	waiting := slices.SortedFunc(slices.Values(runs), func(a, b run) int { return cmp.Compare(a.pos, b.pos) })
	var found []located
	for _, p := range b.parts {
		l := locator{shared: s, doc: doc, part: p, waiting: waiting, known: known}
		if size, ok := b.plan.marks.Size(s.n); ok {
			l.pos = uint32(p.before.Grams[size])
		}
		found = append(found, l.walk()...)
		waiting = l.waiting
	}
	for _, r := range waiting {
		known.refute(s, doc, r)
	}
	slices.SortFunc(found, func(a, b located) int {
		return cmp.Or(cmp.Compare(a.gram, b.gram), cmp.Compare(a.pos, b.pos))
	})
	return found
}

// partOf reports whether l lies in the run r.
func (l located) partOf(r run) bool {
	return l.gram >= r.gram && l.run.end() <= r.end() && l.pos-r.pos == uint32(l.gram-r.gram)
}

// An openRun is one that the walk is in.
type openRun struct {
	want  run // rest of the run
	found located
	to    int // past its last word, counted in the part
}

// A locator walks the words of a part.
type locator struct {
	*shared
	doc         store.DocID
	part        *textPart
	waiting     []run // not reached yet, by position
	open        []openRun
	found       []located
	known       corrections
	outside     int    // words of the paragraph that lie before the part
	inParagraph int    // words of it that are in the part
	pos         uint32 // position of the next n-gram
}

// walk passes all words of the part, while there is something to find.
func (l *locator) walk() []located {
	breaks := l.part.breaks
	l.outside = int(l.part.before.Inside)
	for i := range l.part.words {
		if len(breaks) > 0 && breaks[0] == i {
			if i > 0 {
				l.outside = 0
			}
			breaks, l.inParagraph = breaks[1:], 0
		}
		l.add(i)
		if len(l.waiting) == 0 && len(l.open) == 0 {
			break
		}
	}
	for len(l.open) > 0 { // the text ends before the run does
		l.known.refute(l.shared, l.doc, l.open[0].want)
		l.close(0)
	}
	return l.found
}

// add takes word i of the part. An n-gram that begins before the part cannot be
// compared; a part begins early enough that none is asked for.
func (l *locator) add(i int) {
	l.inParagraph++
	if l.inParagraph+l.outside < l.n {
		return
	}
	if l.inParagraph >= l.n {
		l.gram(i)
	}
	l.pos++
}

// gram takes the n-gram that ends with word i.
func (l *locator) gram(i int) {
	for len(l.waiting) > 0 && l.waiting[0].pos == l.pos {
		l.open = append(l.open, openRun{want: l.waiting[0]})
		l.waiting = l.waiting[1:]
	}
	for k := 0; k < len(l.open); {
		if l.step(&l.open[k], i+1-l.n) {
			k++
		} else {
			l.close(k)
		}
	}
}

// step extends the run by the n-gram that starts at word i, and reports whether the run
// continues.
func (l *locator) step(o *openRun, i int) bool {
	if !l.same(int(l.list[o.want.gram].word), i) {
		l.known.refute(l.shared, l.doc, run{o.want.gram, o.want.pos, 1})
		l.flush(o)
	} else {
		if o.found.k > 0 && l.inParagraph == l.n {
			l.known.borders[store.Posting{Doc: l.doc, Pos: l.pos}] = true
			l.flush(o)
		}
		if o.found.k == 0 {
			o.found = located{run: run{gram: o.want.gram, pos: l.pos}, word: i}
		}
		o.found.k++
		o.to = i + l.n
	}
	o.want = run{gram: o.want.gram + 1, pos: o.want.pos + 1, k: o.want.k - 1}
	return o.want.k > 0
}

// same reports whether the n words from i on are those of the suspect from word
// on.
func (l *locator) same(word, i int) bool {
	return slices.EqualFunc(l.part.words[i:i+l.n], l.suspect.words[word:word+l.n], func(a, b normalize.Word) bool { return a.Text == b.Text })
}

// flush ends the part of a run that has been confirmed.
func (l *locator) flush(o *openRun) {
	if o.found.k > 0 {
		o.found.span = l.part.span(l.part.words[o.found.word].Start, l.part.words[o.to-1].End)
		o.found.word += int(l.part.before.Word)
		l.found = append(l.found, o.found)
	}
	o.found = located{}
}

// close drops the open run k.
func (l *locator) close(k int) {
	l.flush(&l.open[k])
	l.open = slices.Delete(l.open, k, k+1)
}

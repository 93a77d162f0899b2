package dedup

import (
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/otisk/otisk/corpus/roll"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/normalize"
)

var errNotUTF8 error = phrase.Error("cause.bytes-not-utf8", "its bytes are not UTF-8")

// A wordReader splits texts into paragraphs and words, which are the tokens.
type wordReader struct {
	o       *Options
	hash    bool
	norm    *normalize.Normalizer
	rollers sync.Pool
}

func (w *wordReader) init(o *Options, hash bool) {
	w.o, w.hash = o, hash
	w.norm, _ = o.Norms.For("text/plain", "txt")
	w.rollers.New = func() any { return roll.New(o.N, o.OnionHash) }
}

// addText adds the paragraphs of a text, which is a document, to b, with the places
// where they start in it.
func (w *wordReader) addText(b *block, text string) {
	r := w.rollers.Get().(*roll.Roller)
	defer w.rollers.Put(r)
	r.Reset()
	t := taking{w: w, b: b, r: r, text: text, paragraph: -1}
	mode := w.norm.Mode(text)
	b.separators.Add(text, mode)
	s := w.norm.Scan(text, mode)
	for s.Next() {
		if s.Paragraph() != t.paragraph {
			if t.paragraph >= 0 {
				t.started(s.Ended())
			}
			t.open(s.Paragraph())
		}
		start, end := s.Span()
		t.word(s.Word(), start, end)
	}
	if t.paragraph >= 0 {
		t.started(s.Ended())
	}
}

type taking struct {
	w         *wordReader
	b         *block
	r         *roll.Roller
	text      string
	paragraph int
	number    uint32 // words since the last reset of the n-grams
	last      int    // where the last word ended
}

// open begins a paragraph. If documents are judged as a whole, the paragraph is part of the
// previous one.
func (t *taking) open(number int) {
	first := t.paragraph < 0
	t.paragraph = number
	if t.w.o.Rule == Tuples {
		t.restart()
	}
	if first || !t.w.o.Documents {
		t.b.pars = append(t.b.pars, par{token: t.b.toks})
	}
}

// started notes where a paragraph starts, which is known when it has ended.
func (t *taking) started(start, _ int) {
	if len(t.b.cuts) < len(t.b.pars) {
		t.b.cuts = append(t.b.cuts, uint32(start))
	}
}

func (t *taking) restart() {
	t.r.Reset()
	t.number = 0
}

func (t *taking) word(word []byte, start, end int) {
	if t.w.o.Rule == Tuples && t.number > 0 && strings.ContainsAny(t.text[t.last:start], ".!?…") {
		t.restart()
	}
	t.last = end
	if t.number++; t.number >= uint32(t.w.o.N) {
		t.b.pars[len(t.b.pars)-1].tuples++
	}
	if t.w.hash {
		t.add(word)
	}
	t.b.toks++
}

func (t *taking) add(word []byte) {
	h := uint64(0)
	if t.w.o.OnionHash {
		h = roll.Onion(word)
	} else {
		h = roll.Hash(word)
	}
	if g, ok := t.r.Add(h); ok {
		t.b.grams = append(t.b.grams, gram{g, t.b.toks})
	}
}

// A textLayout parses plain text: a file is a document.
type textLayout struct{ wordReader }

func newText(o *Options, hash bool) *textLayout {
	t := &textLayout{}
	t.init(o, hash)
	return t
}

func (t *textLayout) parse(b *block) {
	b.docs = append(b.docs, doc{to: uint32(len(b.Data))})
	if !utf8.Valid(b.Data) {
		b.bad = append(b.bad, problem{b.path, phrase.Error("corpus.file-stays", "{cause}; it stays as it is", "cause", errNotUTF8)})
		return
	}
	t.addText(b, string(b.Data))
}

func (t *textLayout) format(b *block, mark bool) {
	for i := range b.docs {
		b.eachPiece(i, func(start, end uint32, bad bool) {
			switch {
			case mark:
				b.markText(b.Data[start:end], bad)
			case !bad:
				b.out = append(b.out, b.Data[start:end]...)
			}
		})
	}
}

// eachPiece calls fn with the pieces of document i: the text before its first
// paragraph, then each paragraph with the separator that follows it.
func (b *block) eachPiece(i int, fn func(start, end uint32, bad bool)) {
	d := b.docs[i]
	last, _ := b.end(i)
	if d.par == last {
		fn(d.from, d.to, false)
		return
	}
	if first := b.cuts[d.par]; first > d.from {
		fn(d.from, first, d.empty)
	}
	for p := d.par; p < last; p++ {
		end := d.to
		if p+1 < last {
			end = b.cuts[p+1]
		}
		fn(b.cuts[p], end, b.pars[p].bad)
	}
}

// markText writes lines with their marks before them.
func (b *block) markText(text []byte, bad bool) {
	for len(text) > 0 {
		end := min(lineEnd(text)+1, len(text))
		b.out = append(b.out, '0', '\t')
		if bad {
			b.out[len(b.out)-2] = '1'
		}
		b.out = append(b.out, text[:end]...)
		text = text[end:]
	}
}

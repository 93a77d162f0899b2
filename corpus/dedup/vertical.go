package dedup

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"sync"

	"github.com/otisk/otisk/corpus"
	"github.com/otisk/otisk/corpus/roll"
	"github.com/otisk/otisk/normalize"
)

// A vertical knows vertical files: lines, of which those that begin with < are
// tags. What begins and ends a document and a paragraph is just what onion
// takes for it: any line after one that begins with </doc> begins a document,
// and each document begins a paragraph.
type vertical struct {
	o       *Options
	hash    bool
	simple  bool // a token is a line as it is, and n-grams do not heed sentences
	rollers sync.Pool
	words   sync.Pool
}

func newVertical(o *Options, hash bool) *vertical {
	v := &vertical{o: o, hash: hash, simple: o.Column == 0 && o.Words == nil && o.Rule != Tuples}
	v.rollers.New = func() any { return roll.New(o.N, o.OnionHash) }
	v.words.New = func() any { return newWordHasher(o.Words) }
	return v
}

// A verticalState is how far a block is taken apart.
type verticalState struct {
	b        *block
	r        *roll.Roller
	w        *wordHasher
	at       int    // where the line starts
	open     int    // where the document started that has not ended; -1 for none
	startDoc bool   // the next line begins a document
	startPar bool   // the next line begins a paragraph, unless it does something else
	number   uint32 // of tokens in the document, or in the sentence with the rule of tuples
}

// parse implements [layout].
func (v *vertical) parse(b *block) {
	s := verticalState{b: b, r: v.rollers.Get().(*roll.Roller), w: v.words.Get().(*wordHasher), open: -1, startDoc: true}
	defer v.rollers.Put(s.r)
	defer v.words.Put(s.w)
	data := b.Data
	for at := 0; at < len(data); {
		if v.simple && data[at] != '<' && !s.startDoc && !s.startPar {
			at = v.tokens(&s, data, at)
			continue
		}
		end := at + lineEnd(data[at:])
		s.at = at
		v.line(&s, data[at:end])
		b.lines = append(b.lines, uint32(end))
		at = end + 1
	}
	s.unended()
}

// What may be wrong with a document of a vertical file. It is judged, and written as it is.
var (
	errNoEnd   = errors.New("no </doc> before the next document; it ends there")
	errNoStart = errors.New("text outside of any <doc>; it is a document of its own")
)

// unended names the document that has not ended, if there is one.
func (s *verticalState) unended() {
	if s.open >= 0 {
		s.problem(s.open, errNoEnd)
	}
	s.open = -1
}

func (s *verticalState) problem(at int, err error) {
	s.b.bad = append(s.b.bad, problem{fmt.Sprintf("%s: byte %d", s.b.path, s.b.Offset+int64(at)), err})
}

// starts takes the first line of a document.
func (s *verticalState) starts(line []byte, tag bool) {
	s.unended()
	switch {
	case tag && startsTag(line, "<doc"):
		s.open = s.at
	case !tag && len(bytes.TrimSpace(line)) > 0:
		s.problem(s.at, errNoStart)
	}
}

// tokens takes the lines from at on up to the next tag, which are tokens as they
// are, and returns where it begins.
func (v *vertical) tokens(s *verticalState, data []byte, at int) int {
	b := s.b
	if !v.hash {
		first := len(b.lines)
		b.lines, at = appendLines(b.lines, data, at)
		b.toks += uint32(len(b.lines) - first)
		return at
	}
	for at < len(data) && data[at] != '<' {
		var h uint64
		if v.o.OnionHash {
			h, at = onionLine(data, at)
		} else {
			h, at = hashLine(data, at)
		}
		if g, ok := s.r.Add(h); ok {
			b.grams = append(b.grams, gram{g, b.toks})
		}
		b.toks++
		b.lines = append(b.lines, uint32(at))
		at++
	}
	return at
}

// onionLine returns the hash that onion has of the line that starts at at, and where
// it ends. After data there are line feeds.
func onionLine(data []byte, at int) (h uint64, end int) {
	end = at
	for over := data[: len(data)+1 : cap(data)]; over[end] != '\n'; {
		end++
	}
	return roll.Onion(data[at:end]), end
}

// appendLines appends to lines the ends of those from at on up to the next tag, and
// returns where it begins. It looks at eight bytes at once, and so over the end of
// data, where there are line feeds.
func appendLines(lines []uint32, data []byte, at int) ([]uint32, int) {
	over := data[: len(data)+8 : cap(data)]
	for at < len(data) && data[at] != '<' {
		x := binary.LittleEndian.Uint64(over[at:]) ^ lineFeeds
		feed := (x - eachByte) &^ x & highBits
		if feed == 0 {
			at += 8
			at += lineEnd(data[at:])
		} else {
			at += bits.TrailingZeros64(feed) >> 3
		}
		lines = append(lines, uint32(at))
		at++
	}
	return lines, at
}

// lineEnd returns where the first line of data ends.
func lineEnd(data []byte) int {
	if end := bytes.IndexByte(data, '\n'); end >= 0 {
		return end
	}
	return len(data)
}

const (
	eachByte  = 0x0101010101010101
	highBits  = 0x8080808080808080
	lineFeeds = '\n' * eachByte
)

// hashLine returns the hash of the line that starts at at, and where it ends. It
// looks at eight bytes at once, and reads over the end of data: a block has
// line feeds there.
func hashLine(data []byte, at int) (h uint64, end int) {
	start := at
	over := data[: len(data)+8 : cap(data)]
	var eight uint64
	for {
		eight = binary.LittleEndian.Uint64(over[at:])
		x := eight ^ lineFeeds
		if feed := (x - eachByte) &^ x & highBits; feed != 0 {
			n := bits.TrailingZeros64(feed) >> 3
			eight &= 1<<(8*n) - 1
			at += n
			break
		}
		h = roll.Step(h, eight)
		at += 8
	}
	h = roll.Step(h, eight) + uint64(at-start)
	return roll.Finish(h), at
}

// line takes one line.
func (v *vertical) line(s *verticalState, line []byte) {
	tag := len(line) > 0 && line[0] == '<'
	switch {
	case s.startDoc || tag && startsTag(line, "<doc"):
		s.b.docs = append(s.b.docs, doc{par: uint32(len(s.b.pars)), token: s.b.toks})
		s.starts(line, tag)
		s.startParagraph(true)
		s.startDoc = false
		s.restart()
	case tag && bytes.HasPrefix(line, docEnd):
		s.startDoc, s.open = true, -1
	case s.startPar || tag && startsTag(line, "<p"):
		s.startParagraph(!v.o.Documents)
		s.startPar = false
		if v.o.Rule == Tuples {
			s.restart()
		}
	case tag && bytes.HasPrefix(line, parEnd):
		s.startPar = true
	case tag && v.o.Rule == Tuples && (startsTag(line, "<s") || bytes.HasPrefix(line, sentenceEnd)):
		s.restart()
	}
	if !tag {
		v.token(s, line)
	}
}

var (
	docEnd      = []byte("</doc>")
	parEnd      = []byte("</p>")
	sentenceEnd = []byte("</s>")
)

// startsTag reports whether a line begins with this tag.
func startsTag(line []byte, tag string) bool {
	return len(line) > len(tag) && string(line[:len(tag)]) == tag && (line[len(tag)] == ' ' || line[len(tag)] == '>')
}

func (s *verticalState) startParagraph(yes bool) {
	if yes {
		s.b.pars = append(s.b.pars, par{line: uint32(len(s.b.lines)), token: s.b.toks})
	}
}

// restart has no n-gram reach over this place.
func (s *verticalState) restart() {
	s.r.Reset()
	s.number = 0
}

// token takes a line that is one.
func (v *vertical) token(s *verticalState, line []byte) {
	compared, h := line, uint64(0)
	if v.o.Column > 0 {
		compared = corpus.Column(line, v.o.Column)
	}
	if v.o.Words != nil {
		var any bool
		if h, any = s.w.hash(compared); !any {
			v.endSentence(s, compared)
			return
		}
	} else if v.hash {
		h = v.hashToken(compared, v.o.Column > 0)
	}
	s.number++
	full := s.number >= uint32(v.o.N)
	if full {
		s.b.pars[len(s.b.pars)-1].tuples++
	}
	if v.hash {
		if g, ok := s.r.Add(h); ok {
			s.b.grams = append(s.b.grams, gram{g, s.b.toks})
		}
	}
	s.b.toks++
	v.endSentence(s, compared)
}

// endSentence has a sentence end after a token that says so.
func (v *vertical) endSentence(s *verticalState, token []byte) {
	if v.o.Rule == Tuples && len(token) > 0 && len(bytes.Trim(token, ".!?…")) == 0 {
		s.restart()
	}
}

// hashToken returns the hash of a line, or of a part of one.
func (v *vertical) hashToken(token []byte, part bool) (h uint64) {
	switch {
	case v.o.OnionHash:
		return roll.Onion(token)
	case part:
		return roll.Hash(token)
	}
	h, _ = hashLine(token, 0)
	return h
}

// A wordHasher hashes the normalised words of tokens, which it remembers.
type wordHasher struct {
	norm  *normalize.Normalizer
	known map[string]uint64 // 0 for a token without a word
}

// mostKnown is how many tokens are remembered.
const mostKnown = 1 << 17

func newWordHasher(norm *normalize.Normalizer) *wordHasher {
	return &wordHasher{norm, map[string]uint64{}}
}

// hash returns the hash of the words of a token; any is false where it has none.
func (w *wordHasher) hash(token []byte) (h uint64, any bool) {
	h, ok := w.known[string(token)]
	if !ok {
		for s := w.norm.Scan(string(token), normalize.Whole); s.Next(); {
			h = roll.Step(h, roll.Hash(s.Word())) | 1
		}
		if len(w.known) == mostKnown {
			clear(w.known)
		}
		w.known[string(token)] = h
	}
	return h, h != 0
}

// format implements [layout].
func (v *vertical) format(b *block, mark bool) {
	if need := len(b.Data) + 2*len(b.lines) + 2*wide; cap(b.out) < need {
		b.out = make([]byte, 0, need+need/8)
	}
	for i := range b.docs {
		v.formatDoc(b, i, mark)
	}
}

// formatDoc writes a document. Its tags at its ends stay if anything of it does.
func (v *vertical) formatDoc(b *block, i int, mark bool) {
	end, _ := b.end(i)
	first, last := b.pars[b.docs[i].par].line, b.parEnd(end-1)-1
	for p := b.docs[i].par; p < end; p++ {
		from, to := b.pars[p].line, b.parEnd(p)
		if from == first && bytes.HasPrefix(b.line(first), []byte("<doc")) {
			b.writeLines(first, first+1, b.docs[i].empty, mark)
			from++
		}
		closing := to-1 == last && to > from && string(b.line(last)) == "</doc>"
		if closing {
			to--
		}
		b.writeLines(from, to, b.pars[p].bad, mark)
		if closing {
			b.writeLines(last, last+1, b.docs[i].empty, mark)
		}
	}
}

// parEnd returns the line after the last of paragraph i.
func (b *block) parEnd(i uint32) uint32 {
	if int(i)+1 < len(b.pars) {
		return b.pars[i+1].line
	}
	return uint32(len(b.lines))
}

// lineStart returns where line i starts.
func (b *block) lineStart(i uint32) uint32 {
	if i == 0 {
		return 0
	}
	return b.lines[i-1] + 1
}

func (b *block) line(i uint32) []byte { return b.Data[b.lineStart(i):b.lines[i]] }

// wide is how many bytes are copied at once, which is most lines.
const wide = 16

// writeLines writes lines, or their marks before them, or nothing.
func (b *block) writeLines(from, to uint32, bad, mark bool) {
	switch {
	case from >= to:
	case !mark && !bad:
		b.out = append(b.out, b.Data[b.lineStart(from):b.lines[to-1]]...)
		b.out = append(b.out, '\n')
	case mark:
		b.markLines(from, to, bad)
	}
}

// markLines writes lines with their marks before them. b.out has room for all.
func (b *block) markLines(from, to uint32, bad bool) {
	sign := byte('0')
	if bad {
		sign = '1'
	}
	over := b.Data[: len(b.Data)+wide : cap(b.Data)]
	out, at := b.out[:cap(b.out)], len(b.out)
	start := b.lineStart(from)
	for _, end := range b.lines[from:to] {
		out[at], out[at+1] = sign, '\t'
		at += 2
		if size := int(end - start); size <= wide {
			copy(out[at:at+wide], over[start:start+wide])
			at += size
		} else {
			at += copy(out[at:], b.Data[start:end])
		}
		out[at] = '\n'
		at++
		start = end + 1
	}
	b.out = out[:at]
}

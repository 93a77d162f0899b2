package dedup

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/bits"
	"sync"
	"unicode/utf8"

	"github.com/otisk/otisk/corpus"
	"github.com/otisk/otisk/corpus/roll"
	"github.com/otisk/otisk/document/plain"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/normalize"
)

// A vertical parses vertical files. Lines that begin with < are tags. Documents and
// paragraphs are delimited as in onion: any line after one that begins with </doc>
// starts a document, and each document starts a paragraph.
type vertical struct {
	o       *Options
	hash    bool
	simple  bool // a token is an unchanged line, and n-grams cross the ends of sentences
	rollers sync.Pool
	words   sync.Pool

	doc, par       string // "<doc" and "<p"
	docEnd, parEnd []byte // "</doc>" and "</p>"
}

func newVertical(o *Options, tags plain.Tags, hash bool) *vertical {
	v := &vertical{o: o, hash: hash, doc: "<" + tags.Doc, par: "<" + tags.Par, docEnd: []byte("</" + tags.Doc + ">"), parEnd: []byte("</" + tags.Par + ">"), simple: o.Column == 0 && o.Words == nil && o.Rule != Tuples}
	v.rollers.New = func() any { return roll.New(o.N, o.OnionHash) }
	v.words.New = func() any { return &wordHasher{o.Words, map[string]uint64{}} }
	return v
}

type verticalState struct {
	b        *block
	r        *roll.Roller
	w        *wordHasher
	at       int    // where the line starts
	open     int    // where the document started that has not ended; -1 for none
	startDoc bool   // the next line begins a document
	startPar bool   // the next line begins a paragraph, unless it does something else
	number   uint32 // of tokens in the document, or in the sentence with the rule of tuples
	notUTF8  bool   // a token of the document is not UTF-8, and words are compared
	doc      string // "<doc"
	stray    bool   // a token outside of any document was reported
	noColumn bool   // a token of the document lacks the compared column
}

func (v *vertical) parse(b *block) {
	s := verticalState{b: b, doc: v.doc, r: v.rollers.Get().(*roll.Roller), w: v.words.Get().(*wordHasher), open: -1, startDoc: true}
	defer v.rollers.Put(s.r)
	defer v.words.Put(s.w)
	data := b.Data
	for at := 0; at < len(data); {
		if v.simple && data[at] != '<' && !s.startDoc && !s.startPar {
			if s.open < 0 && !s.stray {
				s.outside(at, data[at:at+lineEnd(data[at:])])
			}
			at = v.tokens(&s, data, at)
			continue
		}
		end := at + lineEnd(data[at:])
		s.at = at
		v.line(&s, data[at:end])
		at = end + 1
	}
	s.unended()
}

// unended reports the document without an end, if there is one.
func (s *verticalState) unended() {
	if s.open >= 0 {
		s.problem(s.open, corpus.ErrNoEnd)
	}
	s.open = -1
}

func (s *verticalState) problem(at int, err error) {
	s.b.bad = append(s.b.bad, problem{fmt.Sprintf("%s: byte %d", s.b.path, s.b.Offset+int64(at)), err})
}

// starts takes the first line of a document.
func (s *verticalState) starts(line []byte, tag bool) {
	s.unended()
	s.notUTF8, s.noColumn, s.stray = false, false, false
	if tag && startsTag(line, s.doc) {
		s.open = s.at
	}
}

// outside reports the first token outside of any document; such tokens are judged as a document.
func (s *verticalState) outside(at int, token []byte) {
	if s.open < 0 && !s.stray && len(bytes.TrimSpace(token)) > 0 {
		s.stray = true
		s.problem(at, corpus.ErrNoStart)
	}
}

// tokens adds the lines between at and the next tag as tokens, and returns the offset
// of that tag.
func (v *vertical) tokens(s *verticalState, data []byte, at int) int {
	b := s.b
	if !v.hash {
		end := nextTag(data, at)
		b.toks += countLines(data[at:end])
		return end
	}
	var hashes [256]uint64 // few enough to stay in the nearest cache
	for at < len(data) && data[at] != '<' {
		count := 0
		for ; count < len(hashes) && at < len(data) && data[at] != '<'; count++ {
			hashes[count], at = v.hashLine(data, at)
			at++
		}
		none := s.r.Roll(hashes[:count])
		for i, h := range hashes[none:count] {
			b.grams = append(b.grams, gram{h, b.toks + uint32(none+i)})
		}
		b.toks += uint32(count)
	}
	return at
}

// nextTag returns the offset of the first tag after the line at at, which is a token.
func nextTag(data []byte, at int) int {
	for {
		next := bytes.IndexByte(data[at:], '<')
		if next < 0 {
			return len(data)
		}
		if at += next; data[at-1] == '\n' {
			return at
		}
		at++
	}
}

// countLines returns the number of lines of data. The last one may lack a line feed.
func countLines(data []byte) uint32 {
	count := bytes.Count(data, newline)
	if len(data) > 0 && data[len(data)-1] != '\n' {
		count++
	}
	return uint32(count)
}

var newline = []byte("\n")

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

// feedIn returns the number of the eight bytes before the first line feed, 8 if there
// is none.
func feedIn(eight uint64) int {
	x := eight ^ lineFeeds
	return bits.TrailingZeros64((x-eachByte)&^x&highBits) >> 3
}

// hashLine returns the hash of the line that starts at at, and its end. It reads
// eight bytes at a time, past the end of data, where a block has line feeds.
func (v *vertical) hashLine(data []byte, at int) (h uint64, end int) {
	over := data[: len(data)+8 : cap(data)]
	if v.o.OnionHash {
		return hashOnion(over, at)
	}
	for end = at; ; end += 8 {
		eight := binary.LittleEndian.Uint64(over[end:])
		if size := feedIn(eight); size < 8 {
			end += size
			h = roll.Step(h, eight&(1<<(8*size)-1)) + uint64(end-at)
			return roll.Finish(h), end
		}
		h = roll.Step(h, eight)
	}
}

func hashOnion(over []byte, at int) (h uint64, end int) {
	for end = at; ; end += 8 {
		eight := binary.LittleEndian.Uint64(over[end:])
		size := feedIn(eight)
		if h = roll.OnionStep(h, eight, size); size < 8 {
			return h, end + size
		}
	}
}

func (v *vertical) line(s *verticalState, line []byte) {
	tag := len(line) > 0 && line[0] == '<'
	switch {
	case s.startDoc || tag && startsTag(line, v.doc):
		s.b.docs = append(s.b.docs, doc{par: uint32(len(s.b.pars)), token: s.b.toks})
		s.starts(line, tag)
		s.startParagraph(true)
		s.startDoc = false
		s.restart()
	case tag && bytes.HasPrefix(line, v.docEnd):
		s.startDoc, s.open = true, -1
	case s.startPar || tag && startsTag(line, v.par):
		s.startParagraph(!v.o.Documents)
		s.startPar = false
		if v.o.Rule == Tuples {
			s.restart()
		}
	case tag && bytes.HasPrefix(line, v.parEnd):
		s.startPar = true
	case tag && v.o.Rule == Tuples && (startsTag(line, "<s") || bytes.HasPrefix(line, sentenceEnd)):
		s.restart()
	}
	if !tag {
		s.outside(s.at, line)
		v.token(s, line)
	}
}

var sentenceEnd = []byte("</s>")

func startsTag(line []byte, tag string) bool {
	return len(line) > len(tag) && string(line[:len(tag)]) == tag && (line[len(tag)] == ' ' || line[len(tag)] == '>')
}

func (s *verticalState) startParagraph(yes bool) {
	if yes {
		s.b.pars = append(s.b.pars, par{at: uint32(s.at), token: s.b.toks})
	}
}

// restart makes n-grams start again: none crosses this place.
func (s *verticalState) restart() {
	s.r.Reset()
	s.number = 0
}

func (v *vertical) token(s *verticalState, line []byte) {
	compared, h := line, uint64(0)
	if v.o.Column > 0 {
		if compared = corpus.Column(line, v.o.Column); compared == nil && len(line) > 0 {
			compared = line
			s.lacksColumn(v.o.Column)
		}
	}
	if v.o.Words != nil && s.isUTF8(compared) {
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

// lacksColumn reports the first token of a document that lacks the compared column.
func (s *verticalState) lacksColumn(number int) {
	if !s.noColumn {
		s.noColumn = true
		s.problem(s.at, phrase.Error("corpus.no-column", "it has no column {column}; such tokens are compared as they are", "column", number))
	}
}

// isUTF8 reports whether a token is UTF-8. The first one of a document that is not
// is reported as a problem.
func (s *verticalState) isUTF8(token []byte) bool {
	if utf8.Valid(token) {
		return true
	}
	if !s.notUTF8 {
		s.notUTF8 = true
		s.problem(s.at, phrase.Error("corpus.tokens-bytes", "{cause}; tokens that are not are compared as they are", "cause", errNotUTF8))
	}
	return false
}

// endSentence ends the sentence if token is a full stop or similar.
func (v *vertical) endSentence(s *verticalState, token []byte) {
	if v.o.Rule == Tuples && len(token) > 0 && len(bytes.Trim(token, ".!?…")) == 0 {
		s.restart()
	}
}

func (v *vertical) hashToken(token []byte, part bool) (h uint64) {
	switch {
	case part && v.o.OnionHash:
		return roll.Onion(token)
	case part:
		return roll.Hash(token)
	}
	h, _ = v.hashLine(token, 0)
	return h
}

type wordHasher struct {
	norm  *normalize.Normalizer
	known map[string]uint64 // 0 for a token without a word
}

const mostKnown = 1 << 17

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

func (v *vertical) format(b *block, mark bool) {
	need := len(b.Data) + 1 + wide
	if mark {
		need += 2 * int(countLines(b.Data))
	}
	if cap(b.out) < need {
		b.out = make([]byte, 0, need+need/8)
	}
	for i := range b.docs {
		v.formatDoc(b, i, mark)
	}
}

// formatDoc writes a document. Its first and last tags are kept if any paragraph is.
func (v *vertical) formatDoc(b *block, i int, mark bool) {
	data, end, empty := b.ended(), 0, b.docs[i].empty
	next, _ := b.end(i)
	last := b.parEnd(next - 1)
	for p := b.docs[i].par; p < next; p++ {
		at := int(b.pars[p].at)
		end = b.parEnd(p)
		if p == b.docs[i].par && bytes.HasPrefix(data[at:end], []byte(v.doc)) {
			start := at
			at += lineEnd(data[at:]) + 1
			b.writeLines(data[start:at], empty, mark)
		}
		if end == last && isLastLine(data[at:end], v.docEnd) {
			end -= len(v.docEnd) + 1
		}
		b.writeLines(data[at:end], b.pars[p].bad, mark)
	}
	b.writeLines(data[end:last], empty, mark)
}

// isLastLine reports whether lines, each with a line feed, end with this one.
func isLastLine(lines, line []byte) bool {
	before, ok := bytes.CutSuffix(lines[:max(0, len(lines)-1)], line)
	return ok && (len(before) == 0 || before[len(before)-1] == '\n')
}

// ended returns the data of a block, with a line feed at its end.
func (b *block) ended() []byte {
	if b.Data[len(b.Data)-1] == '\n' {
		return b.Data
	}
	return b.Data[:len(b.Data)+1] // of what is after a block
}

func (b *block) parEnd(i uint32) int {
	if int(i)+1 < len(b.pars) {
		return int(b.pars[i+1].at)
	}
	return len(b.ended())
}

// wide is how many bytes are copied at once, which is most lines.
const wide = 16

// writeLines writes lines, or their marks before them, or nothing. After them more
// may be read.
func (b *block) writeLines(lines []byte, bad, mark bool) {
	switch {
	case mark:
		b.markLines(lines, bad)
	case !bad:
		b.out = append(b.out, lines...)
	}
}

// markLines writes lines with their marks before them. b.out has room for all.
func (b *block) markLines(lines []byte, bad bool) {
	sign := byte('0')
	if bad {
		sign = '1'
	}
	over := lines[: len(lines)+wide-1 : cap(lines)]
	out, to := b.out[:cap(b.out)], len(b.out)
	for at := 0; at < len(lines); {
		end := at
		size := feedIn(binary.LittleEndian.Uint64(over[end:]))
		for end += size; size == 8; end += size {
			size = feedIn(binary.LittleEndian.Uint64(over[end:]))
		}
		end++
		out[to], out[to+1] = sign, '\t'
		to += 2
		if end-at <= wide {
			copy(out[to:to+wide], over[at:at+wide])
			to += end - at
		} else {
			to += copy(out[to:], lines[at:end])
		}
		at = end
	}
	b.out = out[:to]
}

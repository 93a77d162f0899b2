package align

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/otisk/otisk/normalize"
)

// Words of Chinese characters are cut by a rule without a dictionary, at places that depend on
// both neighbours. A reworded text therefore shares few of these words with its source, even
// where the two share words of the language. Within this package, each such character is a
// word of its own, a piece: it is compared together with the character that follows it, as
// in the overlapping pairs of Lucene's CJKAnalyzer, or alone at the end of a sequence of
// such characters. All other words are one piece. Passages are counted in words again.

// A pieces maps the words of a text to its pieces.
type pieces struct {
	words []normalize.Word
	first []int32 // by word: its first piece; one more for the end
}

// piecesOf returns the pieces of a text in the form of words, and their relation to the
// words. The second result is nil, and the first the words themselves, if no word has
// Chinese characters.
func piecesOf(t Text) ([]normalize.Word, *pieces) {
	if !slices.ContainsFunc(t.Words, isChinese) {
		return t.Words, nil
	}
	list := make([]normalize.Word, 0, 2*len(t.Words))
	first := make([]int32, 0, len(t.Words)+1)
	joined := joinedChinese(t.Words)
	for i, w := range t.Words {
		first = append(first, int32(len(list)))
		if !isChinese(w) {
			list = append(list, w)
			continue
		}
		follows := i+1 < len(t.Words) && isChinese(t.Words[i+1]) && strings.TrimSpace(t.Text[w.End:t.Words[i+1].Start]) == ""
		for at := 0; at < len(w.Text); {
			_, size := utf8.DecodeRuneInString(w.Text[at:])
			end := at + size
			if end < len(w.Text) || follows {
				_, next := utf8.DecodeRuneInString(joined[end:])
				end += next
			}
			list = append(list, normalize.Word{Text: joined[at:end], Start: w.Start, End: w.Start})
			at += size
		}
		list[len(list)-1].End = w.End // the pieces before it are not next to other text
		joined = joined[len(w.Text):]
	}
	return list, &pieces{t.Words, append(first, int32(len(list)))}
}

// isChinese reports whether a word consists of Chinese characters.
func isChinese(w normalize.Word) bool {
	if w.Text == "" || w.Text[0] < 0xE3 {
		return false
	}
	r, _ := utf8.DecodeRuneInString(w.Text)
	return normalize.Chinese(r)
}

// joinedChinese returns all words of Chinese characters without spaces.
func joinedChinese(words []normalize.Word) string {
	var b strings.Builder
	for _, w := range words {
		if isChinese(w) {
			b.WriteString(w.Text)
		}
	}
	return b.String()
}

// slice returns the pieces of the words [from, to). It returns nil for a text of which each
// word is one piece.
func (x *pieces) slice(from, to int) *pieces {
	if x == nil {
		return nil
	}
	return &pieces{x.words[from:to], x.first[from : to+1]}
}

// begin returns the first piece of a word, or the number of pieces for the end.
func (x *pieces) begin(word int) int32 { return x.first[word] - x.first[0] }

// wordAt returns the word of a piece.
func (x *pieces) wordAt(piece int32) int32 {
	at, found := slices.BinarySearch(x.first, piece+x.first[0])
	if !found {
		at--
	}
	return int32(at)
}

// asText returns the text as it was prepared.
func (p *Prepared) asText() Text {
	if p.pieces != nil {
		return Text{Words: p.pieces.words, Text: p.text}
	}
	return Text{Words: p.words, Text: p.text}
}

// place returns the place of a word in p.words.
func (p *Prepared) place(word int) int {
	if p.pieces == nil {
		return word
	}
	return int(p.pieces.begin(word))
}

// inWords returns the words of which a span has pieces.
func (p *Prepared) inWords(s span) span {
	if p.pieces == nil {
		return s
	}
	return span{p.pieces.wordAt(s.from), p.pieces.wordAt(s.to-1) + 1}
}

// startsWord reports whether a word begins with a piece, or the text ends before it.
func (p *Prepared) startsWord(piece int32) bool {
	return p.pieces == nil || int(piece) == len(p.words) || p.pieces.begin(int(p.pieces.wordAt(piece))) == piece
}

// wholeWords returns a candidate that is a run of equal pieces without the pieces at its ends
// that are not whole words on both sides. ok is false if nothing is left.
func (p *pair) wholeWords(c candidate) (whole candidate, ok bool) {
	for c.a.len() > 0 && !(p.a.startsWord(c.a.from) && p.b.startsWord(c.b.from)) {
		c.a.from++
		c.b.from++
	}
	for c.a.len() > 0 && !(p.a.startsWord(c.a.to) && p.b.startsWord(c.b.to)) {
		c.a.to--
		c.b.to--
	}
	return c, c.a.len() > 0
}

// passageInWords returns the passage of a candidate whose texts have pieces. ok is false if it has
// fewer words than a passage may have.
func (p *pair) passageInWords(c candidate, limits *Params) (out Passage, ok bool) {
	least := limits.MinWords
	if c.kind == Exact {
		least = limits.Verbatim
		if c, ok = p.wholeWords(c); !ok {
			return out, false
		}
	}
	a, b := p.a.inWords(c.a), p.b.inWords(c.b)
	if min(a.len(), b.len()) < least || a.len()+b.len() < limits.MinBoth {
		return out, false
	}
	suspect, source := p.a.asText().Words, p.b.asText().Words
	numbers := map[string]int32{}
	m := matchForms(formsIn(suspect[a.from:a.to], numbers), formsIn(source[b.from:b.to], numbers), a, b)
	out = m.passage(c.kind, a, b)
	out.Suspect, out.Source = rangeIn(suspect, a), rangeIn(source, b)
	return out, true
}

// formsIn returns the numbers of words, new ones for those that have none.
func formsIn(words []normalize.Word, numbers map[string]int32) []int32 {
	forms := make([]int32, len(words))
	for i, w := range words {
		n, known := numbers[w.Text]
		if !known {
			n = int32(len(numbers))
			numbers[w.Text] = n
		}
		forms[i] = n
	}
	return forms
}

// originsOf returns the origins of words by those of their first pieces.
func (x *pieces) originsOf(origins []int32) []int32 {
	list := make([]int32, len(x.words))
	for i := range list {
		list[i] = x.wordAt(origins[x.begin(i)])
	}
	return list
}

// chinese returns the number of Chinese characters of the text.
func (p *Prepared) chinese() int {
	if p.pieces == nil {
		return 0
	}
	n := 0
	for i, w := range p.pieces.words {
		if isChinese(w) {
			n += int(p.pieces.first[i+1] - p.pieces.first[i])
		}
	}
	return n
}

// chineseShare is the number of words and pieces for each Chinese character at which two texts
// are compared by the settings for pieces.
const chineseShare = 8

// forPieces returns the settings for two texts: p itself, or, if they have enough Chinese
// characters, settings for pieces.
//
// Lengths are in pieces, of which a word has 1.6. Two texts in one language share many pairs
// of characters by chance and lose others to each exchanged word, since two pairs reach
// over its ends: passages need more weight, and a lower share of it. The settings were chosen
// by two translations of the New Testament into Chinese and into Japanese, and by Bibles with
// planted copies.
func (p *Params) forPieces(suspect, source *Prepared) Params {
	out := *p
	if chineseShare*(suspect.chinese()+source.chinese()) < suspect.Len()+source.Len() {
		return out
	}
	for _, x := range []*int{&out.LeastWords, &out.Radius, &out.Gap, &out.SourceGap, &out.Reach, &out.LongRun, &out.Snap, &out.MinWords} {
		*x = int(float64(*x)*1.6 + 0.5)
	}
	times(0.8, &out.MinShare, &out.LowShare, &out.Second.MinShare, &out.Second.LowShare, &out.Widen.MaxShare)
	times(0.7, &out.Toll, &out.SourceToll, &out.Second.Toll, &out.Second.SourceToll)
	times(2, &out.MinMass, &out.Mass, &out.Second.MinMass, &out.Widen.Mass, &out.SplitFall)
	out.PairValue = 0.5
	out.Whole = WholeParams{} // off: it matched reports on different events, and found no further copies
	return out
}

// times multiplies settings by a factor.
func times(factor float64, settings ...*float64) {
	for _, x := range settings {
		*x *= factor
	}
}

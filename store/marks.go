package store

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
	"sort"

	"github.com/otisk/otisk/lang/phrase"
)

// Marks roughly locate the words, n-grams and pairs of a text: they divide the text into
// blocks of some hundreds of words, and count what precedes each block. So a reader can
// find an n-gram without reading the text before it. A [Marker] makes them.
type Marks struct {
	Sizes  []int  // of counted n-grams
	Blocks []Mark // the start of each block, and the end of the last one
}

// A Mark is the position at the start of a block, with the counts up to there. It lies
// between code points, and no word extends over it.
type Mark struct {
	Byte, Rune, Word int64
	Inside           int64   // words before it of the paragraph that continues over it, at most maxInside
	Pairs            int64   // pairs that end before it
	Grams            []int64 // n-grams that end before it, by Marks.Sizes
}

// maxInside limits Inside: no n-gram has more words.
const maxInside = 1<<16 - 1

// A Marker makes the marks of a text while its words are read.
type Marker struct {
	marks  Marks
	text   string
	at     Mark
	inside int64 // words of the current paragraph so far
}

// NewMarker returns a marker for a text that counts n-grams of these sizes.
func NewMarker(text string, sizes []int) *Marker {
	m := &Marker{text: text, marks: Marks{Sizes: slices.Clone(sizes)}}
	m.at.Grams = make([]int64, len(sizes))
	return m
}

// Add adds a block: the offset after its last word, the number of its words, the indices of
// words that begin a paragraph (ascending, from 0), and the number of pairs in the text up
// to there.
func (m *Marker) Add(end, words int, breaks []int, pairs int64) {
	begins := len(breaks) > 0 && breaks[0] == 0
	m.at.Inside = min(m.inside, maxInside)
	if begins {
		m.at.Inside = 0
	}
	m.put()
	from := 0
	for _, b := range breaks {
		m.pass(int64(b - from))
		m.inside, from = 0, b
	}
	m.pass(int64(words - from))
	m.at.Rune += int64(runes(m.text[m.at.Byte:end]))
	m.at.Byte, m.at.Word, m.at.Pairs = int64(end), m.at.Word+int64(words), pairs
}

// pass counts the n-grams that end in words of one paragraph.
func (m *Marker) pass(words int64) {
	for i, n := range m.marks.Sizes {
		m.at.Grams[i] += max(0, m.inside+words-int64(n)+1) - max(0, m.inside-int64(n)+1)
	}
	m.inside += words
}

func (m *Marker) put() {
	mark := m.at
	mark.Grams = slices.Clone(mark.Grams)
	m.marks.Blocks = append(m.marks.Blocks, mark)
}

// Marks returns the marks of the text. The marker must not be used afterwards.
func (m *Marker) Marks() *Marks {
	if len(m.marks.Blocks) == 0 {
		m.put()
	}
	m.at.Rune += int64(runes(m.text[m.at.Byte:]))
	m.at.Byte, m.at.Inside = int64(len(m.text)), 0
	m.put()
	return &m.marks
}

// runes counts the code points, eight bytes at a time.
func runes(s string) (n int) {
	for ; len(s) >= 8; s = s[8:] {
		w := binary.LittleEndian.Uint64([]byte(s[:8]))
		n += 8 - bits.OnesCount64(w>>7&^(w>>6)&0x0101010101010101)
	}
	for i := range len(s) {
		if s[i]&0xC0 != 0x80 {
			n++
		}
	}
	return n
}

// Size returns the index of n in Sizes; ok is false if n-grams of n words are not counted.
func (m *Marks) Size(n int) (i int, ok bool) {
	i = slices.Index(m.Sizes, n)
	return i, i >= 0
}

// Words returns the number of words of the text.
func (m *Marks) Words() int64 { return m.Blocks[len(m.Blocks)-1].Word }

// block returns the last block whose count is at most number. There always is one, since
// the first count is 0.
func (m *Marks) block(count func(*Mark) int64, number int64) int {
	k := sort.Search(len(m.Blocks), func(k int) bool { return count(&m.Blocks[k]) > number })
	return min(max(k-1, 0), len(m.Blocks)-2)
}

// Block returns the number of the block that contains a word, or of the nearest block if
// the text has no such word.
func (m *Marks) Block(word int64) int {
	return m.block(func(b *Mark) int64 { return b.Word }, word)
}

// BlockOf returns the number of the block in which an n-gram ends. size is the result of
// Size.
func (m *Marks) BlockOf(size int, gram int64) int {
	return m.block(func(b *Mark) int64 { return b.Grams[size] }, gram)
}

// NearPair estimates the word that ends a pair by interpolating in its block.
func (m *Marks) NearPair(number int64) int64 {
	k := m.block(func(b *Mark) int64 { return b.Pairs }, number)
	a, b := &m.Blocks[k], &m.Blocks[k+1]
	all := max(b.Pairs-a.Pairs, 1)
	return a.Word + min(number-a.Pairs, all)*(b.Word-a.Word)/all
}

// Marks are encoded as unsigned varints: the version, the numbers of sizes and of marks,
// the sizes, then each mark as its distance from the one before. Similar counts are encoded
// as differences: bytes less code points, words less n-grams. A block of 700 words takes 11
// bytes.
const marksVersion = 1

// Encode returns the encoded marks.
func (m *Marks) Encode() []byte {
	buf := binary.AppendUvarint(nil, marksVersion)
	buf = binary.AppendUvarint(buf, uint64(len(m.Sizes)))
	buf = binary.AppendUvarint(buf, uint64(len(m.Blocks)))
	for _, n := range m.Sizes {
		buf = binary.AppendUvarint(buf, uint64(n))
	}
	before := Mark{Grams: make([]int64, len(m.Sizes))}
	for _, b := range m.Blocks {
		for _, d := range b.since(&before) {
			buf = binary.AppendUvarint(buf, uint64(d))
		}
		before = b
	}
	return buf
}

// since returns the distance of b from the mark before it. All numbers are at least 0.
func (b *Mark) since(a *Mark) []int64 {
	bytes, words := b.Byte-a.Byte, b.Word-a.Word
	list := []int64{bytes, bytes - (b.Rune - a.Rune), words, b.Inside, b.Pairs - a.Pairs}
	for i := range b.Grams {
		list = append(list, words-(b.Grams[i]-a.Grams[i]))
	}
	return list
}

// errMarks means that marks contradict themselves.
var errMarks error = phrase.Error("damage.marks", "marks of its text are inconsistent")

// DecodeMarks decodes marks of a text with length bytes. If they are inconsistent, the
// error wraps [ErrDamaged].
func DecodeMarks(data []byte, length int64) (*Marks, error) {
	r := varints{data: data}
	version, sizes, blocks := r.next(), r.next(), r.next()
	if r.bad || version != marksVersion {
		return nil, phrase.Error("damage.marks-version", "{marks}: version {version}: {cause}", "marks", errMarks, "version", version, "cause", ErrDamaged)
	}
	if sizes > int64(len(data)) || blocks > int64(len(data)) || blocks < 2 || blocks*(5+sizes) > int64(len(data)) {
		return nil, phrase.Error("damage.marks-blocks", "{marks}: {blocks} blocks in {bytes} bytes: {cause}", "marks", errMarks, "blocks", blocks, "bytes", len(data), "cause", ErrDamaged)
	}
	m := &Marks{Sizes: make([]int, sizes), Blocks: make([]Mark, blocks)}
	for i := range m.Sizes {
		m.Sizes[i] = int(r.next())
	}
	grams := make([]int64, blocks*sizes)
	before := Mark{Grams: make([]int64, sizes)}
	for k := range m.Blocks {
		b := &m.Blocks[k]
		b.Grams = grams[:sizes:sizes]
		grams = grams[sizes:]
		b.after(&before, &r)
		before = *b
	}
	first, last := &m.Blocks[0], &m.Blocks[blocks-1]
	if r.bad || len(r.data) > 0 || first.Byte != 0 || first.Word != 0 || last.Byte != length {
		return nil, fmt.Errorf("%w: %w", errMarks, ErrDamaged)
	}
	return m, nil
}

// after decodes the distance of b from the mark before it.
func (b *Mark) after(a *Mark, r *varints) {
	bytes, wide, words := r.next(), r.next(), r.next()
	b.Byte, b.Rune, b.Word = a.Byte+bytes, a.Rune+bytes-wide, a.Word+words
	inside, pairs := r.next(), r.next()
	b.Inside, b.Pairs = inside, a.Pairs+pairs
	r.bad = r.bad || wide > bytes || words > bytes || pairs > words || inside > maxInside
	for i := range b.Grams {
		less := r.next()
		r.bad = r.bad || less > words
		b.Grams[i] = a.Grams[i] + words - less
	}
}

// A varints reads numbers below 2^40, so that sums fit into 64 bits.
type varints struct {
	data []byte
	bad  bool // a number was missing or too large
}

func (r *varints) next() int64 {
	v, n := binary.Uvarint(r.data)
	if n <= 0 || v >= 1<<40 {
		r.bad, r.data = true, nil
		return 0
	}
	r.data = r.data[n:]
	return int64(v)
}

package align

import (
	"hash/maphash"
	"math/bits"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/otisk/otisk/normalize"
)

// keyLetters is how much of a word counts where inflected forms are to meet:
// the rest is taken for its ending. Plagdet over all with 3, 4, 5, 6, 7 letters
// and whole words was 0.934, 0.954, 0.955, 0.955, 0.954 and 0.951 in PAN 2013
// (English), and 0.976, 0.979, 0.982, 0.982, 0.980 and 0.977 in Czech novels
// with copies whose words were inflected, swapped and moved.
//
// A syllable of Hangul is a letter of two or three sounds. With 1, 2, 3 and 5 syllables,
// plagdet of two translations of the New Testament into Korean was .894, .956, .920 and .892.
const (
	keyLetters   = 5
	keySyllables = 2
)

// A Prepared text can be aligned with any other, as suspect or as source, by
// several goroutines at once.
//
// Its words are numbers of a vocabulary: that of the text itself, or that of the
// suspect that it is beside. So two texts are compared without a look at a
// letter, and a stretch of a text is a text too, at no cost.
type Prepared struct {
	text   string
	words  []normalize.Word
	pieces *pieces // relation of words to those of the text; nil if they are the same

	vocabulary *vocabulary
	beside     bool    // whether the vocabulary is that of another text
	forms      []int32 // by word: its number; -1 for none
	keys       []int32 // by word: the number of its first letters
	keyCount   int     // all of those are below it

	seeds   func() *index  // of the runs of seedWords words
	origins func() []int32 // by word: see originsOf
}

// Prepare makes a text ready. It keeps the words, and shares the memory of
// their text.
func Prepare(t Text) *Prepared {
	words, parts := piecesOf(t)
	v := newVocabulary(len(words))
	p := &Prepared{text: t.Text, words: words, pieces: parts, vocabulary: v, forms: make([]int32, len(words)), keys: make([]int32, len(words))}
	for i := range words {
		p.forms[i] = v.add(words[i].Text)
		p.keys[i] = v.keyOf[p.forms[i]]
	}
	p.keyCount = len(v.keys.texts)
	p.index()
	return p
}

// Beside makes a text ready to be the source of p, or of slices of p: its words
// get the numbers that they have there. That takes less time than to prepare it
// by itself. Where it is aligned with another text, it is prepared again.
func (p *Prepared) Beside(t Text) *Prepared {
	s := p.Source(t)
	defer s.Release()
	return s.Slice(0, len(t.Words))
}

// A Source is a text beside a suspect, of which stretches are aligned with it: a
// word gets its number when a stretch is taken that has it. It is used by one
// goroutine; Release gives back memory, and the stretches stay of use.
type Source struct {
	all     Prepared
	own     *table // first letters that the suspect does not have
	waiting int    // words without a number
}

// noNumber is for a key that is not looked up yet.
const noNumber = -1

// Source returns a text from which stretches can be cut.
func (p *Prepared) Source(t Text) *Source {
	if p.beside {
		p = Prepare(p.asText())
	}
	words, parts := piecesOf(t)
	n := len(words)
	numbers := make([]int32, 2*n)
	s := &Source{own: tables.Get().(*table), waiting: n, all: Prepared{
		text: t.Text, words: words, pieces: parts, vocabulary: p.vocabulary, beside: true, forms: numbers[:n:n], keys: numbers[n:],
	}}
	for i := range s.all.keys {
		s.all.keys[i] = noNumber
	}
	return s
}

// Slice returns the words [from, to) as a text of their own.
func (s *Source) Slice(from, to int) *Prepared {
	if s.waiting > 0 {
		s.number(s.all.place(from), s.all.place(to))
	}
	s.all.keyCount = len(s.all.vocabulary.keys.texts) + len(s.own.texts)
	return s.all.Slice(from, to)
}

// number looks up the words [from, to) that have no number yet.
func (s *Source) number(from, to int) {
	v, words, forms, keys := s.all.vocabulary, s.all.words, s.all.forms, s.all.keys
	for i := from; i < to; i++ {
		if keys[i] != noNumber {
			continue
		}
		s.waiting--
		w := words[i].Text
		start := firstLetters(w)
		h := maphash.String(hashSeed, start)
		switch keys[i] = v.keys.findHashed(start, h); {
		case keys[i] < 0: // of most words that the suspect does not have, so the word itself is not looked up
			forms[i], keys[i] = -1, int32(len(v.keys.texts))+s.own.addHashed(start, h)
		case len(start) == len(w):
			forms[i] = v.formOf[keys[i]]
		default:
			forms[i] = v.forms.find(w)
		}
	}
}

// Release gives back memory that no stretch needs. No other can be taken then.
func (s *Source) Release() {
	s.own.release()
	s.own = nil
}

// index prepares the tables that are indexed by the numbers of words.
func (p *Prepared) index() {
	p.seeds = sync.OnceValue(func() *index { return newIndex(gramCodes(p.forms, seedWords)) })
	p.origins = sync.OnceValue(func() []int32 { return originsOf(p.keys) })
}

// Slice returns the words [from, to) of p as a text. It does not read the words again.
func (p *Prepared) Slice(from, to int) *Prepared {
	parts := p.pieces.slice(from, to)
	from, to = p.place(from), p.place(to)
	s := &Prepared{
		text: p.text, pieces: parts, words: p.words[from:to], vocabulary: p.vocabulary, beside: p.beside,
		forms: p.forms[from:to], keys: p.keys[from:to], keyCount: p.keyCount,
	}
	s.index()
	if !p.beside {
		s.origins = sync.OnceValue(func() []int32 { return originsIn(p.origins(), from, to) })
	}
	return s
}

// Len returns the number of words that are compared: those of the text, or its pieces.
func (p *Prepared) Len() int { return len(p.forms) }

// A vocabulary numbers words, and their first letters.
type vocabulary struct {
	forms, keys table
	keyOf       []int32 // by form
	formOf      []int32 // by key: the form of the word that has no other letters, -1 if there is none
}

// newVocabulary returns a vocabulary for a text of this number of words.
func newVocabulary(words int) *vocabulary {
	v := &vocabulary{}
	v.forms.grow(words / 4)
	v.keys.grow(words / 8)
	return v
}

// add returns the number of a word, which may be new.
func (v *vocabulary) add(word string) int32 {
	f := v.forms.add(word)
	if int(f) < len(v.keyOf) {
		return f
	}
	start := firstLetters(word)
	key := v.keys.add(start)
	v.keyOf = append(v.keyOf, key)
	if int(key) == len(v.formOf) {
		v.formOf = append(v.formOf, -1)
	}
	if len(start) == len(word) {
		v.formOf[key] = f
	}
	return f
}

// A table numbers strings as they come: an open hash table, a third as slow as a
// map of the language if most look-ups succeed.
type table struct {
	slots []slot
	texts []string // by number
}

// A slot has the number of a string, plus 1, and some bits of its hash.
type slot struct {
	hash   uint32
	number int32
}

// tables are reused by sources, one after another.
var tables = sync.Pool{New: func() any { return new(table) }}

// hashSeed is the seed of all tables: it is another one in each process, so that
// no text can be written that slows them down.
var hashSeed = maphash.MakeSeed()

// grow makes room for at least this number of strings.
func (t *table) grow(count int) {
	size := 1 << bits.Len(uint(max(2*count, 63)))
	if size <= len(t.slots) {
		return
	}
	t.slots = make([]slot, size)
	for number, s := range t.texts {
		h := maphash.String(hashSeed, s)
		t.slots[t.seek(uint32(h>>32), h, s)] = slot{uint32(h >> 32), int32(number) + 1}
	}
}

// seek returns the slot that has a string, or the free one where it belongs.
func (t *table) seek(hash uint32, h uint64, s string) int {
	mask := len(t.slots) - 1
	at := int(h) & mask
	for {
		x := t.slots[at]
		if x.number == 0 || x.hash == hash && t.texts[x.number-1] == s {
			return at
		}
		at = (at + 1) & mask
	}
}

// find returns the number of a string, or -1.
func (t *table) find(s string) int32 { return t.findHashed(s, maphash.String(hashSeed, s)) }

// findHashed is find for a string with its hash.
func (t *table) findHashed(s string, h uint64) int32 {
	if len(t.slots) == 0 {
		return -1
	}
	return t.slots[t.seek(uint32(h>>32), h, s)].number - 1
}

// add returns the number of a string, which is the next one if it is new.
func (t *table) add(s string) int32 { return t.addHashed(s, maphash.String(hashSeed, s)) }

// addHashed is add for a string with its hash.
func (t *table) addHashed(s string, h uint64) int32 {
	if 2*(len(t.texts)+1) > len(t.slots) {
		t.grow(2 * (len(t.texts) + 1))
	}
	at := t.seek(uint32(h>>32), h, s)
	if t.slots[at].number == 0 {
		t.texts = append(t.texts, s)
		t.slots[at] = slot{uint32(h >> 32), int32(len(t.texts))}
	}
	return t.slots[at].number - 1
}

// release gives the table back, empty. A large one is not worth emptying.
func (t *table) release() {
	if len(t.slots) > maxSlots {
		return
	}
	clear(t.slots)
	clear(t.texts) // they keep their text
	t.texts = t.texts[:0]
	tables.Put(t)
}

// maxSlots is how many slots a table has at most that is used again.
const maxSlots = 1 << 14

// firstLetters cuts a word after keyLetters characters, or keySyllables of Hangul.
func firstLetters(w string) string {
	if start := w[:min(len(w), keyLetters)]; isASCII(start) {
		return start
	}
	at, most := 0, keyLetters
	if r, _ := utf8.DecodeRuneInString(w); unicode.Is(unicode.Hangul, r) {
		most = keySyllables
	}
	for range most {
		if at >= len(w) {
			return w
		}
		_, size := utf8.DecodeRuneInString(w[at:])
		at += size
	}
	return w[:at]
}

// isASCII reports whether s is ASCII.
func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// rangeIn returns a stretch of words with its place in the text.
func rangeIn(words []normalize.Word, s span) Range {
	return Range{
		From: int(s.from), To: int(s.to),
		Start: words[s.from].Start, End: words[s.to-1].End,
	}
}

// places holds the positions of numbered items, by number.
type places struct {
	start []int32 // where the places of each number begin in at
	at    []int32
}

// placesOf sorts places by the number that is there.
func placesOf(numbers []int32, count int) places {
	p := places{start: make([]int32, count+1), at: make([]int32, len(numbers))}
	for _, k := range numbers {
		p.start[k+1]++
	}
	for k := range count {
		p.start[k+1] += p.start[k]
	}
	next := append([]int32(nil), p.start...)
	for i, k := range numbers {
		p.at[next[k]] = int32(i)
		next[k]++
	}
	return p
}

func (p *places) of(k int32) []int32 { return p.at[p.start[k]:p.start[k+1]] }

func (p *places) count(k int32) int { return int(p.start[k+1] - p.start[k]) }

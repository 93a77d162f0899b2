package align

import (
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/otisk/otisk/normalize"
)

// keyLetters is how much of a word counts where inflected forms are to meet:
// the rest is taken for its ending. Plagdet over all with 3, 4, 5, 6, 7 letters
// and whole words was 0.934, 0.954, 0.955, 0.955, 0.954 and 0.951 in PAN 2013
// (English), and 0.976, 0.979, 0.982, 0.982, 0.980 and 0.977 in Czech novels
// with copies whose words were inflected, swapped and moved.
const keyLetters = 5

// A Prepared text can be aligned with any other, as suspect or as source, by
// several goroutines at once.
type Prepared struct {
	text      string
	words     []normalize.Word
	sentences []bool // by word: whether a sentence or paragraph begins there

	forms []int32          // by word: its number among the different words
	form  map[string]int32 // and back
	texts []string         // of the different words

	keys   []int32          // by word: the number of its first letters
	key    map[string]int32 // and back
	starts []string         // the different first letters
	keyed  places           // where each is

	room    *room      // what Release gives back; nil for a slice ...
	whole   *Prepared  // ... of this text
	numbers *numbering // and by its numbers

	pairs func() *index // of the unordered pairs of near words, by first place
	seeds func() *index // of the runs of seedWords words
}

// Prepare makes a text ready. It keeps the words, and shares the memory of
// their text.
func Prepare(t Text) *Prepared {
	n := len(t.Words)
	r := rooms.Get().(*room)
	p := &Prepared{
		text: t.Text, words: t.Words, sentences: sentenceStarts(t),
		forms: make([]int32, n), keys: make([]int32, n),
		room: r, form: r.form, key: r.key, texts: r.texts, starts: r.starts,
	}
	var keyOf []int32 // by form
	for i, w := range t.Words {
		f, ok := p.form[w.Text]
		if !ok {
			f = int32(len(p.texts))
			p.form[w.Text] = f
			p.texts = append(p.texts, w.Text)
			keyOf = append(keyOf, p.keyNumber(firstLetters(w.Text)))
		}
		p.forms[i], p.keys[i] = f, keyOf[f]
	}
	p.index()
	return p
}

// index prepares what is found by the numbers of words.
func (p *Prepared) index() {
	p.keyed = placesOf(p.keys, len(p.starts))
	p.pairs = sync.OnceValue(func() *index { return newIndex(pairCodes(p.keys)) })
	p.seeds = sync.OnceValue(func() *index { return newIndex(gramCodes(p.forms, seedWords)) })
}

// A room is the memory that the numbers of a text's different words take.
type room struct {
	form, key     map[string]int32
	texts, starts []string
}

// rooms are for one text after another.
var rooms = sync.Pool{New: func() any { return &room{form: map[string]int32{}, key: map[string]int32{}} }}

// Release gives back memory that p uses, for the next text. Neither p nor what
// was sliced from it is of use then; passages are.
func (p *Prepared) Release() {
	if p.whole != nil {
		p.numbers.reset()
		numberings.Put(p.numbers)
		p.numbers = nil
		return
	}
	r := p.room
	if r == nil {
		return
	}
	r.texts, r.starts = p.texts[:0], p.starts[:0]
	clear(p.texts) // they keep the text
	clear(p.starts)
	clear(r.form)
	clear(r.key)
	p.room = nil
	rooms.Put(r)
}

// Slice returns the words [from, to) of p as a text of their own. No word is
// looked at again: its numbers come from those of p.
func (p *Prepared) Slice(from, to int) *Prepared {
	n := numberings.Get().(*numbering)
	s := &Prepared{
		text: p.text, words: p.words[from:to], sentences: slices.Clone(p.sentences[from:to]),
		forms: make([]int32, to-from), keys: make([]int32, to-from), whole: p, numbers: n,
	}
	if len(s.sentences) > 0 {
		s.sentences[0] = true
	}
	n.forms.room(len(p.texts))
	n.keys.room(len(p.starts))
	for i := range s.forms {
		s.forms[i], s.keys[i] = n.forms.of(p.forms[from+i]), n.keys.of(p.keys[from+i])
	}
	for _, f := range n.forms.used {
		s.texts = append(s.texts, p.texts[f])
	}
	for _, k := range n.keys.used {
		s.starts = append(s.starts, p.starts[k])
	}
	s.index()
	return s
}

// formOf returns the number of a word, if p has it.
func (p *Prepared) formOf(word string) (number int32, ok bool) {
	if p.whole == nil {
		number, ok = p.form[word]
		return number, ok
	}
	number, ok = p.whole.formOf(word)
	if ok {
		number = p.numbers.forms.number[number] - 1
	}
	return number, ok && number >= 0
}

// keyOf returns the number of the first letters of a word, if p has them.
func (p *Prepared) keyOf(start string) (number int32, ok bool) {
	if p.whole == nil {
		number, ok = p.key[start]
		return number, ok
	}
	number, ok = p.whole.keyOf(start)
	if ok {
		number = p.numbers.keys.number[number] - 1
	}
	return number, ok && number >= 0
}

// A numbering has the numbers of a slice for those of the whole text.
type numbering struct{ forms, keys renumbering }

// numberings are for one slice after another. None is in use in them.
var numberings = sync.Pool{New: func() any { return new(numbering) }}

func (n *numbering) reset() {
	n.forms.reset()
	n.keys.reset()
}

// A renumbering numbers some of many numbers anew, as they come up.
type renumbering struct {
	number []int32 // by old number: the new one + 1
	used   []int32 // the old ones, by new number
}

// room sees to it that there is room for so many old numbers.
func (r *renumbering) room(count int) {
	if len(r.number) < count {
		r.number = make([]int32, count)
	}
}

// of returns the new number.
func (r *renumbering) of(old int32) int32 {
	if r.number[old] == 0 {
		r.used = append(r.used, old)
		r.number[old] = int32(len(r.used))
	}
	return r.number[old] - 1
}

func (r *renumbering) reset() {
	for _, old := range r.used {
		r.number[old] = 0
	}
	r.used = r.used[:0]
}

// Len returns how many words the text has.
func (p *Prepared) Len() int { return len(p.forms) }

func (p *Prepared) keyNumber(s string) int32 {
	k, ok := p.key[s]
	if !ok {
		k = int32(len(p.starts))
		p.key[s] = k
		p.starts = append(p.starts, s)
	}
	return k
}

// firstLetters cuts a word after keyLetters characters.
func firstLetters(w string) string {
	at := 0
	for range keyLetters {
		if at >= len(w) {
			return w
		}
		_, size := utf8.DecodeRuneInString(w[at:])
		at += size
	}
	return w[:at]
}

// rangeOf returns a stretch of words with its place in the text.
func (p *Prepared) rangeOf(s span) Range {
	return Range{
		From: int(s.from), To: int(s.to),
		Start: p.words[s.from].Start, End: p.words[s.to-1].End,
	}
}

// places are the places of numbered things, by number.
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

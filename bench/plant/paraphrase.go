package plant

import (
	"math/rand/v2"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Paraphrased changes one in this many words.
const (
	otherEvery  = 4 // of words without a synonym, replaced by another word
	endingEvery = 2 // of the other words of at least five letters, given another ending
	swapEvery   = 4 // swapped with the next one
)

// endingLetters is the number of letters of the ending of a word, and stemLetters the
// minimum number of letters before it.
const (
	endingLetters = 2
	stemLetters   = 3
)

// Paraphrased changes words, their endings and their order. It replaces words that have a
// synonym by it, and some others by another word. Some of the remaining words get the
// ending of another word of the text. Words and halves of clauses are swapped. The keys of
// synonyms are words in lower case. The result is not grammatical: it is made for
// detectors, not for people.
func Paraphrased(synonyms map[string][]string) Kind {
	return func(r *rand.Rand, others []string, passages ...Passage) []Run {
		p := paraphraser{r, synonyms, others}
		var runs []Run
		for _, passage := range passages {
			var words []string
			for _, s := range passage.Sentences {
				words = append(words, p.sentence(s.Words)...)
			}
			runs = append(runs, passage.Run(words))
		}
		return runs
	}
}

// A paraphraser rewords sentences.
type paraphraser struct {
	r        *rand.Rand
	synonyms map[string][]string
	others   []string
}

func (p *paraphraser) sentence(words []string) []string {
	var out []string
	for _, clause := range clauses(words) {
		clause = slices.Clone(clause)
		for i, w := range clause {
			clause[i] = p.word(w)
		}
		out = append(out, p.turned(clause)...)
	}
	return out
}

// clauses splits a sentence after commas and similar marks.
func clauses(words []string) [][]string {
	var list [][]string
	first := 0
	for i, w := range words {
		if last, _ := utf8.DecodeLastRuneInString(w); i+1 == len(words) || strings.ContainsRune(",;:，、；：،؛", last) {
			list = append(list, words[first:i+1])
			first = i + 1
		}
	}
	return list
}

// word returns the replacement of a word, or the word itself.
func (p *paraphraser) word(word string) string {
	core := strings.TrimFunc(word, notLetter)
	if core == "" {
		return word
	}
	other := core
	switch list := p.synonyms[strings.ToLower(core)]; {
	case len(list) > 0:
		other = list[p.r.IntN(len(list))]
	case p.r.IntN(otherEvery) == 0:
		other = p.other(core, 1)
	case inflects(core) && p.r.IntN(endingEvery) == 0:
		model := []rune(p.other(core, endingLetters+stemLetters))
		letters := []rune(core)
		other = string(letters[:len(letters)-endingLetters]) + string(model[len(model)-endingLetters:])
	}
	return strings.Replace(word, core, other, 1)
}

// inflects reports whether a word has an ending to change. Thai, Lao, Khmer and Burmese have none.
func inflects(word string) bool {
	first, _ := utf8.DecodeRuneInString(word)
	return utf8.RuneCountInString(word) >= endingLetters+stemLetters && !IsUnspaced(first)
}

// other returns a random word of the other text with at least this number of letters, or
// the word itself if a few attempts find none.
func (p *paraphraser) other(word string, letters int) string {
	for range 10 {
		w := strings.TrimFunc(p.others[p.r.IntN(len(p.others))], notLetter)
		if utf8.RuneCountInString(w) >= letters {
			return w
		}
	}
	return word
}

func notLetter(r rune) bool { return !unicode.IsLetter(r) }

// turned changes the order of a clause: it swaps some neighbours, and may swap the halves.
func (p *paraphraser) turned(clause []string) []string {
	for i := 1; i < len(clause); i++ {
		if p.r.IntN(swapEvery) == 0 {
			clause[i-1], clause[i] = clause[i], clause[i-1]
		}
	}
	if len(clause) < 4 || p.r.IntN(2) == 0 {
		return clause
	}
	at := 1 + p.r.IntN(len(clause)-1)
	return slices.Concat(clause[at:], clause[:at])
}

// Merged joins two sentences by a word of the other text, or splits one at a comma and
// begins the second part with such a word. It also removes every fifth word.
func Merged(r *rand.Rand, others []string, passages ...Passage) []Run {
	var runs []Run
	for _, p := range passages {
		var words []string
		for _, s := range p.Sentences {
			words = append(words, mergedSentence(r, others, s.Words)...)
		}
		runs = append(runs, p.Run(words))
	}
	return runs
}

// leaveOutEvery is the number of words of a sentence for each word that Merged removes.
const leaveOutEvery = 5

// mergedSentence rewrites one sentence: its end may become a comma, and a comma an end.
func mergedSentence(r *rand.Rand, others, words []string) []string {
	var out []string
	for i, w := range words {
		if i > 0 && i+1 < len(words) && r.IntN(leaveOutEvery) == 0 {
			continue
		}
		core := strings.TrimRight(w, ".,;!?")
		ends := i+1 == len(words)
		switch {
		case core == "" || core == w || r.IntN(2) == 0:
			out = append(out, w)
		case ends:
			out = append(out, core+",", others[r.IntN(len(others))])
		default:
			out = append(out, core+".", others[r.IntN(len(others))])
		}
	}
	return out
}

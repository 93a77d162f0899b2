package plant

import (
	"math/rand/v2"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// How much of a passage Paraphrased changes: one word in so many.
const (
	otherEvery  = 4 // of those without a synonym becomes another word
	endingEvery = 2 // of the others of five letters and more gets another ending
	swapEvery   = 4 // changes places with the next one
)

// endingLetters is how many letters the ending of a word has, and stemLetters how
// many are left at least.
const (
	endingLetters = 2
	stemLetters   = 3
)

// Paraphrased changes words, their endings and their order all at once: words
// that have a synonym become it, some others another word; of what is left some
// take the ending of another word of the text; and clauses are turned round.
// Synonyms are by word in lower case. It knows no grammar: the result is for a
// detector to read, not for people.
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

// clauses cuts a sentence after its commas and the like.
func clauses(words []string) [][]string {
	var list [][]string
	first := 0
	for i, w := range words {
		if last, _ := utf8.DecodeLastRuneInString(w); i+1 == len(words) || strings.ContainsRune(",;:", last) {
			list = append(list, words[first:i+1])
			first = i + 1
		}
	}
	return list
}

// word returns what stands for a word.
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
	case utf8.RuneCountInString(core) >= endingLetters+stemLetters && p.r.IntN(endingEvery) == 0:
		model := []rune(p.other(core, endingLetters+stemLetters))
		letters := []rune(core)
		other = string(letters[:len(letters)-endingLetters]) + string(model[len(model)-endingLetters:])
	}
	return strings.Replace(word, core, other, 1)
}

// other returns a word of the other text with at least so many letters, if a few
// tries find one, or else the word itself.
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

// turned changes the order of a clause: neighbours change places, and its second
// half may come first.
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

// Merged makes one sentence of two, with a word of the other text between them,
// or two of one, where a comma is in it; the second of the two then begins with
// such a word. Every fifth word beside is left out.
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

// leaveOutEvery is how many words of a sentence there are for each that Merged
// leaves out.
const leaveOutEvery = 5

// mergedSentence rewrites one sentence: each of its ends, and each comma, may
// become the other.
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

package search

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/search/align"
	"github.com/otisk/otisk/store/memory"
)

// novels are Czech texts in the public domain, from which mosaics are made.
var novels = []string{"slejhar-kure-melancholik", "karas-cesky-plavec-na-severu", "ptacek-dva-bratri", "salda-zivot-ironicky", "vikova-kuneticka-silhouetty-muzu"}

// A mosaicist makes texts of sentences of several sources in turn.
type mosaicist struct {
	*rand.Rand
	sentences [][]string // by novel
	index     *memory.Store
	norms     *normalize.Set
}

func newMosaicist(t testing.TB) *mosaicist {
	m := &mosaicist{Rand: rand.New(rand.NewPCG(3, 7)), norms: normSet(t, normalize.Auto)}
	texts := map[string]string{}
	for _, name := range novels {
		text, err := os.ReadFile(filepath.Join("..", "testdata", "czech", name+".txt"))
		if err != nil {
			t.Fatal(err)
		}
		words := strings.Fields(string(text))[1000:6000]
		texts[name] = strings.Join(words, " ")
		m.sentences = append(m.sentences, sentencesOf(words))
	}
	m.index = index(t, m.norms, 7, texts)
	return m
}

// sentencesOf returns the sentences of a text, short ones with the next.
func sentencesOf(words []string) (list []string) {
	from := 0
	for i, w := range words {
		if n := i + 1 - from; n >= 14 && strings.ContainsAny(w, ".!?") {
			list = append(list, strings.Join(words[from:i+1], " "))
			from = i + 1
		}
	}
	return list
}

// turns is how many turns a mosaic has.
const turns = 20

// A mosaic is a text, and for each of its words the novel that it is from.
type mosaic struct {
	text string
	from []int
}

// make returns a text of turns of some sentences of each of some novels, changed by edit.
func (m *mosaicist) make(t testing.TB, sources, turn int, edit func(i int, word string) string) mosaic {
	norm, _ := m.norms.For("txt")
	order, at := m.Perm(len(novels))[:sources], make([]int, len(novels))
	for _, n := range order {
		at[n] = m.IntN(len(m.sentences[n]) - turns*turn)
	}
	var out mosaic
	var parts []string
	for k := range turns {
		n := order[k%sources]
		for range turn {
			var words []string
			for i, w := range strings.Fields(m.sentences[n][at[n]]) {
				if w = edit(i+1, w); w != "" {
					words = append(words, w)
				}
			}
			at[n]++
			s := strings.Join(words, " ")
			for _, p := range norm.Paragraphs(s, normalize.Whole) {
				for range p.Words {
					out.from = append(out.from, n)
				}
			}
			parts = append(parts, s)
		}
	}
	out.text = strings.Join(parts, " ")
	return out
}

// edits are ways to change a copied sentence.
func (m *mosaicist) edits() map[string]func(i int, word string) string {
	other := func() string {
		words := strings.Fields(m.sentences[m.IntN(len(novels))][m.IntN(100)])
		return words[m.IntN(len(words))]
	}
	replaced := func(each int) func(i int, word string) string {
		return func(i int, word string) string {
			if i%each == 0 {
				return other()
			}
			return word
		}
	}
	return map[string]func(i int, word string) string{
		"verbatim": func(_ int, word string) string { return word },
		"dropped 7": func(i int, word string) string {
			if i%7 == 0 {
				return ""
			}
			return word
		},
		"replaced 5": replaced(5), "replaced 3": replaced(3),
	}
}

// right returns the parts of the words for which the best passage is one of the right source, and a verbatim one of it.
func (m *mosaicist) right(t testing.TB, x mosaic) (right, verbatim float64) {
	r := search(t, m.index, m.norms, x.text, Options{N: 7})
	if r.Suspect.Words != len(x.from) {
		t.Fatalf("%d words, want %d", r.Suspect.Words, len(x.from))
	}
	best := make([]*Passage, len(x.from))
	for i := range r.Passages {
		p := &r.Passages[i]
		for k := p.Word; k < p.Word+p.Words; k++ {
			if b := best[k]; b == nil || gradeOf(p.Grade) < gradeOf(b.Grade) || p.Grade == b.Grade && p.Matched > b.Matched {
				best[k] = p
			}
		}
	}
	for k, p := range best {
		if p != nil && r.Sources[p.Source].Name == novels[x.from[k]] {
			right++
			if p.Grade == Verbatim {
				verbatim++
			}
		}
	}
	return right / float64(len(best)), verbatim / float64(len(best))
}

// TestMosaics: the words of a text that is woven of several sources, one to three sentences in turn, belong to the right
// source, and copied ones are verbatim.
func TestMosaics(t *testing.T) {
	m := newMosaicist(t)
	edits := m.edits()
	for _, tt := range []struct {
		name  string
		least [3]float64 // by sentences in a turn, the part of the words with the right source
	}{
		{"verbatim", [3]float64{.98, .98, .98}},
		{"dropped 7", [3]float64{.85, .95, .95}},
		{"replaced 5", [3]float64{.85, .95, .95}},
		{"replaced 3", [3]float64{.70, .95, .95}},
	} {
		for i, least := range tt.least {
			for _, sources := range []int{2, 3, 5} {
				const times = 6
				right, verbatim := 0.0, 0.0
				for range times {
					a, b := m.right(t, m.make(t, sources, i+1, edits[tt.name]))
					right, verbatim = right+a/times, verbatim+b/times
				}
				t.Logf("%s, %d sources, turns of %d: right %.3f, verbatim %.3f", tt.name, sources, i+1, right, verbatim)
				if right < least || tt.name == "verbatim" && verbatim < least {
					t.Errorf("%s, %d sources in turns of %d sentences: %.3f of the words have the right source, %.3f a verbatim passage of it; want %.2f",
						tt.name, sources, i+1, right, verbatim, least)
				}
			}
		}
	}
}

// TestBetweenCopies: words that share little are no passage between verbatim ones, and are one between others that share little.
func TestBetweenCopies(t *testing.T) {
	passage := func(words, origin, matched int) align.Passage {
		return align.Passage{Words: words, SourceWords: origin, Matched: matched}
	}
	verbatim := []align.Passage{passage(19, 19, 19), passage(42, 42, 42)}
	edited := []align.Passage{passage(15, 15, 10), passage(20, 18, 13)}
	for _, tt := range []struct {
		p     align.Passage
		chain []align.Passage
		want  bool
	}{
		{passage(44, 79, 16), verbatim, false}, {passage(30, 30, 20), verbatim, false}, {passage(14, 15, 12), verbatim, true},
		{passage(15, 15, 9), edited, true}, {passage(20, 40, 10), edited, false},
	} {
		if got := isAlike(tt.p, tt.chain); got != tt.want {
			t.Errorf("%d of %d and %d words: %v, want %v", tt.p.Matched, tt.p.Words, tt.p.SourceWords, got, tt.want)
		}
	}
}

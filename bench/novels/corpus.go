// Package novels makes a corpus of texts with copied passages at known places
// out of novels, laid out as the training corpus of PAN 2013: src and susp with
// the texts, pairs with the pairs to compare, and a folder for each kind of
// copying with its pairs and, for each, an XML file with the true passages, in
// code points. [Make] does all of it; the same seed gives the same bytes.
package novels

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/otisk/otisk/bench/plant"
)

// Sizes of the texts, in words: near those of PAN 2013.
const (
	sourceWords  = 2500
	hostWords    = 2500
	passageWords = 50 // the shortest passage
	passageMore  = 200
	lineWidth    = 80
)

// kinds are the folders of the corpus, in order: how much of each passage is a
// copy and how. 02 has PAN's name, so that tools find it.
var kinds = []struct {
	folder   string
	copy     plant.Kind // nil where nothing is copied
	sources  int        // of one suspect
	together int        // sources in one copy
}{
	{"01-no-plagiarism", nil, 3, 1},
	{"02-no-obfuscation", plant.Verbatim, 3, 1},
	{"03-words-swapped", plant.Swapped(4), 3, 1},
	{"04-words-left-out", plant.LeftOut(8), 3, 1},
	{"05-sentences-reordered", plant.Reordered, 3, 1},
	{"06-two-sources-woven", plant.Woven, 4, 2},
}

// Make writes a corpus into the folder out, which must be new or empty. The
// sources are cut from the .txt files in the folder sources; the suspects, so
// many of each kind, from those in hosts, with passages of the sources put in.
// The same seed gives the same bytes.
func Make(out, sources, hosts string, seed uint64, suspects int) error {
	from, err := readNovels(sources)
	if err != nil {
		return err
	}
	into, err := readNovels(hosts)
	if err != nil {
		return err
	}
	c := newCorpus(from, into, seed)
	c.makeAll(suspects)
	return write(out, c.files())
}

// A corpus is what has been made so far.
type corpus struct {
	r       *rand.Rand
	hosts   []*plant.Text
	sources []*plant.Text
	folders []folder
}

// A folder holds the suspects of one kind.
type folder struct {
	name     string
	suspects []suspect
}

// A suspect is a text with passages of sources, each of which makes a pair.
type suspect struct {
	name    string
	text    string
	places  []plant.Place
	sources []*plant.Text
}

// newCorpus cuts the sources from whole novels.
func newCorpus(from, into []*plant.Text, seed uint64) *corpus {
	c := &corpus{r: rand.New(rand.NewPCG(seed, 0)), hosts: into}
	for _, novel := range from {
		for rest := novel.Sentences; len(rest) > 0; {
			part := take(rest, sourceWords)
			rest = rest[len(part):]
			name := fmt.Sprintf("source-document%05d.txt", len(c.sources)+1)
			c.sources = append(c.sources, plant.Parse(name, paragraphs(part)))
		}
	}
	return c
}

// take returns the first sentences with at least so many words, to the end of a
// paragraph.
func take(sentences []plant.Sentence, words int) []plant.Sentence {
	n := 0
	for i, s := range sentences {
		if n >= words && s.Paragraph != sentences[i-1].Paragraph {
			return sentences[:i]
		}
		n += len(s.Words)
	}
	return sentences
}

// paragraphs writes sentences with a paragraph a line.
func paragraphs(sentences []plant.Sentence) string {
	var b strings.Builder
	for i, s := range sentences {
		switch {
		case i == 0:
		case s.Paragraph != sentences[i-1].Paragraph:
			b.WriteByte('\n')
		default:
			b.WriteByte(' ')
		}
		b.WriteString(strings.Join(s.Words, " "))
	}
	b.WriteByte('\n')
	return b.String()
}

// makeAll makes so many suspects of each kind.
func (c *corpus) makeAll(suspects int) {
	number := 0
	for _, k := range kinds {
		f := folder{name: k.folder}
		for range suspects {
			number++
			s := suspect{name: fmt.Sprintf("suspicious-document%05d.txt", number), sources: c.pickSources(k.sources)}
			host := c.pickHost()
			var copies [][]plant.Run
			for i := 0; k.copy != nil && i < k.sources; i += k.together {
				copies = append(copies, c.copy(k.copy, host, s.sources[i:i+k.together]))
			}
			s.text, s.places = plant.Layout(plant.Insert(c.r, host, copies), lineWidth)
			f.suspects = append(f.suspects, s)
		}
		c.folders = append(c.folders, f)
	}
}

// pickSources returns n different sources.
func (c *corpus) pickSources(n int) []*plant.Text {
	picked := make([]*plant.Text, n)
	for i, at := range c.r.Perm(len(c.sources))[:n] {
		picked[i] = c.sources[at]
	}
	return picked
}

// pickHost returns a stretch of a host, from the start of a paragraph.
func (c *corpus) pickHost() []plant.Sentence {
	all := c.hosts[c.r.IntN(len(c.hosts))].Sentences
	first := c.r.IntN(len(all) * 3 / 4)
	for first > 0 && all[first].Paragraph == all[first-1].Paragraph {
		first--
	}
	return take(all[first:], hostWords/2+c.r.IntN(hostWords))
}

// copy copies a passage of each source; words that it puts in are the host's.
func (c *corpus) copy(kind plant.Kind, host []plant.Sentence, sources []*plant.Text) []plant.Run {
	var passages []plant.Passage
	for _, s := range sources {
		passages = append(passages, plant.Pick(c.r, s, passageWords+c.r.IntN(passageMore)))
	}
	return kind(c.r, plant.Words(host), passages...)
}

// Package novels makes a corpus of texts with copied passages at known places,
// laid out as the training corpus of PAN 2013: src and susp with the texts,
// pairs with the pairs to compare, and a folder for each kind of copying with its
// pairs and, for each, an XML file with the true passages, in code points.
//
// [Make] makes a corpus from novels, with the kinds of copying that a program can do;
// [Set.Write] makes one from any texts and kinds. The same seed gives the same bytes.
package novels

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/otisk/otisk/bench/plant"
)

// Sizes are the lengths of the texts in words.
type Sizes struct {
	Source                   int // of a source, to the end of a paragraph
	Host                     int // of a suspect without copies: from 0.5 to 1.5 times this
	Passage, PassageVariance int // of a copied passage: the minimum, and the maximum beyond it
}

// PAN returns sizes near those of PAN 2013.
func PAN() Sizes { return Sizes{Source: 2500, Host: 2500, Passage: 50, PassageVariance: 200} }

// A Kind is one kind of copying, a folder of the corpus.
type Kind struct {
	Folder   string
	Copy     plant.Kind // nil if nothing is copied
	Sources  int        // number of sources of one suspect
	Together int        // number of sources in one copy
	Beside   bool       // the copies are from the next sources, which are not listed: no pair has a true passage
}

// kinds returns the kinds of copying that a program can do, in order. 02 has the name of
// PAN, so that tools find it.
func kinds(synonyms map[string][]string) []Kind {
	return []Kind{
		{Folder: "01-no-plagiarism", Sources: 3, Together: 1},
		{Folder: "02-no-obfuscation", Copy: plant.Verbatim, Sources: 3, Together: 1},
		{Folder: "03-words-swapped", Copy: plant.Swapped(4), Sources: 3, Together: 1},
		{Folder: "04-words-left-out", Copy: plant.LeftOut(8), Sources: 3, Together: 1},
		{Folder: "05-sentences-reordered", Copy: plant.Reordered, Sources: 3, Together: 1},
		{Folder: "06-two-sources-woven", Copy: plant.Woven, Sources: 4, Together: 2},
		{Folder: "07-heavy-paraphrase", Copy: plant.Paraphrased(synonyms), Sources: 3, Together: 1},
		{Folder: "08-merged-and-split", Copy: plant.Merged, Sources: 3, Together: 1},
	}
}

// Options configure [Make].
type Options struct {
	Sources  string              // folder of novels to copy from
	Hosts    string              // folder of novels to copy into; if empty, every fourth novel of Sources
	Seed     uint64              // of the random numbers
	Suspects int                 // number of each kind
	Synonyms map[string][]string // by word, in lower case
}

// Make writes a corpus into the folder out, which must be new or empty. The sources are
// cut from novels; the suspects are cut from others, with passages of the sources
// inserted.
func Make(out string, o Options) error {
	from, err := Read(o.Sources)
	if err != nil {
		return err
	}
	var into []*plant.Text
	if o.Hosts == "" {
		from, into = apart(from)
	} else if into, err = Read(o.Hosts); err != nil {
		return err
	}
	sizes := PAN()
	s := Set{Hosts: into, Kinds: kinds(o.Synonyms), Sizes: sizes, Seed: o.Seed, Suspects: o.Suspects}
	for _, novel := range from {
		s.cut(novel)
	}
	return s.Write(out)
}

// apart splits a list of novels: every fourth one becomes a host.
func apart(novels []*plant.Text) (from, into []*plant.Text) {
	for i, n := range novels {
		if i%4 == 3 {
			into = append(into, n)
			continue
		}
		from = append(from, n)
	}
	return from, into
}

// A Set is the input of a corpus.
type Set struct {
	Sources  []*plant.Text // written unchanged
	Hosts    []*plant.Text // stretches of them become suspects
	Kinds    []Kind
	Sizes    Sizes
	Seed     uint64
	Suspects int // number of each kind
}

// cut cuts a novel into sources and adds them.
func (s *Set) cut(novel *plant.Text) {
	for rest := novel.Sentences; len(rest) > 0; {
		part := Take(rest, s.Sizes.Source)
		rest = rest[len(part):]
		s.Sources = append(s.Sources, plant.Parse(SourceName(len(s.Sources)), paragraphs(part)))
	}
}

// SourceName returns the name of a source by its number, from 0.
func SourceName(number int) string { return fmt.Sprintf("source-document%05d.txt", number+1) }

// leastSentences is the number of sentences of a host from whose last quarter a suspect with four
// copies can still be cut.
const leastSentences = 24

// Write writes the corpus into the folder out, which must be new or empty. It ignores hosts of
// too few sentences.
func (s Set) Write(out string) error {
	s.Hosts = slices.DeleteFunc(slices.Clone(s.Hosts), func(h *plant.Text) bool { return len(h.Sentences) < leastSentences })
	if len(s.Hosts) == 0 {
		return fmt.Errorf("no text to copy into has %d sentences", leastSentences)
	}
	c := &corpus{Set: s, r: rand.New(rand.NewPCG(s.Seed, 0))}
	c.makeAll()
	return write(out, c.files())
}

// A corpus is a corpus in memory.
type corpus struct {
	Set
	r       *rand.Rand
	folders []folder
}

// A folder holds the suspects of one kind.
type folder struct {
	name     string
	suspects []suspect
}

// A suspect is a text with passages of sources, and the sources of its pairs.
type suspect struct {
	name    string
	text    string
	places  []plant.Place
	sources []*plant.Text
}

// Take returns the first sentences with at least this number of words, up to the end of
// a paragraph.
func Take(sentences []plant.Sentence, words int) []plant.Sentence {
	n := 0
	for i, s := range sentences {
		if n >= words && s.Paragraph != sentences[i-1].Paragraph {
			return sentences[:i]
		}
		n += len(s.Words)
	}
	return sentences
}

// paragraphs returns sentences as text, with one paragraph per line.
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
		b.WriteString(plant.Join(s.Words))
	}
	b.WriteByte('\n')
	return b.String()
}

// makeAll makes the suspects of each kind.
func (c *corpus) makeAll() {
	number := 0
	for _, k := range c.Kinds {
		f := folder{name: k.Folder}
		for range c.Suspects {
			number++
			f.suspects = append(f.suspects, c.suspect(fmt.Sprintf("suspicious-document%05d.txt", number), k))
		}
		c.folders = append(c.folders, f)
	}
}

// suspect makes one suspect of a kind.
func (c *corpus) suspect(name string, k Kind) suspect {
	numbers := c.r.Perm(len(c.Sources))[:k.Sources]
	s := suspect{name: name}
	for _, n := range numbers {
		s.sources = append(s.sources, c.Sources[n])
	}
	from := s.sources
	if k.Beside {
		from = c.beside(numbers)
	}
	host := c.pickHost(k.Sources)
	var copies [][]plant.Run
	for i := 0; k.Copy != nil && i < k.Sources; i += k.Together {
		copies = append(copies, c.copy(k.Copy, host, from[i:i+k.Together]))
	}
	s.text, s.places = plant.Layout(plant.Insert(c.r, host, copies), lineWidth)
	return s
}

// beside returns for each source the next one that is not among them.
func (c *corpus) beside(numbers []int) []*plant.Text {
	var list []*plant.Text
	for _, n := range numbers {
		for slices.Contains(numbers, n) {
			n = (n + 1) % len(c.Sources)
		}
		list = append(list, c.Sources[n])
	}
	return list
}

// lineWidth is the maximum length of lines of suspects, in characters.
const lineWidth = 80

// pickHost returns a stretch of a host, from the start of a paragraph, with more
// sentences than there are copies to put between them.
func (c *corpus) pickHost(copies int) []plant.Sentence {
	all := c.Hosts[c.r.IntN(len(c.Hosts))].Sentences
	first := c.r.IntN(len(all) * 3 / 4)
	for first > 0 && all[first].Paragraph == all[first-1].Paragraph {
		first--
	}
	words := c.Sizes.Host/2 + c.r.IntN(c.Sizes.Host)
	host := Take(all[first:], words)
	for len(host) <= copies {
		words *= 2
		host = Take(all[first:], words)
	}
	return host
}

// copy copies a passage of each source; inserted words are from the host.
func (c *corpus) copy(kind plant.Kind, host []plant.Sentence, sources []*plant.Text) []plant.Run {
	var passages []plant.Passage
	for _, s := range sources {
		passages = append(passages, plant.Pick(c.r, s, c.Sizes.Passage+c.r.IntN(c.Sizes.PassageVariance)))
	}
	return kind(c.r, plant.Words(host), passages...)
}

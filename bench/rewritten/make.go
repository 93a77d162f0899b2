package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/otisk/otisk/bench/plagdet"
)

// Sizes of a group of texts of one domain: a source of human passages, and suspects of other human passages with rewritten ones
// of the source between them.
const (
	inSource = 4
	inHost   = 3
	planted  = 2
	perGroup = inSource + inHost
)

// A rewriting is a human passage and the passages that models made of it.
type rewriting struct {
	domain, human string
	versions      map[string]string // by part
}

// runMake writes a corpus laid out like PAN 2013: src, susp, and for each part a list of pairs, and the true passages of each pair.
func runMake(_ context.Context, args []string, stdout io.Writer) error {
	f := flag.NewFlagSet("rewritten make", flag.ContinueOnError)
	polished := f.String("polished", "", "`folder` data/polished_json of ai-polished-text")
	mixset := f.String("mixset", "", "`folder` data/MixSet/separated_files of MixSet")
	papers := f.String("papers", "", "`folder` with the papers of sample_raw.zip of pan-code; the corpus has nothing else")
	if err := f.Parse(args); err != nil {
		return err
	}
	if f.NArg() == 1 && *papers != "" {
		return makePapers(stdout, *papers, f.Arg(0))
	}
	if f.NArg() != 1 || *polished == "" || *mixset == "" {
		return fmt.Errorf("want -polished and -mixset, or -papers, and the folder of the corpus")
	}
	c := collection{texts: map[string]*rewriting{}}
	if err := c.readPolished(*polished); err != nil {
		return err
	}
	if err := c.readMixSet(*mixset); err != nil {
		return err
	}
	counts, err := c.plant(f.Arg(0))
	for _, part := range c.parts {
		fmt.Fprintf(stdout, "%-24s %5d cases\n", part, counts[part])
	}
	return err
}

// A collection has the human passages, by their text, in order.
type collection struct {
	texts map[string]*rewriting
	order []*rewriting
	parts []string
}

// add adds a version of a human passage.
func (c *collection) add(part, domain, human, version string) {
	human, version = oneParagraph(human), oneParagraph(version)
	if n := len(strings.Fields(human)); n < 40 || n > 400 || len(strings.Fields(version)) < 20 {
		return
	}
	t := c.texts[human]
	if t == nil {
		t = &rewriting{domain: domain, human: human, versions: map[string]string{}}
		c.texts[human], c.order = t, append(c.order, t)
	}
	t.versions[part] = version
	if !slices.Contains(c.parts, part) {
		c.parts = append(c.parts, part)
	}
}

func oneParagraph(text string) string { return strings.Join(strings.Fields(text), " ") }

// readPolished reads the passages that models were asked to polish, by degree and model.
func (c *collection) readPolished(dir string) error {
	for _, degree := range []string{"extreme_minor", "minor", "slight_major", "major", "75"} {
		for _, model := range []string{"deepseek", "gpt", "llama", "llama2", "llama70b"} {
			var list []struct{ Domain, Original, Polished string }
			if err := readJSON(filepath.Join(dir, "polished_texts_"+degree+"_"+model+".json"), &list); err != nil {
				return err
			}
			for _, x := range list {
				c.add(degree+"-"+model, x.Domain, x.Original, x.Polished)
			}
		}
	}
	return nil
}

// readMixSet reads the passages that models were asked to rewrite or polish.
func (c *collection) readMixSet(dir string) error {
	for _, name := range []string{"gpt4_rewrite", "2llama_rewrite", "gpt4_polish_sentence"} {
		var list []map[string]any
		if err := readJSON(filepath.Join(dir, name+".json"), &list); err != nil {
			return err
		}
		for _, x := range list {
			human, _ := x["HWT_sentence"].(string)
			domain, _ := x["category"].(string)
			for key, value := range x {
				if version, ok := value.(string); ok && strings.HasSuffix(key, "_output") {
					c.add("mixset-"+name, domain, human, version)
				}
			}
		}
	}
	return nil
}

func readJSON(path string, v any) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, v); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// plant writes the corpus and returns the number of cases of each part. Two suspects of each group share its source and its
// other passages: one has two passages of the source rewritten, the other the other two. A part "clean" pairs suspects with the source of the
// next group of the domain.
func (c *collection) plant(out string) (map[string]int, error) {
	rnd := rand.New(rand.NewPCG(28, 1))
	domains := map[string][]*rewriting{}
	for _, t := range c.order {
		domains[t.domain] = append(domains[t.domain], t)
	}
	w := newCorpusWriter(out)
	names := []string{}
	for name := range domains {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, domain := range names {
		list := domains[domain]
		rnd.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		groups := slices.Collect(slices.Chunk(list[:len(list)/perGroup*perGroup], perGroup))
		for g, group := range groups {
			source := fmt.Sprintf("source-%s-%03d.txt", domain, g)
			w.source(source, group[:inSource])
			next := fmt.Sprintf("source-%s-%03d.txt", domain, (g+1)%len(groups))
			for half := range inSource / planted {
				for _, part := range c.parts {
					w.suspect(part, fmt.Sprintf("suspect-%s-%s-%03d-%d.txt", part, domain, g, half), source, next, group, half*planted)
				}
			}
		}
	}
	return w.counts, w.write()
}

// newCorpusWriter returns the writer of a corpus in a folder.
func newCorpusWriter(out string) *corpusWriter {
	return &corpusWriter{out: out, files: map[string]string{}, pairs: map[string][]string{}, counts: map[string]int{}}
}

// write writes the files.
func (w *corpusWriter) write() error {
	for part, lines := range w.pairs {
		w.files[filepath.Join(part, "pairs")] = strings.Join(lines, "\n") + "\n"
	}
	for name, text := range w.files {
		path := filepath.Join(w.out, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// A corpusWriter collects the files of a corpus.
type corpusWriter struct {
	out    string
	files  map[string]string
	pairs  map[string][]string
	counts map[string]int
	places []([2]int) // of the passages of the source, in code points
}

// between separates paragraphs.
const between = "\n\n"

// source adds a source.
func (w *corpusWriter) source(name string, passages []*rewriting) {
	var b strings.Builder
	w.places = w.places[:0]
	at := 0
	for _, p := range passages {
		n := utf8.RuneCountInString(p.human)
		w.places = append(w.places, [2]int{at, at + n})
		b.WriteString(p.human + between)
		at += n + len(between)
	}
	w.files[filepath.Join("src", name)] = b.String()
}

// suspect adds a suspect with the passages of this part, starting at number first, unless it lacks one of them.
func (w *corpusWriter) suspect(part, name, source, next string, group []*rewriting, first int) {
	for _, p := range group[first : first+planted] {
		if p.versions[part] == "" {
			return
		}
	}
	var b, truth strings.Builder
	at := 0
	write := func(text string) (from, to int) {
		from = at
		to = from + utf8.RuneCountInString(text)
		b.WriteString(text + between)
		at = to + len(between)
		return from, to
	}
	for i, own := range group[inSource:] {
		write(own.human)
		if i < planted {
			from, to := write(group[first+i].versions[part])
			there := w.places[first+i]
			w.passage(&truth, part, source, [2]int{from, to}, there)
		}
	}
	w.files[filepath.Join("susp", name)] = b.String()
	w.pair(part, name, source, truth.String())
	if strings.HasPrefix(part, "major-") || strings.HasPrefix(part, "mixset-") {
		w.pairs["clean"] = append(w.pairs["clean"], name+" "+next)
	}
}

// passage appends a passage to the truth of a pair: its places in the suspect and in the source, in code points.
func (w *corpusWriter) passage(truth *strings.Builder, part, source string, here, there [2]int) {
	fmt.Fprintf(truth, "<feature name=\"plagiarism\" this_offset=\"%d\" this_length=\"%d\" source_reference=%q source_offset=\"%d\" source_length=\"%d\"/>\n",
		here[0], here[1]-here[0], source, there[0], there[1]-there[0])
	w.counts[part]++
}

// pair adds a pair of a part with its passages.
func (w *corpusWriter) pair(part, suspect, source, passages string) {
	w.files[filepath.Join(part, plagdet.FileName(suspect, source))] =
		fmt.Sprintf("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<document reference=%q>\n%s</document>\n", suspect, passages)
	w.pairs[part] = append(w.pairs[part], suspect+" "+source)
}

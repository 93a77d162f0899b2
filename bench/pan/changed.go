package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/search"
)

// changedOptions hold the flags of "pan changed".
type changedOptions struct {
	searchOptions
	appendix bool
	show     bool
}

// runChanged checks suspects, and then the same suspects written twice, with an
// unrelated text appended, cut in two, and so on. It prints how many of the words
// that passages cover differ. With -appendix it changes the sources instead: each
// has its last third twice.
func runChanged(ctx context.Context, args []string, stdout io.Writer) error {
	o := changedOptions{searchOptions: searchOptions{n: 7, run: 10, books: 1, thesis: 1}}
	f := flag.NewFlagSet("pan changed", flag.ContinueOnError)
	f.StringVar(&o.dir, "corpus", "", "`folder` laid out like PAN 2013's training corpus")
	f.IntVar(&o.every, "every", 1, "check only one suspect in this `number`")
	f.BoolVar(&o.appendix, "appendix", false, "compare with sources whose last third is repeated")
	f.BoolVar(&o.show, "show", false, "print each suspect that differs")
	if err := f.Parse(args); err != nil {
		return err
	}
	if o.dir == "" {
		return errors.New("--corpus is missing: the folder with src, susp and the parts")
	}
	c, err := readCorpus(o.dir)
	if err != nil {
		return err
	}
	filler, err := fillerOf(c)
	if err != nil {
		return err
	}
	c.sample(o.every)
	dir, err := os.MkdirTemp("", "otisk-pan-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	b := &changedBench{changedOptions: o, filler: filler}
	plain := &searchBench{searchOptions: o.searchOptions, corpus: c, index: filepath.Join(dir, "index")}
	if err := errors.Join(plain.joinTexts(dir), plain.makeIndex(ctx, stdout)); err != nil {
		return err
	}
	b.texts, b.bench = plain.susp, plain
	if b.base, err = b.checkAll(ctx, plain, nil); err != nil {
		return err
	}
	if o.appendix {
		return b.compareAppendix(ctx, stdout, dir)
	}
	return b.compareChanges(ctx, stdout)
}

// A changedBench is one run of "pan changed".
type changedBench struct {
	changedOptions
	bench  *searchBench
	texts  string // folder of the suspects
	filler string
	base   map[string]*coverage // by suspect
}

// fillerOf returns 20 KB of a suspect without copies.
func fillerOf(c *corpus) (string, error) {
	var text strings.Builder
	for _, p := range c.parts {
		if !strings.HasPrefix(p.name, "01") {
			continue
		}
		for _, pair := range p.pairs {
			data, err := os.ReadFile(filepath.Join(c.dir, "susp", pair.Suspect))
			if err != nil {
				return "", err
			}
			text.Write(data)
			text.WriteString("\n\n")
			if text.Len() > 20_000 {
				return strings.ToValidUTF8(text.String()[:20_000], ""), nil
			}
		}
	}
	return text.String(), nil
}

// A coverage has the bytes of a text that passages cover.
type coverage struct {
	text     string
	covered  []bool
	reworded []bool // by a passage of the grade "reworded" and no other
	said     bool   // the report has omissions
}

// changedParts are the texts checked instead of the original, with the location of each stretch
// of the original in them.
type changedParts struct {
	texts  []string
	pieces []piece
}

// A piece is a stretch of the original that a changed text has at another place.
type piece struct{ from, to, text, at int }

// edgeWords is the number of words beside a cut or a joint that count as near it.
const edgeWords = 100

// nearEdge returns, by word of the piece (starts are the words of the original), whether the word is
// within edgeWords of a place where the changed text continues differently from the original, or in
// a passage that reaches such words. The new neighbours may move the end of that passage.
func (p changedParts) nearEdge(q piece, starts []int, found func(at int) bool) map[int]bool {
	var inside []int
	for _, at := range starts {
		if at >= q.from && at < q.to {
			inside = append(inside, at)
		}
	}
	near := map[int]bool{}
	if len(inside) == 0 {
		return near
	}
	mark := func(words []int) { // from the edge inwards
		for i, at := range words {
			if i >= edgeWords && !(found(at) && found(words[i-1])) {
				break
			}
			near[at] = true
		}
	}
	if q.from > 0 || q.at > 0 {
		mark(inside)
	}
	if end := q.at + q.to - q.from; q.to < starts[len(starts)-1] || end+2 < len(p.texts[q.text]) {
		slices.Reverse(inside)
		mark(inside)
	}
	return near
}

// changes are the changes made to a suspect.
var changes = []struct {
	name string
	make func(b *changedBench, c *coverage) changedParts
}{
	{"written twice", func(_ *changedBench, c *coverage) changedParts { return repeated(c.text, 2) }},
	{"written 20 times", func(_ *changedBench, c *coverage) changedParts { return repeated(c.text, 20) }},
	{"20 KB appended", func(b *changedBench, c *coverage) changedParts {
		return changedParts{[]string{c.text + "\n\n" + b.filler}, []piece{{0, len(c.text), 0, 0}}}
	}},
	{"20 KB before", func(b *changedBench, c *coverage) changedParts {
		return changedParts{[]string{b.filler + "\n\n" + c.text}, []piece{{0, len(c.text), 0, len(b.filler) + 2}}}
	}},
	{"first third again", func(b *changedBench, c *coverage) changedParts {
		third := c.cut(len(c.text) / 3)
		return changedParts{[]string{c.text + "\n\n" + c.text[:third]}, []piece{{0, len(c.text), 0, 0}, {0, third, 0, len(c.text) + 2}}}
	}},
	{"two halves", func(_ *changedBench, c *coverage) changedParts {
		half := c.cut(len(c.text) / 2)
		return changedParts{[]string{c.text[:half], c.text[half:]}, []piece{{0, half, 0, 0}, {half, len(c.text), 1, 0}}}
	}},
	{"halves swapped", func(_ *changedBench, c *coverage) changedParts {
		half := c.cut(len(c.text) / 2)
		return changedParts{[]string{c.text[half:] + "\n\n" + c.text[:half]}, []piece{{0, half, 0, len(c.text) - half + 2}, {half, len(c.text), 0, 0}}}
	}},
}

func repeated(text string, times int) changedParts {
	p := changedParts{texts: []string{strings.Repeat(text+"\n\n", times)}}
	for k := range times {
		p.pieces = append(p.pieces, piece{0, len(text), 0, k * (len(text) + 2)})
	}
	return p
}

// cut returns the offset of a space near at that is in no passage.
func (c *coverage) cut(at int) int {
	for d := 0; d < len(c.text); d++ {
		for _, k := range []int{at - d, at + d} {
			if k > 0 && k < len(c.text) && (c.text[k] == '\n' || c.text[k] == ' ') && !c.covered[k] {
				return k
			}
		}
	}
	return at
}

// checkAll checks all suspects, changed or not.
func (b *changedBench) checkAll(ctx context.Context, bench *searchBench, change func(*coverage) changedParts) (map[string]*coverage, error) {
	searcher, done, err := bench.searcher(ctx, search.Options{MinRun: &b.run, Summary: true})
	if err != nil {
		return nil, err
	}
	out, mu := map[string]*coverage{}, sync.Mutex{}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for _, name := range b.bench.checkedFiles() {
		group.Go(func() error {
			data, err := os.ReadFile(filepath.Join(b.texts, name))
			if err != nil {
				return err
			}
			c := &coverage{text: strings.ToValidUTF8(string(data), "?")}
			p := changedParts{[]string{c.text}, []piece{{0, len(c.text), 0, 0}}}
			if change != nil {
				p = change(b.base[name])
			}
			c, err = b.check(ctx, searcher, name, c.text, p)
			if err != nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			out[name] = c
			return nil
		})
	}
	return out, errors.Join(group.Wait(), done())
}

// check checks the changed texts of a suspect, in order. If a stretch occurs several times,
// each occurrence counts as covered or not.
func (b *changedBench) check(ctx context.Context, searcher *search.Searcher, name, text string, p changedParts) (*coverage, error) {
	found := make([]*coverage, len(p.texts))
	out := &coverage{text: text}
	for i, t := range p.texts {
		c := &coverage{text: t, covered: make([]bool, len(t)), reworded: make([]bool, len(t))}
		found[i] = c
		r, err := searcher.Search(ctx, &document.Document{Path: name, Format: "text", Ext: "txt", Text: t})
		if errors.Is(err, search.ErrTooShort) {
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, x := range r.Passages {
			for k := x.Suspect.Start; k < x.Suspect.End; k++ {
				c.reworded[k] = (c.reworded[k] || !c.covered[k]) && x.Grade == "reworded"
				c.covered[k] = true
			}
		}
		out.said = out.said || len(r.Unsearched) > 0
	}
	for _, q := range p.pieces {
		at := make([]bool, len(text))
		rew := make([]bool, len(text))
		copy(at[q.from:q.to], found[q.text].covered[q.at:q.at+q.to-q.from])
		copy(rew[q.from:q.to], found[q.text].reworded[q.at:q.at+q.to-q.from])
		out.covered, out.reworded = append(out.covered, at...), append(out.reworded, rew...)
	}
	return out, nil
}

// wordsOf returns the offsets of the words of a text.
func wordsOf(text string) (list []int) {
	in := false
	for i := range len(text) {
		space := text[i] == ' ' || text[i] == '\n' || text[i] == '\r' || text[i] == '\t'
		if !space && !in {
			list = append(list, i)
		}
		in = !space
	}
	return list
}

func (b *changedBench) compareChanges(ctx context.Context, stdout io.Writer) error {
	fmt.Fprintf(stdout, "%-20s %9s %9s %7s %7s %7s %9s %9s %6s %6s\n", "suspects", "words", "reworded", "lost", "rewd", "gained", "%", "% away", "below5", "unsaid")
	for _, change := range changes {
		after, err := b.checkAll(ctx, b.bench, func(c *coverage) changedParts { return change.make(b, c) })
		if err != nil {
			return err
		}
		b.print(stdout, change.name, after, func(c *coverage) changedParts { return change.make(b, c) })
	}
	return nil
}

// print prints a line of the table. The column "% away" leaves out the words that are near an edge.
func (b *changedBench) print(stdout io.Writer, name string, after map[string]*coverage, change func(*coverage) changedParts) {
	var words, reworded, lost, lostReworded, gained, below, unsaid, away int
	for file, base := range b.base {
		starts := wordsOf(base.text)
		was, now := 0, 0
		l, g := 0, 0
		parts := change(base)
		for k, q := range parts.pieces {
			changed := after[file].covered[k*len(base.text):]
			near := parts.nearEdge(q, starts, func(at int) bool { return base.covered[at] || changed[at] })
			for _, at := range starts {
				if at < q.from || at >= q.to {
					continue
				}
				there := changed[at]
				if there != base.covered[at] && !near[at] {
					away++
				}
				if base.covered[at] {
					was++
					if base.reworded[at] {
						reworded++
					}
				}
				if there {
					now++
				}
				if base.covered[at] && !there {
					l++
					if base.reworded[at] {
						lostReworded++
					}
				}
				if !base.covered[at] && there {
					g++
				}
			}
		}
		words, lost, gained = words+was, lost+l, gained+g
		all := 0
		for _, q := range change(base).pieces {
			all += q.to - q.from
		}
		total := float64(len(starts)) * float64(all) / float64(max(1, len(base.text)))
		if float64(was)/total >= 0.05 && float64(now)/total < 0.05 {
			below++
			if !after[file].said {
				unsaid++
			}
		}
		if b.show && l+g > 0 {
			fmt.Fprintf(stdout, "  %s: %d lost, %d gained of %d\n", file, l, g, was)
		}
	}
	fmt.Fprintf(stdout, "%-20s %9d %9d %7d %7d %7d %8.3f%% %8.3f%% %6d %6d\n", name, words, reworded, lost, lostReworded, gained, 100*float64(lost+gained)/float64(max(1, words)), 100*float64(away)/float64(max(1, words)), below, unsaid)
}

// compareAppendix checks the suspects against sources whose last third is repeated.
func (b *changedBench) compareAppendix(ctx context.Context, stdout io.Writer, dir string) error {
	src := filepath.Join(dir, "longer")
	if err := os.Mkdir(src, 0o777); err != nil {
		return err
	}
	entries, err := os.ReadDir(b.bench.src)
	if err != nil {
		return err
	}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(b.bench.src, e.Name()))
		if err != nil {
			return err
		}
		at := max(0, strings.LastIndexAny(string(data[:2*len(data)/3]), " \n"))
		data = slices.Concat(data, []byte("\n\n"), data[at:])
		if err := os.WriteFile(filepath.Join(src, e.Name()), data, 0o666); err != nil {
			return err
		}
	}
	longer := &searchBench{searchOptions: b.searchOptions, corpus: b.bench.corpus, src: src, index: filepath.Join(dir, "index of longer sources")}
	if err := longer.makeIndex(ctx, stdout); err != nil {
		return err
	}
	after, err := b.checkAll(ctx, longer, nil)
	if err != nil {
		return err
	}
	b.print(stdout, "source's last third", after, func(c *coverage) changedParts {
		return changedParts{[]string{c.text}, []piece{{0, len(c.text), 0, 0}}}
	})
	return nil
}

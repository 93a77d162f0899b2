//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"github.com/otisk/otisk/internal/testing/measure"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/segment"
)

// A growth is an index that grows in steps.
type growth struct {
	program, dir string
	runs         int
	plain        int64 // up to this number of words, there is also an index without pairs
	suspects     []string
	maker        *maker
}

func (g *growth) index() string { return filepath.Join(g.dir, "index") }

// measure grows the index to each number of words in steps, and prints the costs.
func (g *growth) measure(ctx context.Context, w io.Writer, patterns, steps []string) (err error) {
	if g.maker, err = newMaker(ctx, patterns); err != nil {
		return err
	}
	for _, step := range steps {
		words, err := strconv.ParseInt(step, 10, 64)
		if err != nil {
			return err
		}
		if err := g.step(ctx, w, words); err != nil {
			return err
		}
	}
	return nil
}

// step grows the index to this number of words, and measures it.
func (g *growth) step(ctx context.Context, w io.Writer, words int64) error {
	texts := filepath.Join(g.dir, "texts")
	before := g.maker.words
	file, err := compressed()
	if err != nil {
		return err
	}
	bytes, err := g.maker.write(texts, words, file)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "\n%d words in %d documents, of them new: %d words, %d MB\n", g.maker.words, g.maker.made, g.maker.words-before, bytes/1e6)
	err = g.fill(ctx, w, texts, float64(g.maker.words-before), words <= g.plain)
	if err := errors.Join(err, os.RemoveAll(texts)); err != nil {
		return err
	}
	r, err := segment.Open(g.index())
	if err != nil {
		return err
	}
	err = g.sizes(ctx, w, r)
	if err == nil {
		err = lookups(ctx, w, r, g.index())
	}
	if err := errors.Join(err, r.Close()); err != nil {
		return err
	}
	for _, suspect := range g.suspects {
		if err := g.run(ctx, w, 0, "search", "-q", "--index", g.index(), "-o", filepath.Join(g.dir, "report"), suspect); err != nil {
			return err
		}
	}
	return g.run(ctx, w, 0, "verify", "-q", "--index", g.index())
}

// fill indexes new texts.
func (g *growth) fill(ctx context.Context, w io.Writer, texts string, words float64, plain bool) error {
	if plain {
		if err := g.run(ctx, w, words, "index", "-q", "--no-reworded", "--index", g.index()+"-plain", texts); err != nil {
			return err
		}
	} else if err := os.RemoveAll(g.index() + "-plain"); err != nil {
		return err
	}
	if err := g.run(ctx, w, words, "index", "-q", "--index", g.index(), texts); err != nil {
		return err
	}
	peer, err := measure.Run(ctx, "sh", "-c", `find "$0" -type f -exec cat {} + | wc -w`, texts)
	if err == nil {
		fmt.Fprintf(w, "  wc -w of the same files, compressed: CPU %.2f s\n", peer.CPU.Seconds())
	}
	return err
}

// run runs the program and prints its costs: for a command that changes nothing, the
// minimum of several runs.
func (g *growth) run(ctx context.Context, w io.Writer, words float64, args ...string) error {
	best, err := measure.Run(ctx, g.program, args...)
	for n := 1; n < g.runs && words == 0 && err == nil; n++ {
		var c measure.Cost
		c, err = measure.Run(ctx, g.program, args...)
		best.CPU, best.Wall = min(best.CPU, c.CPU), min(best.Wall, c.Wall)
		best.Own, best.Resident = max(best.Own, c.Own), max(best.Resident, c.Resident)
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "  %-60s CPU %8.2f s, wall %8.2f s, memory %4d MB, with pages of files %5d MB", name(args), best.CPU.Seconds(), best.Wall.Seconds(),
		best.Own>>20, best.Resident>>20)
	if words > 0 {
		fmt.Fprintf(w, ", %.2f M words a second of CPU", words/best.CPU.Seconds()/1e6)
	}
	fmt.Fprintln(w)
	return nil
}

// name returns the name of a command in the output.
func name(args []string) string {
	last := filepath.Base(args[len(args)-1])
	if args[2] == "--no-reworded" {
		return "index --no-reworded"
	}
	return args[0] + " " + last
}

// sizes prints the bytes of an index.
func (g *growth) sizes(ctx context.Context, w io.Writer, r store.Reader) error {
	info, err := r.Info(ctx)
	if err != nil {
		return err
	}
	all, err := sizeOf(g.index())
	if err != nil {
		return err
	}
	words := float64(g.maker.words)
	for _, size := range info.Sizes {
		fmt.Fprintf(w, "  %d n-grams of %d words, %.2f bytes each\n", size.Grams, size.N, float64(size.Bytes)/float64(size.Grams))
	}
	fmt.Fprintf(w, "  %d pairs, %.2f bytes each, %.2f a word\n", info.Pairs.Pairs, float64(info.Pairs.Bytes)/float64(max(1, info.Pairs.Pairs)), float64(info.Pairs.Bytes)/words)
	fmt.Fprintf(w, "  %d MB of text, kept in %d MB; the index has %d MB, %.2f bytes a word, %.2f a byte of text\n",
		info.TextBytes/1e6, info.KeptBytes/1e6, all/1e6, float64(all)/words, float64(all)/float64(info.TextBytes))
	return nil
}

// sizeOf returns the bytes of the files of a folder.
func sizeOf(dir string) (sum int64, err error) {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		st, err := e.Info()
		if err != nil {
			return 0, err
		}
		sum += st.Size()
	}
	return sum, err
}

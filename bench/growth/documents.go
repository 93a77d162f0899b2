//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/otisk/otisk/fingerprint"
	"github.com/otisk/otisk/internal/testing/measure"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/segment"
)

// byDocuments measures an index with this number of documents.
func byDocuments(ctx context.Context, program, dir, documents string, runs int) error {
	count, err := strconv.Atoi(documents)
	if err != nil {
		return err
	}
	b := bench{program: program, dir: filepath.Join(dir, documents)}
	if err := b.build(ctx, count); err != nil {
		return err
	}
	for _, command := range []string{"index", "search"} {
		var warm []cost
		for run := range runs {
			c, err := b.run(ctx, command, run)
			if err != nil {
				return err
			}
			warm = append(warm, c)
		}
		if err := b.evict(); err != nil {
			return err
		}
		cold, err := b.run(ctx, command, runs)
		if err != nil {
			return err
		}
		size, err := sizeOf(b.index())
		if err != nil {
			return err
		}
		slices.SortFunc(warm, func(a, b cost) int { return int(a.Wall - b.Wall) })
		m := warm[runs/2]
		fmt.Printf("%9d  %-7s  %8.1f %8.1f %12d %14d %10d\n", count, command, ms(m.Wall), ms(m.CPU), m.written>>10, cold.read>>10, size>>20)
	}
	return nil
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// A bench is an index and a program.
type bench struct{ program, dir string }

func (b *bench) index() string { return filepath.Join(b.dir, "index") }

// build makes the index and adds documents to it. The program creates it, so that it has the
// default settings.
func (b *bench) build(ctx context.Context, count int) error {
	if err := os.MkdirAll(b.dir, 0o777); err != nil {
		return err
	}
	if segment.Exists(b.index()) {
		return nil
	}
	if _, err := b.run(ctx, "index", -1); err != nil {
		return err
	}
	s, err := segment.OpenWriter(b.index(), segment.Options{})
	if err != nil {
		return err
	}
	for i := range count {
		text := sentence(i)
		doc := store.Document{
			Path: fmt.Sprintf("theses/%d/%06d.txt", 1990+i%30, i), Bytes: int64(len(text)), ModTime: time.Unix(int64(1e9+i), 0).UTC(),
			Content: store.TextSum(text, "", ""), Format: "text", NewLine: "blank", Text: int64(len(text)), Words: 12, Parts: 1,
		}
		hashes := fingerprint.Grams(strings.Fields(text), 7)
		if err := s.Add(ctx, doc, text, []store.Grams{{N: 7, Hashes: once(hashes)}}, once(hashesOfPairs(i))); err != nil {
			return errors.Join(err, s.Close())
		}
		if i%20_000 == 19_999 {
			if err := s.Commit(ctx); err != nil {
				return errors.Join(err, s.Close())
			}
		}
	}
	return errors.Join(s.Optimize(ctx), s.Close())
}

func sentence(i int) string {
	var words []string
	for at := range 12 {
		words = append(words, fmt.Sprintf("word%d", (i*12+at)*7919%100_003))
	}
	return strings.Join(words, " ")
}

func hashesOfPairs(i int) (pairs []store.Hash) {
	for at := range 11 {
		pairs = append(pairs, store.Hash(uint64(i*11+at)*0x9E3779B97F4A7C15>>24))
	}
	return pairs
}

func once(hashes []store.Hash) iter.Seq[[]store.Hash] {
	return func(yield func([]store.Hash) bool) { yield(hashes) }
}

// A cost is the resources that one run used.
type cost struct {
	measure.Cost
	written, read int64
}

// run indexes one more file, or searches for a text.
func (b *bench) run(ctx context.Context, command string, number int) (c cost, err error) {
	file := filepath.Join(b.dir, fmt.Sprintf("file%d.txt", number+1))
	text := fmt.Sprintf("what only file %d of the time %d has of words", number, time.Now().UnixNano()) // prose:ok; a text unlike any other
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		return c, err
	}
	before, err := counters()
	if err != nil {
		return c, err
	}
	if c.Cost, err = measure.Run(ctx, b.program, command, "--index", b.index(), file); err != nil {
		return c, err
	}
	after, err := counters()
	c.written, c.read = after["wchar"]-before["wchar"], after["read_bytes"]-before["read_bytes"]
	return c, err
}

// counters returns the I/O counters of the system for this process and its children.
func counters() (map[string]int64, error) {
	data, err := os.ReadFile("/proc/self/io")
	if err != nil {
		return nil, err
	}
	all := map[string]int64{}
	for line := range strings.Lines(string(data)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		if all[name], err = strconv.ParseInt(value, 10, 64); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// evict removes the files of the index from the page cache.
func (b *bench) evict() error {
	entries, err := os.ReadDir(b.index())
	for _, e := range entries {
		if err == nil {
			err = evictFile(filepath.Join(b.index(), e.Name()))
		}
	}
	return err
}

func evictFile(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Sync(); err != nil {
		return err
	}
	return unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED)
}

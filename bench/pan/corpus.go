package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/otisk/otisk/bench/plagdet"
)

// A corpus is a folder of suspects and sources, with parts that list pairs of
// them and the true passages of each pair.
type corpus struct {
	dir      string
	parts    []part
	suspects []string // names of the files in susp, sorted
}

// A part lists pairs of one kind of copying.
type part struct {
	name  string
	pairs []plagdet.Pair
	truth map[plagdet.Pair][]plagdet.Case
}

// readCorpus reads a corpus without its texts. Every folder with a file named pairs is a
// part.
func readCorpus(dir string) (*corpus, error) {
	c := &corpus{dir: dir}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		p, err := readPart(dir, e.Name())
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		c.parts = append(c.parts, p)
	}
	if len(c.parts) == 0 {
		return nil, fmt.Errorf("read %s: no folder in it has a file named pairs", dir)
	}
	if entries, err = os.ReadDir(filepath.Join(dir, "susp")); err != nil {
		return nil, err
	}
	for _, e := range entries {
		c.suspects = append(c.suspects, e.Name())
	}
	return c, nil
}

// readPart returns an error wrapping fs.ErrNotExist if there is no such folder.
func readPart(dir, name string) (part, error) {
	p := part{name: name, truth: make(map[plagdet.Pair][]plagdet.Case)}
	if info, err := os.Stat(filepath.Join(dir, name)); err != nil || !info.IsDir() {
		return p, errors.Join(err, fs.ErrNotExist)
	}
	var err error
	if p.pairs, err = plagdet.ReadPairs(filepath.Join(dir, name, "pairs")); err != nil {
		return p, err
	}
	for _, pair := range p.pairs {
		cases, err := plagdet.ReadFile(filepath.Join(dir, name, plagdet.FileName(pair.Suspect, pair.Source)))
		if err != nil {
			return p, err
		}
		p.truth[pair] = cases
	}
	return p, nil
}

// keep drops the pairs whose suspects do not satisfy pleases.
func (c *corpus) keep(pleases func(suspect string) bool) {
	for i := range c.parts {
		p := &c.parts[i]
		p.pairs = slices.DeleteFunc(p.pairs, func(q plagdet.Pair) bool { return !pleases(q.Suspect) })
	}
	c.suspects = slices.DeleteFunc(c.suspects, func(s string) bool { return !pleases(s) })
}

// sample keeps one suspect in every, and its pairs.
func (c *corpus) sample(every int) {
	number := map[string]int{}
	for i, s := range c.suspects {
		number[s] = i
	}
	c.keep(func(suspect string) bool { return number[suspect]%max(every, 1) == 0 })
}

// halfOf returns a function that decides whether a suspect belongs to a half: even or odd by
// the last digit of its name, or all.
func halfOf(name string) (func(suspect string) bool, error) {
	want := map[string]int{"all": -1, "even": 0, "odd": 1}
	half, ok := want[name]
	if !ok {
		return nil, fmt.Errorf("unknown half %q: want even, odd or all", name)
	}
	return func(suspect string) bool {
		last := 0
		for _, r := range suspect {
			if '0' <= r && r <= '9' {
				last = int(r - '0')
			}
		}
		return half < 0 || last%2 == half
	}, nil
}

package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/otisk/otisk/internal/testing/measure"
)

// Limits of the program and its tests.
const (
	mostProgram  = 45e6 // bytes, without symbols
	mostTestTime = 360  // seconds of CPU: three minutes on two cores
	mostSize     = 1.6  // bytes of an index of small texts, in bytes of the texts
)

// Of each byte of 21,384 small texts, the index takes 1.91:
//
//	.64  texts, in Huffman codes; in blocks of 32 KB with repeats .51, of which a look-up decodes all
//	.01  their marks
//	.35  hashes of 7-grams, 29 bits each; 4.03 M different ones of 48 bits take at least 27.5
//	.28  their places, 23 bits each; a random order takes at least 22.6
//	.20  lists of places, 24 bits a place; as distances 21
//	.10  filter; half of it makes look-ups of absent hashes 40 to 60 % slower
//	.01  documents, checksums
//	.14  lists of blocks of pairs, 19 bits each; as distances 15
//	.11  the rest of the pairs
//	.08  entries of documents, 152 bytes each, 64 of which are a SHA-256
//
// With all of these changes it would still take 1.67.

// sizes measures the bytes of an index of some 20,000 small texts beside those of the texts, and of the program without
// symbols.
func (b bench) sizes() ([]line, error) {
	lines := []line{
		{name: "small texts: bytes of the index", peer: "1.6 times the texts"},
		{name: "bytes of the program, stripped", peer: "45 MB"},
	}
	dir, index, program := b.path("small"), b.path("small-index"), b.path("stripped")
	if _, err := makeTexts(dir, 40<<20, 500, 5000); err != nil {
		return nil, err
	}
	if _, err := measure.Run(b.ctx, b.program, "index", "-q", "--index", index, dir); err != nil {
		return nil, err
	}
	if _, err := b.compile("", "-ldflags=-s -w", "-o", program, "./cmd/otisk"); err != nil {
		return nil, err
	}
	var bytes [3]float64
	for i, path := range []string{dir, index, program} {
		if err := filepath.WalkDir(path, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || d.Name() == "reserve" { // which an index frees when the disk is full
				return err
			}
			info, err := d.Info()
			if err == nil {
				bytes[i] += float64(info.Size())
			}
			return err
		}); err != nil {
			return nil, err
		}
	}
	lines[0].ratio, lines[1].ratio = bytes[1]/bytes[0]/mostSize, bytes[2]/mostProgram
	return lines, nil
}

// work measures what the developers wait for, once: compiling the program and all its libraries, beside the Go
// command with its own, and all tests.
func (b bench) work() ([]line, error) {
	lines := []line{
		{name: "make build, nothing compiled before", peer: "go build cmd/go, the same"},
		{name: "make test", peer: "360 s of CPU"},
	}
	ours, err := measure.Run(b.ctx, "env", "GOCACHE="+b.path("cache"), "make", "build")
	if err != nil {
		return nil, err
	}
	its, err := b.compile(b.path("cache of Go"), "-o", b.path("built"), "cmd/go")
	if err != nil {
		return nil, err
	}
	lines[0].ours, lines[0].its = ours.CPU.Seconds(), its
	lines[0].ratio = lines[0].ours / its
	if _, err := measure.Run(b.ctx, "go", "clean", "-testcache"); err != nil {
		return lines, err
	}
	tests, err := b.reported("make", "test")
	if err != nil {
		return lines, err
	}
	lines[1].ours = tests.CPU.Seconds()
	lines[1].ratio = lines[1].ours / mostTestTime
	return lines, nil
}

// reported measures a program that prints its failures to standard output, such as go test. They are part of the error.
func (b bench) reported(program string, args ...string) (measure.Cost, error) {
	var output bytes.Buffer
	cost, err := measure.RunTo(b.ctx, &output, program, args...)
	if err != nil {
		err = fmt.Errorf("%w\n%s", err, &output)
	}
	return cost, err
}

// compile runs go build with a cache, "" for the usual one, and returns the seconds of CPU.
func (b bench) compile(cache string, args ...string) (float64, error) {
	command := []string{"CGO_ENABLED=0", "go", "build", "-trimpath"}
	if cache != "" {
		command = append([]string{"GOCACHE=" + cache}, command...)
	}
	cost, err := measure.Run(b.ctx, "env", append(command, args...)...)
	return cost.CPU.Seconds(), err
}

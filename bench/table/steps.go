package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/otisk/otisk/internal/testing/measure"
)

// A bench has the state that the steps share.
type bench struct {
	ctx          context.Context
	program, dir string
	texts        []string
	runs         int
}

// A step measures one command beside another.
type step struct {
	name    string
	before  func() error // not measured
	ours    []string     // arguments of the program
	peer    string       // name of the peer in the table
	command []string     // of the peer
}

func (b bench) path(name string) string { return filepath.Join(b.dir, name) }

// steps returns the steps in order. Later steps use the indexes of earlier ones.
func (b bench) steps() []step {
	texts, index, suspect, file := b.path("texts"), b.path("index"), b.path("suspect.txt"), b.path("text.pdf")
	count := append([]string{"wc", "-w"}, b.texts...)
	return []step{
		{
			"index", b.remove("index"),
			[]string{"index", "-q", "--index", index, texts}, "wc -w of the files", count,
		},
		{
			"index --no-reworded", b.remove("plain"),
			[]string{"index", "-q", "--no-reworded", "--index", b.path("plain"), texts}, "wc -w of the files", count,
		},
		{
			"index, unchanged", nil,
			[]string{"index", "-q", "--index", index, texts}, "find -size, of each file", []string{"find", texts, "-size", "+0"},
		},
		{
			"verify", nil,
			[]string{"verify", "-q", "--index", index}, "cksum of the index", []string{"sh", "-c", `cat "$0"/* | cksum`, index},
		},
		{
			"search, 20,000 words", b.suspect(suspect, 20_000),
			[]string{"search", "-q", "--index", index, suspect}, "text", []string{b.program, "text", "-q", suspect},
		},
		{
			"search, 100 words", b.suspect(suspect, 100),
			[]string{"search", "-q", "--index", index, suspect}, "version", []string{b.program, "version"},
		},
		{
			"text of a PDF, 1 page", b.pdf(file, 1),
			[]string{"text", "-q", file}, "pdftotext", []string{"pdftotext", file, "-"},
		},
		{
			"text of a PDF, 100 pages", b.pdf(file, 100),
			[]string{"text", "-q", file}, "pdftotext", []string{"pdftotext", file, "-"},
		},
		{
			"corpus ngrams -n 7", nil,
			[]string{"corpus", "ngrams", "-q", "-n", "7", "-o", b.path("ngrams"), texts}, "wc -w of the files", count,
		},
		{
			"corpus near --by shingles", nil,
			[]string{"corpus", "near", "-q", "--by", "shingles", "-o", b.path("ngrams"), texts}, "wc -w of the files", count,
		},
	}
}

// remove removes an index, so that the next step makes it from scratch.
func (b bench) remove(name string) func() error {
	return func() error { return os.RemoveAll(b.path(name)) }
}

// suspect returns a function that writes a text of ten stretches from ten files.
func (b bench) suspect(path string, words int) func() error {
	return func() error {
		var all []string
		for i := range 10 {
			text, err := os.ReadFile(b.texts[i*len(b.texts)/10])
			if err != nil {
				return err
			}
			fields := strings.Fields(string(text))
			all = append(all, fields[:min(len(fields), words/10)]...)
		}
		return os.WriteFile(path, []byte(strings.Join(all, " ")), 0o666)
	}
}

// measure runs both commands alternately, and returns the minimum of each.
func (s step) measure(b bench) (line, error) {
	l := line{name: s.name, peer: s.peer}
	for range b.runs {
		if s.before != nil {
			if err := s.before(); err != nil {
				return l, err
			}
		}
		ours, err := measure.Run(b.ctx, b.program, s.ours...)
		if err != nil {
			return l, err
		}
		l.ours = least(l.ours, ours)
		if !installed(s.command[0]) {
			continue
		}
		its, err := measure.Run(b.ctx, s.command[0], s.command[1:]...)
		if err != nil {
			return l, err
		}
		l.its = least(l.its, its)
	}
	if l.its > 0 {
		l.ratio = l.ours / l.its
	}
	return l, nil
}

func least(seconds float64, c measure.Cost) float64 {
	if s := c.CPU.Seconds(); seconds == 0 || s < seconds {
		return s
	}
	return seconds
}

// benchmarks runs the Go benchmarks, and returns the ratios to their own limits.
func benchmarks(ctx context.Context) ([]line, error) {
	out, err := output(ctx, "go", "test", "-run", "^$", "-bench", ".", "-benchtime", "200ms", "./normalize", "./fingerprint", "./store/segment")
	if err != nil {
		return nil, err
	}
	return ratios(out), nil
}

// processors matches the number of processors that go test appends to a name.
var processors = regexp.MustCompile(`-\d+$`)

// ratios parses the lines of go test -bench: a name, the number of runs, and values with
// units. It skips the units of go test itself, which are per op or per second.
func ratios(out []byte) (lines []line) {
	for row := range bytes.Lines(out) {
		fields := strings.Fields(string(row))
		if len(fields) < 2 || !strings.HasPrefix(fields[0], "Benchmark") {
			continue
		}
		for i := 2; i+1 < len(fields); i += 2 {
			l := line{name: processors.ReplaceAllString(strings.TrimPrefix(fields[0], "Benchmark"), "")}
			_, l.peer, _ = strings.Cut(fields[i+1], "/")
			if l.peer == "" || l.peer == "op" || l.peer == "s" || l.peer == "gram" {
				continue
			}
			if _, err := fmt.Sscan(fields[i], &l.ratio); err == nil {
				lines = append(lines, l)
			}
		}
	}
	return lines
}

func output(ctx context.Context, program string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Stderr = os.Stderr
	return cmd.Output()
}

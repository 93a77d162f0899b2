package main

import (
	"bytes"
	"context"
	"errors"
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
	pages        int    // of a long PDF file
	alone, batch int    // PDF files to read with a process each, and with one process
	pdfs         string // folder with PDF files, "" for none
}

// A step measures one command beside another.
type step struct {
	name    string
	before  func() error // not measured
	ours    []string     // nil if it cannot run
	peer    string       // name of the peer in the table
	command []string     // of the peer; nil if it cannot run
}

func (b bench) path(name string) string { return filepath.Join(b.dir, name) }

// steps returns the steps in order. Later steps use the indexes of earlier ones.
func (b bench) steps() ([]step, error) {
	texts, index, suspect, file := b.path("texts"), b.path("index"), b.path("suspect.txt"), b.path("text.pdf")
	otisk := func(args ...string) []string { return append([]string{b.program}, args...) }
	count := append([]string{"wc", "-w"}, b.texts...)
	again := otisk("index", "-q", "--index", b.path("again"), texts)
	pdftotext := peer("pdftotext", file, "-")
	steps := []step{
		{
			"index", b.remove("index"),
			otisk("index", "-q", "--index", index, texts), "wc -w of the files", count,
		},
		{
			"index --no-reworded", b.remove("plain"),
			otisk("index", "-q", "--no-reworded", "--index", b.path("plain"), texts), "wc -w of the files", count,
		},
		{
			"index, unchanged", nil,
			otisk("index", "-q", "--index", index, texts), "find -size, of each file", []string{"find", texts, "-size", "+0"},
		},
		{
			"verify", nil,
			otisk("verify", "-q", "--index", index), "cksum of the index", []string{"sh", "-c", `cat "$0"/* | cksum`, index},
		},
		{
			"verify, beside indexing", b.remove("again"),
			otisk("verify", "-q", "--index", index), "index", again,
		},
		{
			"search, 20,000 words", b.suspect(suspect, 20_000),
			otisk("search", "-q", "--index", index, suspect), "text", otisk("text", "-q", suspect),
		},
		{
			"search, 100 words", b.suspect(suspect, 100),
			otisk("search", "-q", "--index", index, suspect), "version", otisk("version"),
		},
		{
			"text of a PDF, 1 page", b.pdf(file, 1),
			otisk("text", "-q", file), "pdftotext", pdftotext,
		},
		{
			"start of the PDF engine", b.pdf(file, 1),
			otisk("text", "-q", file), "text of 100 words", otisk("text", "-q", suspect),
		},
		{
			fmt.Sprintf("text of a PDF, %d pages", b.pages), b.pdf(file, b.pages),
			otisk("text", "-q", file), "pdftotext", pdftotext,
		},
		{
			fmt.Sprintf("check of a PDF, %d pages, to HTML", b.pages), b.pdf(file, b.pages),
			otisk("search", "-q", "--index", index, "-o", b.path("report.html"), file), "pdftotext", pdftotext,
		},
		{
			"corpus ngrams -n 7", nil,
			otisk("corpus", "ngrams", "-q", "-n", "7", "-o", b.path("ngrams"), texts), "wc -w of the files", count,
		},
		{
			"corpus near --by shingles", nil,
			otisk("corpus", "near", "-q", "--by", "shingles", "-o", b.path("ngrams"), texts), "wc -w of the files", count,
		},
	}
	papers, err := b.pdfSteps()
	return append(steps, papers...), err
}

// peer returns a command, nil if its program is not installed.
func peer(command ...string) []string {
	if _, err := exec.LookPath(command[0]); err != nil {
		return nil
	}
	return command
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
	if s.ours == nil {
		return l, nil
	}
	for range b.runs {
		if s.before != nil {
			if err := s.before(); err != nil {
				return l, err
			}
		}
		ours, err := measure.Run(b.ctx, s.ours[0], s.ours[1:]...)
		if err != nil {
			return l, err
		}
		l.ours = least(l.ours, ours)
		if s.command == nil {
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

// commands measures the steps.
func (b bench) commands() (lines []line, err error) {
	steps, err := b.steps()
	for _, s := range steps {
		l, serr := s.measure(b)
		if serr != nil {
			serr = fmt.Errorf("%s: %w", s.name, serr)
		}
		lines, err = append(lines, l), errors.Join(err, serr)
	}
	return lines, err
}

// benchmarks runs the Go benchmarks, and returns the ratios to their own limits.
func (b bench) benchmarks() ([]line, error) {
	out, err := output(b.ctx, "go", "test", "-run", "^$", "-bench", ".", "-benchtime", "200ms", "./normalize", "./fingerprint", "./store/segment")
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

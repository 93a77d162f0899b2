package main

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestRatios: of the output of go test, only measurements beside a peer or a limit become
// lines.
func TestRatios(t *testing.T) {
	got := ratios([]byte(`goos: linux
BenchmarkLookup/segments=4-2   	 100	   4.81 least/reads	  123 hits	 8.7 median-ms
BenchmarkScan/english-2        	 300	 812345 ns/op	 123.45 MB/s	  0 B/op	 0 allocs/op
BenchmarkMerge-2               	   3	   6.80 B/gram	  31.2 Mgrams/s
PASS
`))
	want := []line{{name: "Lookup/segments=4", peer: "reads", ratio: 4.81}}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestTable checks that a ratio is printed beside the committed one, that a missing
// peer is named, and that the written table can be read.
func TestTable(t *testing.T) {
	lines := []line{
		{name: "index", peer: "wc", ours: 6, its: 1, ratio: 6},
		{name: "text", peer: "antiword"},
		{name: "new", peer: "wc", ours: 1, its: 2, ratio: 0.5},
	}
	var out bytes.Buffer
	if err := printTable(&out, lines, map[string]float64{"index": 5}); err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"what ours beside", "index 6.000 wc 1.000 6.00 5.00 1.20", "text antiword not on this machine", "new 1.000 wc 2.000 0.50 none"} {
		row := strings.Split(out.String(), "\n")[i]
		if got := strings.Join(strings.Fields(row), " "); !strings.HasPrefix(got, want) {
			t.Errorf("line %d: %s, want %s", i, got, want)
		}
	}
	if got := committed(toTSV(lines)); len(got) != 2 || got["index"] != 6 || got["new"] != 0.5 {
		t.Errorf("read back: %v", got)
	}
}

// TestEachStepRuns: the program takes the command lines of the table.
func TestEachStepRuns(t *testing.T) {
	t.Chdir("../..")
	dir := t.TempDir()
	program := os.Getenv("OTISK_TEST_PROGRAM")
	if program == "" {
		program = dir + "/otisk"
		if out, err := output(context.Background(), "go", "build", "-o", program, "./cmd/otisk"); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	texts, err := makeTexts(dir, 1<<18, 5e3, 1e6)
	if err != nil {
		t.Fatal(err)
	}
	b := bench{ctx: context.Background(), program: program, dir: dir, texts: texts, runs: 1, pages: 2, alone: 1, batch: 2, pdfs: dir}
	if err := b.pdf(b.path("own.pdf"), 1)(); err != nil {
		t.Fatal(err)
	}
	lines, err := b.commands()
	if err != nil {
		t.Error(err)
	}
	for _, l := range lines {
		if l.ours == 0 {
			t.Errorf("%v", l)
		}
	}
}

// TestFailureIsReported: the error of a failed program has its output.
func TestFailureIsReported(t *testing.T) {
	_, err := bench{ctx: t.Context()}.reported("sh", "-c", "echo --- FAIL: TestName; echo exit status 1 >&2; exit 1")
	if err == nil || !strings.Contains(err.Error(), "--- FAIL: TestName") || !strings.Contains(err.Error(), "exit status 1") {
		t.Errorf("%v, want the output of the program", err)
	}
}

// TestTextsAreTheSame: each run measures the same texts.
func TestTextsAreTheSame(t *testing.T) {
	words := strings.Fields("a text of some words that is made longer")
	first := altered(rand.New(rand.NewPCG(1, 2)), words, 5000)
	if again := altered(rand.New(rand.NewPCG(1, 2)), words, 5000); !bytes.Equal(first, again) || len(first) < 5000 {
		t.Errorf("%d and %d bytes", len(first), len(again))
	}
}

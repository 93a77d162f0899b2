package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestCorpusKill kills each command about collections at random moments. The output is whole
// or absent afterwards, and the same command, run again, writes the output of an undisturbed
// run and leaves no temporary file. With OTISK_TEST_LONG there are more kills.
func TestCorpusKill(t *testing.T) {
	if testing.Short() {
		t.Skip("kills processes for some seconds")
	}
	kills, documents := 1, 1000
	if os.Getenv("OTISK_TEST_LONG") != "" {
		kills, documents = 20, 2000
	}
	dir := t.TempDir()
	binary := program(t)
	input := filepath.Join(dir, "crawl.vert")
	if err := os.WriteFile(input, webCorpus(documents), 0o600); err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(2, uint64(kills)))
	for _, args := range [][]string{
		{"dedup"}, {"near"}, {"near", "--by", "paragraphs", "--groups"}, {"near", "--by", "simhash"},
		{"scattered"}, {"signatures", "--groups"}, {"signatures", "--keep", "longest"}, {"ngrams", "-n", "3"}, {"stats"},
	} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			k := killing{t: t, binary: binary, tmp: filepath.Join(t.TempDir(), "tmp"), out: filepath.Join(t.TempDir(), "out")}
			k.args = append(append([]string{"corpus"}, args...), "-q", "--tmp", k.tmp, "-o", k.out, input)
			k.rounds(rng, kills)
		})
	}
}

// webCorpus makes a vertical file with much that repeats.
func webCorpus(documents int) []byte {
	rng := rand.New(rand.NewPCG(1, 1))
	var b bytes.Buffer
	var paragraphs []string
	for i := range documents {
		fmt.Fprintf(&b, "<doc id=\"%d\">\n", i)
		for range 1 + rng.IntN(6) {
			var p strings.Builder
			for range 5 + rng.IntN(60) {
				fmt.Fprintf(&p, "w%d\n", rng.IntN(4000))
			}
			paragraphs = append(paragraphs, p.String())
			fmt.Fprintf(&b, "<p>\n%s</p>\n", paragraphs[len(paragraphs)-1-rng.IntN(min(len(paragraphs), 3))])
		}
		b.WriteString("</doc>\n")
	}
	return b.Bytes()
}

// A killing is a command that is killed again and again.
type killing struct {
	t        *testing.T
	binary   string
	args     []string
	tmp, out string
	want     []byte
}

// run runs the command to its end and returns its output.
func (k *killing) run() []byte {
	k.t.Helper()
	if out, err := exec.Command(k.binary, k.args...).CombinedOutput(); err != nil {
		k.t.Fatalf("%v: %v\n%s", k.args, err, out)
	}
	data, err := os.ReadFile(k.out)
	if err != nil {
		k.t.Fatal(err)
	}
	for _, folder := range []string{k.tmp, filepath.Dir(k.out)} {
		entries, err := os.ReadDir(folder)
		if err != nil {
			k.t.Fatal(err)
		}
		for _, e := range entries {
			if filepath.Join(folder, e.Name()) != k.out {
				k.t.Errorf("%s stays in %s", e.Name(), folder)
			}
		}
	}
	return data
}

func (k *killing) rounds(rng *rand.Rand, kills int) {
	start := time.Now()
	k.want = k.run()
	took := time.Since(start)
	for range kills {
		if err := os.Remove(k.out); err != nil {
			k.t.Fatal(err)
		}
		for range 1 + rng.IntN(3) { // also what a kill left is killed
			k.kill(time.Duration(rng.Int64N(int64(took))))
		}
		if got := k.run(); !bytes.Equal(got, k.want) {
			k.t.Fatalf("after a kill it writes %d bytes, else %d", len(got), len(k.want))
		}
	}
}

// kill runs the command for a time and kills it. Its output must then be complete or missing.
func (k *killing) kill(after time.Duration) {
	cmd := exec.Command(k.binary, k.args...)
	if err := cmd.Start(); err != nil {
		k.t.Fatal(err)
	}
	time.Sleep(after)
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if got, err := os.ReadFile(k.out); err == nil && !bytes.Equal(got, k.want) {
		k.t.Fatalf("after a kill the output has %d bytes, whole it has %d", len(got), len(k.want))
	}
}

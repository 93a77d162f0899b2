// Command table compares the program with peers and limits measured in the same run, and
// prints the ratios beside the committed ones.
//
//	make bench
//	go run ./bench/table -otisk ./otisk [-mb 32] [-runs 3] [-pdf FOLDER] [-update]
//
// The texts are made from the sample collection: files of 5 KB to 1 MB, in which one word
// in eight is replaced by another word of the same text. Runs of the program and its peer
// alternate, and the minimum CPU time of each counts, since other programs on the machine
// can only lengthen a time. Go benchmarks with a limit of their own, which they report as
// a metric such as "lookup/reads", are also lines of the table. So are checks and indexing in a cluster of one
// node of Elasticsearch, which needs Java and Maven. At the end, the program is compiled and tested once. Errors are
// printed after the table.
package main

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
	"text/tabwriter"
)

const committedFile = "bench/table/table.tsv"

//go:embed table.tsv
var committedTable string

func main() {
	program := flag.String("otisk", "./otisk", "`program` to measure")
	megabytes := flag.Int("mb", 32, "`megabytes` of text to index")
	runs := flag.Int("runs", 3, "runs of each command; the minimum counts")
	pdfs := flag.String("pdf", "", "`folder` with PDF files to read")
	update := flag.Bool("update", false, "write the ratios to "+committedFile)
	flag.Parse()
	b := bench{ctx: context.Background(), program: *program, runs: *runs, pages: 100, alone: 15, batch: 100, pdfs: *pdfs}
	if err := b.run(os.Stdout, *megabytes, *update); err != nil {
		fmt.Fprintln(os.Stderr, "table:", err)
		os.Exit(1)
	}
}

func (b bench) run(w io.Writer, megabytes int, update bool) (err error) {
	if b.dir, err = os.MkdirTemp("", "otisk-bench"); err != nil {
		return err
	}
	defer os.RemoveAll(b.dir)
	if b.texts, err = makeTexts(b.dir, megabytes<<20, 5e3, 1e6); err != nil {
		return err
	}
	var lines []line
	for _, group := range []func() ([]line, error){b.commands, b.benchmarks, b.sizes, b.inCluster, b.work} {
		more, gerr := group()
		lines, err = append(lines, more...), errors.Join(err, gerr)
	}
	fmt.Fprintf(w, "%d MB in %d files; %d cores; CPU seconds, minimum of %d runs\n\n", megabytes, len(b.texts), runtime.GOMAXPROCS(0), b.runs)
	if err := errors.Join(printTable(w, lines, committed(committedTable)), err); err != nil {
		return err
	}
	if update {
		return os.WriteFile(committedFile, []byte(toTSV(lines)), 0o666)
	}
	return nil
}

// A line compares one step with a peer.
type line struct {
	name, peer string
	ours, its  float64 // seconds of CPU; 0 if a benchmark reports only the ratio
	ratio      float64 // 0 if the peer is not on this machine
}

// committed parses the ratios of a table, by name.
func committed(tsv string) map[string]float64 {
	ratios := map[string]float64{}
	for row := range strings.Lines(tsv) {
		name, value, _ := strings.Cut(strings.TrimSpace(row), "\t")
		if ratio, err := strconv.ParseFloat(value, 64); err == nil {
			ratios[name] = ratio
		}
	}
	return ratios
}

// toTSV encodes lines for committed. It leaves out lines whose peer is missing on
// this machine.
func toTSV(lines []line) string {
	var out strings.Builder
	for _, l := range lines {
		if l.ratio > 0 {
			fmt.Fprintf(&out, "%s\t%.3g\n", l.name, l.ratio)
		}
	}
	return out.String()
}

func printTable(w io.Writer, lines []line, before map[string]float64) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "what\tours\tbeside\tits\tratio\tcommitted\tnow by then")
	for _, l := range lines {
		if l.ratio == 0 {
			fmt.Fprintf(t, "%s\t\t%s\tnot on this machine\n", l.name, l.peer)
			continue
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%.2f\t%s\n", l.name, seconds(l.ours), l.peer, seconds(l.its), l.ratio, compared(l.ratio, before[l.name]))
	}
	return t.Flush()
}

// compared formats a committed ratio, and ratio relative to it.
func compared(ratio, before float64) string {
	if before == 0 {
		return "none\t"
	}
	return fmt.Sprintf("%.2f\t%.2f", before, ratio/before)
}

func seconds(s float64) string {
	if s == 0 {
		return ""
	}
	return fmt.Sprintf("%.3f", s)
}

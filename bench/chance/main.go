// Chance measures what it costs that pairs of words name documents by chance: how
// many documents and windows of an index a search looks at for that, and the
// time and memory of searches with and without.
//
//	go run ./bench/chance -index otisk.index TEXT …
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/pprof"
	"syscall"
	"time"

	"github.com/otisk/otisk/config"
	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/search"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/segment"
)

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "chance: error:", err)
		os.Exit(1)
	}
}

// run checks each text with and without pairs of words, and prints a line for
// each.
func run(ctx context.Context, args []string, stdout io.Writer) (err error) {
	f := flag.NewFlagSet("chance", flag.ContinueOnError)
	index := f.String("index", "otisk.index", "`folder` of the index")
	times := f.Int("times", 3, "runs, of which the shortest counts")
	profile := f.String("profile", "", "`file` for a profile of the processor's time")
	if err := f.Parse(args); err != nil {
		return err
	}
	if f.NArg() == 0 {
		return errors.New("no text is named")
	}
	stop, err := profiled(*profile)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	r, err := segment.Open(*index)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	info, err := r.Info(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%d documents, %d pairs of words\n", info.Documents, info.Pairs.Pairs)
	fmt.Fprintf(stdout, "%8s %8s %8s %8s %8s %10s %10s %10s %8s\n", "words", "by pairs", "windows", "aligned", "sources", "CPU ms", "wall ms", "without", "MB")
	for _, name := range f.Args() {
		doc, err := document.Open(ctx, name, document.Options{})
		if err != nil {
			return err
		}
		with, err := measure(ctx, r, doc, *times)
		if err != nil {
			return err
		}
		without, err := measure(ctx, plain{r}, doc, *times)
		if err != nil {
			return err
		}
		fmt.Fprintf(stdout, "%8d %8d %8d %8d %8d %10.1f %10.1f %10.1f %8d\n", with.words, with.faint, with.windows, with.aligned, with.sources,
			ms(with.cpu), ms(with.wall), ms(without.cpu), memory()>>20)
	}
	return nil
}

// profiled begins a profile, unless name is empty. stop ends it.
func profiled(name string) (stop func() error, err error) {
	if name == "" {
		return func() error { return nil }, nil
	}
	f, err := os.Create(name)
	if err != nil {
		return nil, err
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() error { pprof.StopCPUProfile(); return f.Close() }, nil
}

// ngram is the size of n-grams that indexes have if nothing else is said.
const ngram = 7

// A cost is what the search of one text took.
type cost struct {
	words, sources          int
	faint, windows, aligned int64
	cpu                     time.Duration // of the whole process, the least of all runs ...
	wall                    time.Duration // ... and by the clock
}

// measure searches a text several times.
func measure(ctx context.Context, r store.Reader, doc *document.Document, times int) (cost, error) {
	settings := config.Default()
	norms, err := settings.Normalizers()
	if err != nil {
		return cost{}, err
	}
	var out cost
	for n := range times {
		work := new(search.Work)
		s, err := search.New(ctx, r, norms, search.Options{N: ngram, Common: settings.Common, Summary: true, Work: work})
		if err != nil {
			return out, err
		}
		before, start := cpu(), time.Now()
		result, err := s.Search(ctx, doc)
		if err != nil {
			return out, err
		}
		took, wall := cpu()-before, time.Since(start)
		if n == 0 {
			out.cpu, out.wall = took, wall
		}
		out.cpu, out.wall = min(out.cpu, took), min(out.wall, wall)
		out.words, out.sources = result.Suspect.Words, len(result.Sources)
		out.faint, out.windows, out.aligned = work.Faint.Load(), work.Windows.Load(), work.Aligned.Load()
	}
	return out, nil
}

// plain is an index without pairs of words.
type plain struct{ store.Reader }

// Info says that there are none.
func (p plain) Info(ctx context.Context) (store.Info, error) {
	info, err := p.Reader.Info(ctx)
	info.Pairs = store.PairInfo{}
	return info, err
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// cpu returns the processor time of the process.
func cpu() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// memory returns what the program has taken from the system, without the pages
// of the index.
func memory() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Sys
}

//go:build unix

// Mutants plants faults in packages, one at a time, and lists those that no test of the
// package notices.
//
//	go run ./bench/mutants ./search/score ./search/align
//
// All faults of a package are compiled at once, each enabled by a switch, so one build serves
// all of them. Each test runs once without a fault, to find out which faults it reaches, and then once
// for each of these that no faster test notices. Faults are negated conditions, shifted boundaries, inverted calculations, lost errors, and statements that
// are removed or inverted.
//
// The method is that of mutant schemata (Untch, Offutt, Harrold: Mutation analysis using
// mutant schemata, ISSTA 1993).
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"time"

	"golang.org/x/tools/go/packages"
)

// switchedPath is the package that the faults call.
const switchedPath = "github.com/otisk/otisk/bench/mutants/switched"

func main() {
	var o options
	flag.IntVar(&o.sample, "sample", 0, "try this many faults of each package, chosen at random (0: all)")
	flag.Uint64Var(&o.seed, "seed", 1, "`number` that chooses the sample")
	flag.StringVar(&o.run, "run", "", "run only tests that match this `pattern`")
	flag.StringVar(&o.skip, "skip", "", "skip tests that match this `pattern`")
	flag.IntVar(&o.workers, "workers", runtime.NumCPU(), "tests to run in parallel")
	flag.Parse()
	if flag.NArg() == 0 {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(o, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

type options struct {
	sample  int
	seed    uint64
	run     string
	skip    string
	workers int
}

func run(o options, patterns []string) error {
	mode := packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedSyntax | packages.NeedTypes |
		packages.NeedTypesInfo | packages.NeedImports | packages.NeedDeps
	pkgs, err := packages.Load(&packages.Config{Mode: mode}, patterns...)
	if err != nil {
		return err
	}
	for _, pkg := range pkgs {
		if len(pkg.Errors) > 0 {
			return fmt.Errorf("%s: %w", pkg.PkgPath, pkg.Errors[0])
		}
		if err := o.examine(pkg); err != nil {
			return fmt.Errorf("%s: %w", pkg.PkgPath, err)
		}
	}
	return nil
}

// A trial is the test program of one package with all its faults.
type trial struct {
	options
	program string  // path of the test program
	folder  string  // working directory of the tests
	work    string  // folder of the trial
	units   []*unit // in ascending order of time
}

// examine plants the faults of a package, runs its tests for each, and prints the outcome.
func (o options) examine(pkg *packages.Package) error {
	work, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	if err := os.Chmod(work, 0o755); err != nil { // some tests run programs as other users
		return err
	}
	t := &trial{options: o, work: work, program: filepath.Join(work, "tests"), folder: filepath.Dir(pkg.CompiledGoFiles[0])}
	files, faults, err := plant(pkg)
	if err != nil {
		return err
	}
	if err := t.build(pkg.PkgPath, files); err != nil {
		return err
	}
	if err := t.findUnits(); err != nil {
		return err
	}
	chosen := slices.Clone(faults)
	if o.sample > 0 && o.sample < len(chosen) {
		r := rand.New(rand.NewPCG(o.seed, 0))
		r.Shuffle(len(chosen), func(i, j int) { chosen[i], chosen[j] = chosen[j], chosen[i] })
		chosen = chosen[:o.sample]
		slices.SortFunc(chosen, func(a, b fault) int { return a.number - b.number })
	}
	report(pkg.PkgPath, len(faults), t.tryAll(chosen))
	return nil
}

// build compiles the tests of a package with files replaced by these contents.
func (t *trial) build(path string, files map[string][]byte) error {
	replace := map[string]string{}
	for name, content := range files {
		to := filepath.Join(t.work, fmt.Sprintf("%d.go", len(replace)))
		if err := os.WriteFile(to, content, 0o644); err != nil {
			return err
		}
		replace[name] = to
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return err
	}
	list := filepath.Join(t.work, "overlay.json")
	if err := os.WriteFile(list, overlay, 0o644); err != nil {
		return err
	}
	out, err := exec.Command("go", "test", "-vet=off", "-overlay", list, "-c", "-o", t.program, path).CombinedOutput()
	if err != nil {
		return fmt.Errorf("compile the faults: %w\n%s", err, out)
	}
	return nil
}

// tryAll tries the faults, and returns them with the outcomes.
func (t *trial) tryAll(faults []fault) []fault {
	var wait sync.WaitGroup
	queue := make(chan *fault)
	for range t.workers {
		wait.Go(func() {
			for f := range queue {
				f.outcome = t.try(f.number)
			}
		})
	}
	for i := range faults {
		queue <- &faults[i]
	}
	close(queue)
	wait.Wait()
	return faults
}

// try runs the tests that reach fault k, until one notices it.
func (t *trial) try(k int) outcome {
	result := notReached
	for _, u := range t.units {
		if !u.reaches[k] {
			continue
		}
		result = notNoticed
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second+4*u.time) // longer is an endless loop
		_, err := t.tests(ctx, fmt.Sprint("otisk-mutant-", k), u.pattern)
		cancel()
		if err != nil {
			return noticed
		}
	}
	return result
}

// tests runs the tests that match a pattern with their temporary files in a folder of this name, which
// selects a fault or the list of the reached ones, and returns what they print.
func (t *trial) tests(ctx context.Context, folder, pattern string, flags ...string) ([]byte, error) {
	temp := filepath.Join(t.work, folder)
	if err := os.MkdirAll(temp, 0o755); err != nil {
		return nil, err
	}
	defer os.RemoveAll(temp)
	args := append(flags, "-test.short", "-test.failfast", "-test.run", pattern, "-test.skip", t.skip)
	cmd := exec.CommandContext(ctx, t.program, args...)
	cmd.Dir = t.folder
	cmd.Env = append(os.Environ(), "OTISK_MUTANT="+temp, "TMPDIR="+temp)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // so that programs started by tests are killed with them
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	return cmd.CombinedOutput()
}

// report prints the outcome, and each fault that was not noticed.
func report(path string, planted int, tried []fault) {
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	count := map[outcome]int{}
	for _, f := range tried {
		count[f.outcome]++
		if f.outcome != noticed {
			fmt.Fprintf(out, "%s:%d:%d: %s: %s: %s\n", filepath.Base(f.place.Filename), f.place.Line, f.place.Column, f.outcome, f.kind, f.code)
		}
	}
	fmt.Fprintf(out, "%s: %d faults planted, %d tried, %d not reached, %d not noticed, %d noticed (%.1f%% of those tried)\n",
		path, planted, len(tried), count[notReached], count[notNoticed], count[noticed], 100*float64(count[noticed])/float64(max(1, len(tried))))
}

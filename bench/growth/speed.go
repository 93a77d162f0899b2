//go:build linux

package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/otisk/otisk/internal/testing/measure"
)

// speed indexes plain files with this number of words several times, with and without
// pairs, each time directly after two parallel processes of `wc -w` over the same
// files, and prints both times.
func speed(ctx context.Context, w io.Writer, program, dir string, runs int, patterns []string, words int64) error {
	files := filepath.Join(dir, "plain")
	if _, err := os.Stat(files); err != nil {
		if err := writeFiles(ctx, files, patterns, words); err != nil {
			return err
		}
	}
	halves, err := halve(files)
	if err != nil {
		return err
	}
	fmt.Fprintln(w, "                       two wc -w: wall    CPU   index: until merged    wall    CPU   times the wall time, until merged   times the CPU   memory MB")
	for _, flag := range []string{"", "--no-reworded"} {
		var times []timing
		for range runs {
			t, err := timed(ctx, program, dir, files, flag, halves)
			if err != nil {
				return err
			}
			times = append(times, t)
			t.print(w, "index "+flag)
		}
		slices.SortFunc(times, func(a, b timing) int { return cmp.Compare(a.ratio(), b.ratio()) })
		times[len(times)/2].print(w, "median")
	}
	return nil
}

// writeFiles writes documents as plain files to a folder.
func writeFiles(ctx context.Context, dir string, patterns []string, words int64) error {
	m, err := newMaker(ctx, patterns)
	if err != nil {
		return err
	}
	_, err = m.write(dir, words, func(path string, text []byte) error { return os.WriteFile(path+".txt", text, 0o666) })
	return err
}

// halve divides the files of a folder into two lists of about equal size.
func halve(dir string) (halves [2][]string, err error) {
	var sums [2]int64
	err = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		i := 0
		if sums[1] < sums[0] {
			i = 1
		}
		sums[i] += info.Size()
		halves[i] = append(halves[i], path)
		return nil
	})
	return halves, err
}

// A timing has the cost of making an index, and of two parallel processes of wc just before.
type timing struct {
	peer, index measure.Cost
	unmerged    time.Duration // time by the clock until the final merge began
}

func (t timing) ratio() float64 { return t.index.Wall.Seconds() / t.peer.Wall.Seconds() }

func (t timing) print(w io.Writer, what string) {
	fmt.Fprintf(w, "%-24s %13.2f s %5.2f s %18.2f s %6.2f s %5.2f s %20.2f, %4.2f %16.2f %12d\n", what, t.peer.Wall.Seconds(), t.peer.CPU.Seconds(),
		t.unmerged.Seconds(), t.index.Wall.Seconds(), t.index.CPU.Seconds(), t.ratio(), t.unmerged.Seconds()/t.peer.Wall.Seconds(),
		t.index.CPU.Seconds()/t.peer.CPU.Seconds(), t.index.Resident>>20)
}

// timed times one index of the files of a folder.
func timed(ctx context.Context, program, dir, files, flag string, halves [2][]string) (t timing, err error) {
	if t.peer, err = wc(ctx, halves); err != nil {
		return t, err
	}
	index := filepath.Join(dir, "index")
	if err := os.RemoveAll(index); err != nil {
		return t, err
	}
	args := []string{"index", "-v", "--index", index}
	if flag != "" {
		args = append(args, flag)
	}
	out, err := os.Create(filepath.Join(dir, "output"))
	if err != nil {
		return t, err
	}
	defer out.Close()
	if t.index, err = measure.RunTo(ctx, out, program, append(args, files)...); err != nil {
		return t, err
	}
	said, err := os.ReadFile(out.Name())
	if err == nil {
		t.unmerged, err = elapsed(string(said))
	}
	return t, err
}

// elapsed parses the time until the final merge from the output of the program.
func elapsed(said string) (time.Duration, error) {
	for _, line := range strings.Split(strings.TrimSpace(said), "\n") {
		parts := strings.Split(line, ", ")
		if len(parts) == 4 {
			seconds, err := strconv.ParseFloat(strings.TrimSuffix(parts[2], " s"), 64)
			return time.Duration(seconds * float64(time.Second)), err
		}
	}
	return 0, fmt.Errorf("index -v has not printed its time: %q", said)
}

// wc runs two parallel processes of wc on the files.
func wc(ctx context.Context, halves [2][]string) (c measure.Cost, err error) {
	var group errgroup.Group
	var cpu [2]time.Duration
	start := time.Now()
	for i, list := range halves {
		group.Go(func() error {
			cmd := exec.CommandContext(ctx, "wc", "-w", "--files0-from=-")
			cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8")
			cmd.Stdin = strings.NewReader(strings.Join(list, "\x00"))
			err := cmd.Run()
			cpu[i] = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
			return err
		})
	}
	err = group.Wait()
	return measure.Cost{Wall: time.Since(start), CPU: cpu[0] + cpu[1]}, err
}

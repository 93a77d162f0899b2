// Command containers makes large files that hold many documents, out of novels, and
// indexes them: how much that takes beside unpacking alone, and whether a run that is
// killed again and again comes to the same index.
//
//	go run ./bench/containers make FILE BYTES FOLDER...
//	go run ./bench/containers run PROGRAM FILE INDEX
//	go run ./bench/containers kill PROGRAM FILE INDEX TIMES SECONDS
//
// FILE is wiki.xml.bz2, web.warc.gz, lines.jsonl or lines.jsonl.zst; each FOLDER has novels, as
// .txt or .xml; and BYTES is what the file has before it is packed. run unpacks the file by the
// program of its format, indexes it, and indexes it again. kill begins to index it, and kills that after up
// to so many seconds, so many times; then it lets it come to its end.
package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/otisk/otisk/bench/measure"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "containers: error: %v\n", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	switch {
	case len(args) >= 4 && args[0] == "make":
		size, err := strconv.ParseInt(args[2], 10, 64)
		if err != nil {
			return err
		}
		return makeFile(args[1], size, args[3:])
	case len(args) == 4 && args[0] == "run":
		return measureFile(ctx, args[1], args[2], args[3])
	case len(args) == 6 && args[0] == "kill":
		return killed(ctx, args[1:])
	}
	return fmt.Errorf("want make FILE BYTES FOLDER..., run PROGRAM FILE INDEX, or kill PROGRAM FILE INDEX TIMES SECONDS")
}

// unpackers are the programs that unpack, by extension.
var unpackers = map[string]string{".bz2": "bzip2", ".gz": "gzip", ".zst": "zstd", ".xz": "xz"}

// measureFile prints what each step takes.
func measureFile(ctx context.Context, program, file, index string) error {
	unpacker, args := "cat", []string{file}
	if name, ok := unpackers[filepath.Ext(file)]; ok {
		unpacker, args = name, []string{"-dc", file}
	}
	steps := []struct {
		name, program string
		args          []string
	}{
		{unpacker, unpacker, args},
		{"index", program, []string{"index", "--index", index, file}},
		{"again", program, []string{"index", "--index", index, file}},
	}
	for _, step := range steps {
		c, err := measure.Run(ctx, step.program, step.args...)
		if err != nil {
			return err
		}
		fmt.Printf("%-6s %7.1f s by the clock, %7.1f s of CPU, %.2f cores, %d MB (%d its own)\n",
			step.name, c.Wall.Seconds(), c.CPU.Seconds(), c.CPU.Seconds()/c.Wall.Seconds(), c.Resident>>20, c.Own>>20)
	}
	return nil
}

// killed indexes a file that many times, each time until it is killed, and then to its end.
func killed(ctx context.Context, args []string) error {
	program, file, index := args[0], args[1], args[2]
	times, err := strconv.Atoi(args[3])
	if err != nil {
		return err
	}
	seconds, err := strconv.ParseFloat(args[4], 64)
	if err != nil {
		return err
	}
	r := rand.New(rand.NewPCG(5, uint64(times)))
	for kill := 1; kill <= times; kill++ {
		after := time.Duration(r.Float64() * seconds * float64(time.Second))
		cmd := exec.CommandContext(ctx, program, "index", "--index", index, "--commit-every", "2s", file)
		if err := cmd.Start(); err != nil {
			return err
		}
		time.Sleep(after)
		_ = cmd.Process.Kill() // it may be over
		err := cmd.Wait()
		done, _ := exec.CommandContext(ctx, program, "info", "--index", index).Output() // there may be no index yet
		fmt.Printf("kill %d after %.1f s: %v\n%s", kill, after.Seconds(), err, done)
	}
	c, err := measure.Run(ctx, program, "index", "--index", index, file)
	fmt.Printf("the last run: %.1f s by the clock, %.1f s of CPU, %d MB\n", c.Wall.Seconds(), c.CPU.Seconds(), c.Resident>>20)
	return err
}

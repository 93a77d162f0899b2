package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/otisk/otisk/internal/testing/files"
	"github.com/otisk/otisk/internal/testing/need"
)

// faultyCalls are system calls with an error that each may return on a sound machine: a network drive that
// is away for a moment, too many open files, a disk that is full until somebody deletes a file.
var faultyCalls = []struct{ call, err string }{
	{"newfstatat", "EACCES"}, {"openat", "EMFILE"}, {"read", "EIO"}, {"getdents64", "EIO"}, {"readlinkat", "EIO"},
	{"write", "ENOSPC"}, {"pwrite64", "EIO"}, {"fsync", "EIO"}, {"renameat", "EACCES"}, {"mkdirat", "EACCES"}, {"close", "EIO"},
}

// A faultyTask is a command line, and the result that it must have if it succeeds.
type faultyTask struct {
	name    string
	prepare func(dir string) // returns dir to the state before the command
	args    []string         // run in dir
	result  func(dir string) (string, error)
}

// TestSystemCallFailsOnce lets strace fail one system call of a command after another. A command that succeeds
// nevertheless has its whole result, and one that fails has it after it was repeated. With OTISK_TEST_LONG,
// every call of all commands fails in turn, otherwise every eighth of each kind in the first.
func TestSystemCallFailsOnce(t *testing.T) {
	if runtime.GOOS != "linux" || testing.Short() {
		t.Skip("traces system calls of Linux for some seconds")
	}
	if _, err := exec.LookPath("strace"); err != nil {
		need.Skip(t, "no strace")
	}
	texts := map[string]string{}
	for i := range 6 {
		texts[fmt.Sprintf("texts/%d.txt", i)] = strings.Repeat(fmt.Sprintf("text %d has words enough for some n-grams, and then as many again. ", i), 3)
	}
	texts["suspect.txt"] = "Words of its own come first. " + texts["texts/3.txt"]
	tasks := faultyTasks(t)
	if !need.All() {
		tasks = tasks[:1]
	}
	for _, task := range tasks {
		t.Run(task.name, func(t *testing.T) {
			dir := files.Folder(t, texts)
			task.prepare(dir)
			if out, err := inFolder(dir, program(t), task.args...); err != nil {
				t.Fatalf("without a fault: %v: %s", err, out)
			}
			want, err := task.result(dir)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range faultyCalls {
				for at := 1; task.fails(t, dir, want, fmt.Sprintf("%s:error=%s:when=%d", f.call, f.err, at)); {
					if at++; !need.All() {
						at += 7
					}
				}
			}
		})
	}
}

// faultyTasks returns the commands of the test. Their indexes lie beside the texts.
func faultyTasks(t *testing.T) []faultyTask {
	remove := func(names ...string) func(dir string) {
		return func(dir string) {
			for _, name := range names {
				if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	content := func(name string) func(dir string) (string, error) {
		return func(dir string) (string, error) {
			data, err := os.ReadFile(filepath.Join(dir, name))
			return string(data), err
		}
	}
	index := func(dir string) (string, error) {
		docs, err := inFolder(dir, program(t), "docs", "--index", "index")
		sound, unsound := inFolder(dir, program(t), "verify", "--index", "index")
		return docs + sound, cmp.Or(err, unsound)
	}
	return []faultyTask{
		{"index", remove("index"), []string{"index", "--index", "index", "texts"}, index},
		{"compare", remove("report.txt"), []string{"compare", "suspect.txt", "texts/3.txt", "--format", "text", "-o", "report.txt"}, content("report.txt")},
	}
}

// fails runs the task with a fault, and reports whether the command came to it.
func (f faultyTask) fails(t *testing.T, dir, want, fault string) bool {
	t.Helper()
	f.prepare(dir)
	call, _, _ := strings.Cut(fault, ":")
	trace := filepath.Join(t.TempDir(), "trace")
	args := append([]string{"-f", "-qq", "-o", trace, "-e", "trace=" + call, "-e", "inject=" + fault, program(t)}, f.args...)
	out, err := inFolder(dir, "strace", args...)
	var exit *exec.ExitError
	switch {
	case err != nil && !errors.As(err, &exit):
		t.Fatal(err)
	case strings.Contains(out, "goroutine "):
		t.Errorf("%s: panics: %s", fault, out)
	case err != nil:
		if again, err := inFolder(dir, program(t), f.args...); err != nil {
			t.Errorf("%s: fails with %s, and then again: %v: %s", fault, out, err, again)
		}
	}
	if got, err := f.result(dir); err != nil || got != want {
		t.Errorf("%s: %s\nthe result is %s (%v), want %s", fault, out, got, err, want)
	}
	traced, err := os.ReadFile(trace)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Contains(string(traced), "INJECTED")
}

// inFolder runs a program in dir, and returns what it prints.
func inFolder(dir, name string, args ...string) (string, error) {
	var out bytes.Buffer
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &out
	err := cmd.Run()
	return out.String(), err
}

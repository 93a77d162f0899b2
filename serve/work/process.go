package work

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/otisk/otisk/check"
	"github.com/otisk/otisk/internal/host"
	"github.com/otisk/otisk/lang/phrase"
)

// A Program starts worker processes.
type Program struct {
	Path   string        // executable; "" for this one
	Args   []string      // arguments before the command
	Dir    string        // working directory: the folder of the collections
	Stall  time.Duration // limit of time without progress
	Memory int64         // limit for one process, in bytes

	// Wait is the time after which a job runs again if it failed for a reason outside its files, such as a full
	// disk; 0 for 15 s. The queue calls [Keeper.Due] at intervals of a third of it.
	Wait time.Duration
}

// errCrashed marks an error of a process that ended without an outcome. The file may be the cause.
var errCrashed = errors.New("the worker process ended early")

// Run executes a task in a process and calls progress for each step. An error wraps errCrashed
// unless ctx ended or the process could not be started.
func (p *Program) Run(ctx context.Context, task *Task, progress func(check.Progress)) (*Outcome, error) {
	task.Memory = p.Memory
	input, err := json.Marshal(task)
	if err != nil {
		return nil, err
	}
	path := p.Path
	if path == "" {
		if path, err = os.Executable(); err != nil {
			return nil, err
		}
	}
	limited, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stalled := time.AfterFunc(p.Stall, func() { cancel(errStalled) })
	defer stalled.Stop()
	cmd := exec.CommandContext(limited, path, append(slices.Clone(p.Args), Command)...)
	cmd.Dir, cmd.WaitDelay = p.Dir, time.Second
	cmd.Env = append(environment(), fmt.Sprintf("GOMEMLIMIT=%d", p.Memory/10*9), "GOTRACEBACK=none", "LC_ALL=C")
	if task.Out != "" { // where nothing outlasts a process that is killed
		cmd.Env = append(cmd.Env, "TMPDIR="+task.Out, "TMP="+task.Out)
	}
	host.OwnGroup(cmd)
	errs := &tail{}
	cmd.Stderr = errs
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	// The process ends when its standard input does, so it does not outlive a server that was killed.
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	defer stdin.Close()
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start a worker process: %w", err)
	}
	lower(cmd)
	_, _ = stdin.Write(append(input, '\n')) // a process that does not read it has ended, which Wait reports
	outcome := lines(out, func(at check.Progress) {
		stalled.Reset(p.Stall)
		progress(at)
	})
	err = cmd.Wait()
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case limited.Err() != nil:
		return nil, crashed(phrase.Error("serve.stalled", "no progress for {time}", "time", p.Stall))
	case err != nil:
		return nil, crashed(phrase.Error("serve.crashed", "the worker process ended early: {cause}", "cause", errs.reason(err)))
	case outcome == nil:
		return nil, crashed(phrase.Error("serve.crashed", "the worker process ended early: {cause}", "cause", "no result"))
	}
	return outcome, nil
}

// environment returns the variables of a job, which reads files of strangers: not those of the server, its bucket and its database,
// which have secrets.
func environment() []string {
	return slices.DeleteFunc(os.Environ(), func(variable string) bool {
		return strings.HasPrefix(variable, "OTISK_") || strings.HasPrefix(variable, "AWS_") || strings.HasPrefix(variable, "PG")
	})
}

var errStalled = errors.New("stalled")

// lines reads the output of a process to its end and returns the outcome, nil if there is none.
func lines(out io.Reader, progress func(check.Progress)) (outcome *Outcome) {
	d := json.NewDecoder(out)
	for {
		var line Line
		if err := d.Decode(&line); err != nil {
			_, _ = io.Copy(io.Discard, out)
			return outcome
		}
		if line.Progress != nil {
			progress(*line.Progress)
		}
		if line.Outcome != nil {
			outcome = line.Outcome
		}
	}
}

// A crashError is an error of a process that ended without an outcome.
type crashError struct{ error }

func (e crashError) Unwrap() []error { return []error{e.error, errCrashed} }

func crashed(err error) error { return crashError{err} }

// A tail retains the start of the bytes written to it: a Go program that crashes prints the cause
// first.
type tail struct{ start []byte }

func (t *tail) Write(b []byte) (int, error) {
	t.start = append(t.start, b[:min(len(b), 4096-len(t.start))]...)
	return len(b), nil
}

// reason returns the cause of a crash: the line of the Go runtime, or else the exit status. Other
// output may contain text of documents, which must not be logged.
func (t *tail) reason(err error) string {
	for line := range strings.Lines(string(t.start)) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "fatal error: ") || strings.HasPrefix(line, "runtime: out of memory") {
			return line
		}
	}
	return err.Error()
}

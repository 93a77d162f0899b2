// Command otisk finds copied passages: it indexes a collection of texts, and
// shows which passages of another text are in it, and where.
//
// The files are named by what they hold: command_NAME.go is the command NAME, with its
// options, its flags and its run function; command_corpus_NAME.go is a command below
// otisk corpus; flags_*.go are flags that several commands share; index_*.go opens the
// index; search_run.go is the work of search and compare; output*.go is where results and
// messages go; misuse.go turns a wrong command line into an error.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"syscall"

	"github.com/otisk/otisk/esclient/wire"
	"github.com/otisk/otisk/lang"
)

// Exit statuses besides 0, all documented in the help of the commands that use
// them.
const (
	statusFailed      = 1   // nothing, or not all that was asked, could be done
	statusUsage       = 2   // the command line or a setting is wrong
	statusOver        = 3   // a score is over the limit that was given
	statusServer      = 4   // the cluster could not be reached or refused
	statusSome        = 5   // some files could not be used, the others were done
	statusUnsearched  = 6   // no score is over the limit, but not everything was looked at
	statusInterrupted = 130 // stopped by the user; what was done is kept
)

func main() {
	if err := checkOpenFiles(); err != nil { // before anything opens a file
		fmt.Fprintln(os.Stderr, "otisk: error:", err)
		os.Exit(statusFailed)
	}
	ctx, stop := interruptible(context.Background())
	go func() {
		<-ctx.Done()
		stop() // a second interrupt ends the program at once
	}()
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// interruptible returns a context that ends when the user stops the program, by
// closing its terminal too; but one started by nohup goes on then.
func interruptible(ctx context.Context) (context.Context, context.CancelFunc) {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	return signal.NotifyContext(ctx, signals...)
}

// run executes one command line and returns the exit status.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root := newRootCommand()
	root.SetArgs(args)
	root.SetIn(stdin)
	out := &results{Writer: stdout, nowhere: isNowhere(stdout)}
	root.SetOut(out)
	voice := newVoice(stderr, args)
	root.SetErr(voice)
	localize(root, voice.lang)
	err := root.ExecuteContext(ctx)
	if err == nil && out.err != nil {
		err = fmt.Errorf("write the results: %w", out.err)
	}
	if out.lost {
		warnTo(voice, "the standard output is closed, or leads nowhere: what was written there is lost")
	}
	if err == nil {
		return 0
	}
	if errors.As(err, new(skippedError)) || errors.As(err, new(partlyError)) {
		tell(stderr, voice.lang.Text("terminal.warning"), voice.lang.Err(err))
	} else {
		tell(stderr, voice.lang.Text("terminal.error"), said(ctx, voice.lang, err))
	}
	if h := hint(err, voice.lang); h != "" {
		tell(stderr, voice.lang.Text("terminal.hint"), h)
	}
	return status(ctx, err)
}

// said returns what is printed of an error.
func said(ctx context.Context, p *lang.Printer, err error) string {
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return p.Said("interrupted")
	}
	return p.Err(err)
}

// results is the standard output. It notes an error of writing, so that no
// command can end well whose results were lost.
type results struct {
	io.Writer
	err     error
	nowhere bool // what is written is lost without an error
	lost    bool // something was
}

// Write implements [io.Writer].
func (r *results) Write(b []byte) (int, error) {
	n, err := r.Writer.Write(b)
	if err != nil && r.err == nil {
		r.err = err
	}
	r.lost = r.lost || r.nowhere && n > 0
	return n, err
}

// isNowhere reports whether w is the null device, open for reading too: where the
// standard output is closed, the runtime of Go opens it so, and writing succeeds. A
// shell opens it for writing alone, for who wants that (> /dev/null). Other programs
// that want it may open it for both, so this is no error.
func isNowhere(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok || runtime.GOOS == "windows" { // where writing to what is closed fails
		return false
	}
	null, err := os.Stat(os.DevNull)
	if err != nil {
		return false
	}
	if info, err := f.Stat(); err != nil || !os.SameFile(info, null) {
		return false
	}
	_, err = f.Read(make([]byte, 1))
	return err == io.EOF
}

// status returns the exit status that err stands for.
func status(ctx context.Context, err error) int {
	var usage usageError
	var some skippedError
	var over overError
	switch {
	case errors.As(err, &over):
		return statusOver
	case errors.As(err, new(unsearchedError)):
		return statusUnsearched
	case errors.As(err, &some):
		return some.status()
	case errors.As(err, new(partlyError)):
		return statusSome
	case errors.As(err, &usage), errors.As(err, new(wire.ConfigError)):
		return statusUsage
	case isServerError(err):
		return statusServer
	case ctx.Err() != nil:
		return statusInterrupted
	}
	return statusFailed
}

// A usageError is a wrong command line or setting.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// misuse returns an error about the command line, a message of lang.
func misuse(message string, args ...any) error { return usageError{lang.Say(message, args...)} }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// A partlyError says that not all could be done. What is missing has been named
// before.
type partlyError struct{ error }

func (e partlyError) Unwrap() error { return e.error }

// A skippedError says that some of what was asked for could not be used: files,
// documents or rows, as its message says. Each of them has been named before.
type skippedError struct {
	skipped, total int
	message        string
}

func (e skippedError) Error() string {
	return lang.Of("en").Text(e.message, "n", e.skipped, "all", e.total)
}

func (e skippedError) status() int {
	if e.skipped < e.total {
		return statusSome
	}
	return statusFailed
}

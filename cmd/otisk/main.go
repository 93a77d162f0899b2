// Command otisk finds copied passages: it indexes a collection of texts, and reports which
// passages of another text occur in it, and where.
//
// The files are named after their content. command_NAME.go is the command NAME, with its
// options, its flags and its run function; command_corpus_NAME.go is a command below
// otisk corpus. flags_*.go define flags that several commands share; flags_session.go makes the
// session of them, which opens the index. search_run.go runs search and compare. output*.go write
// results and messages. misuse.go makes errors out of wrong command lines.
package main

import (
	"context"
	"errors"
	"io"
	"log"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/otisk/otisk/cmd/otisk/internal/openfiles"
	"github.com/otisk/otisk/esclient/wire"
	"github.com/otisk/otisk/internal/session"
	"github.com/otisk/otisk/lang"
)

// Exit statuses other than 0. The help of each command documents those that it uses.
const (
	statusFailed      = 1   // the command failed
	statusUsage       = 2   // the command line or a setting is wrong
	statusOver        = 3   // a score is over the limit that was given
	statusServer      = 4   // the cluster could not be reached, or refused the request
	statusSome        = 5   // some files could not be used, the others were processed
	statusUnsearched  = 6   // no score is over the limit, but a full search could find one
	statusInterrupted = 130 // stopped by the user; finished work is kept
)

func main() {
	collectLate()
	os.Exit(start(context.Background()))
}

func start(ctx context.Context) int {
	if n, low := openfiles.Limit(); low { // before anything opens a file
		err := lang.NewMessage("error.open-files", "n", n, "least", openfiles.Needed)
		voice := newVoice(os.Stderr, os.Args[1:])
		printLine(voice, voice.lang.Text("terminal.error"), voice.lang.Err(err))
		return statusFailed
	}
	ctx, stop := interruptible(ctx)
	go func() {
		<-ctx.Done()
		stop() // a second interrupt ends the program at once
	}()
	return run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
}

// interruptible returns a context that is cancelled by an interrupt, SIGTERM or SIGHUP. SIGHUP is
// left ignored if it was ignored at the start, as by nohup.
func interruptible(ctx context.Context) (context.Context, context.CancelFunc) {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	return signal.NotifyContext(ctx, signals...)
}

func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	log.SetOutput(io.Discard) // net/http logs bytes of servers that send too many
	root := newRootCommand()
	root.SetArgs(withDefaults(root, args))
	root.SetIn(stdin)
	out := &results{Writer: stdout, nowhere: isNowhere(stdout)}
	root.SetOut(out)
	voice := newVoice(stderr, args)
	root.SetErr(voice)
	setHelp(root, voice.lang)
	if slices.Contains(args, cobra.ShellCompRequestCmd) { // completions are printed with the help of each
		localize(root, voice.lang)
	}
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil && out.err != nil {
		err = lang.NewMessage("error.results", "cause", out.err)
	}
	switch lost := lang.NewMessage("error.output-lost"); {
	case out.lost && err == nil && onlyPrints(cmd):
		err = lost
	case out.lost:
		warnTo(voice, lost)
	}
	if err == nil {
		return 0
	}
	if errors.As(err, new(skippedError)) || errors.As(err, new(partlyError)) {
		printLine(stderr, voice.lang.Text("terminal.warning"), voice.lang.Err(err))
	} else {
		printLine(stderr, voice.lang.Text("terminal.error"), said(ctx, voice.lang, err))
	}
	if h := hint(err, voice.lang); h != "" {
		printLine(stderr, voice.lang.Text("terminal.hint"), h)
	}
	return status(ctx, err)
}

// onlyPrints reports whether the only effect of cmd is the printed result. Other commands also
// change an index, write the file of --output, or set the exit status of --fail-over.
func onlyPrints(cmd *cobra.Command) bool {
	for _, name := range []string{"fail-over", "output"} {
		if f := cmd.Flag(name); f != nil && f.Changed {
			return false
		}
	}
	switch cmd.Name() {
	case "search", "compare", "report", "docs", "ngrams", "info", "text":
		return true
	case "otisk": // a command line of Neuromancer
		return cmd.Flag("file").Changed || cmd.Flag("get-docs").Changed || cmd.Flag("get-ngram-list").Changed
	}
	return cmd.Parent().Name() == "corpus"
}

func said(ctx context.Context, p *lang.Printer, err error) string {
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return p.Text("error.interrupted")
	}
	return p.Err(err)
}

// results is the standard output. It records the first write error, so that a command whose
// results are lost does not succeed.
type results struct {
	io.Writer
	err     error
	nowhere bool // writes succeed but their data is lost
	lost    bool // data was lost in this way
}

func (r *results) Write(b []byte) (int, error) {
	n, err := r.Writer.Write(b)
	if err != nil && r.err == nil {
		r.err = err
	}
	r.lost = r.lost || r.nowhere && n > 0
	return n, err
}

// isNowhere reports whether w is the null device, open for reading as well as writing. If the
// standard output is closed, the Go runtime opens the null device in this mode, and writes
// succeed. A shell opens it for writing only (> /dev/null). Other programs may deliberately open
// it for both (subprocess.DEVNULL of Python), so the caller fails only if all of the result is lost.
func isNowhere(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok || runtime.GOOS == "windows" { // writing to a closed file fails on Windows
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

func status(ctx context.Context, err error) int {
	var usage session.UsageError
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
	case errors.Is(err, wire.ErrServer):
		return statusServer
	case ctx.Err() != nil:
		return statusInterrupted
	}
	return statusFailed
}

func misuse(message string, args ...any) error {
	return session.UsageError{Err: lang.NewMessage(message, args...)}
}

func about(what string, cause error) error {
	return misuse("usage.about", "what", what, "cause", cause)
}

// A partlyError reports that a command was done in part. Earlier warnings list the missing parts.
type partlyError struct{ error }

func (e partlyError) Unwrap() error { return e.error }

// A skippedError reports that some files or documents could not be used; its message says
// which of these. Warnings before it have listed each of them.
type skippedError struct {
	skipped, total int
	message        string
}

// Message returns the error as a message of package lang.
func (e skippedError) Message() (string, []any) {
	return e.message, []any{"n", e.skipped, "all", e.total}
}

func (e skippedError) Error() string { return lang.English(e) }

func (e skippedError) status() int {
	if e.skipped < e.total {
		return statusSome
	}
	return statusFailed
}

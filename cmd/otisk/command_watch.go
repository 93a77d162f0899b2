package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/gather/watch"
	"github.com/otisk/otisk/internal/session"
	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/store"
)

type watchOptions struct {
	n          int           // words per n-gram
	prefix     string        // prefix of document names
	plain      bool          // index no pairs of words
	every      time.Duration // interval between scans of the folders
	settle     time.Duration // how long a file must stay unchanged to be complete
	gather     time.Duration // longest time from a complete file to its commit
	once       bool          // end when the index matches the folders
	keepGone   bool          // keep documents whose files are gone
	removeMany bool          // remove documents even if a disk may be missing
	noEvents   bool          // use scans only, no file system events
	verbose    bool          // also print batches that changed nothing
	metadata   string        // path of a table of descriptions
}

func newWatchCommand(g *globalOptions) *cobra.Command {
	o := watchOptions{n: session.DefaultSize, every: 30 * time.Second, settle: 2 * time.Second, gather: 10 * time.Second}
	cmd := &cobra.Command{
		Use:     "watch [flags] FOLDER...",
		Example: "  otisk watch theses/\n  otisk watch --once --keep-gone --index ./idx /mnt/inbox",
		Args:    atLeastOne(placeholder("FOLDER")),
		RunE:    func(cmd *cobra.Command, args []string) error { return runWatch(cmd, g, o, args) },
	}
	f := cmd.Flags()
	f.IntVarP(&o.n, "words", "n", o.n, "`words` in one n-gram")
	f.StringVar(&o.metadata, "metadata", "", "`file` with title, author, year, address and labels of documents: a CSV table, see otisk label --help")
	f.StringVar(&o.prefix, "prefix", "", "`text` put before each name, such as a server or category")
	f.BoolVar(&o.plain, "no-reworded", false, "omit pairs of words: a smaller index that finds fewer reworded copies")
	f.DurationVar(&o.every, "every", o.every, "`time` between scans of all files")
	f.DurationVar(&o.settle, "settle", o.settle, "`time` without changes after which a file is complete")
	f.DurationVar(&o.gather, "gather", o.gather, "longest `time` that complete files wait for others, to be committed together")
	f.BoolVar(&o.once, "once", false, "exit when the index is in sync, for cron")
	f.BoolVar(&o.keepGone, "keep-gone", false, "keep documents whose files no longer exist")
	f.BoolVar(&o.removeMany, "remove-many", false, "remove documents even if a disk may be missing")
	f.BoolVar(&o.noEvents, "no-events", false, "find changes only by scans, not by reports of the system")
	f.BoolVarP(&o.verbose, "verbose", "v", false, "also print batches that changed nothing")
	return cmd
}

func runWatch(cmd *cobra.Command, g *globalOptions, o watchOptions, folders []string) error {
	if err := checkSize(o.n); err != nil {
		return err
	}
	for name, d := range map[string]time.Duration{"every": o.every, "settle": o.settle, "gather": o.gather} {
		if d <= 0 {
			return misuse("usage.want", "what", fmt.Sprintf("--%s %v", name, d), "wanted", lang.NewMessage("usage.time"))
		}
	}
	s, err := g.resolve()
	if err != nil {
		return err
	}
	if s.Read.Projects == document.InFolders {
		return misuse("usage.want", "what", "--projects folders", "wanted", lang.NewMessage("usage.projects-watch"))
	}
	if _, err := descriptions(cmd, o.metadata); err != nil {
		return err
	}
	s.Warn = func(err error) { warn(cmd, err) }
	s.LimitMemory()
	opts := s.IndexOptions(o.n)
	opts.Pairs, opts.Prefix = opts.Pairs && !o.plain, o.prefix
	l := watchLog{cmd: cmd, o: o, quiet: g.quiet}
	err = watch.Run(cmd.Context(), watch.Options{
		Folders: folders, Metadata: o.metadata, Every: o.every, Settle: o.settle, Gather: o.gather,
		Once: o.once, KeepGone: o.keepGone, RemoveMany: o.removeMany, NoEvents: o.noEvents,
		Open:  func(ctx context.Context) (store.Store, error) { return s.Writer(ctx, true) },
		Index: opts, OnEvent: l.printEvent,
	})
	if errors.Is(err, watch.ErrIncomplete) {
		return partlyError{err}
	}
	if err == nil && !o.once {
		l.print(printerOf(cmd.ErrOrStderr()).Text("terminal.ended"))
	}
	return err
}

type watchLog struct {
	cmd   *cobra.Command
	o     watchOptions
	quiet bool
}

func (l *watchLog) printEvent(e watch.Event) {
	p := printerOf(l.cmd.ErrOrStderr())
	switch {
	case e.Summary != nil:
		if sum := *e.Summary; l.o.verbose || l.o.once || sum.Added+sum.Removed+sum.Failed > 0 {
			l.print(indexedLine(p, l.o.n, sum))
		}
	case e.Err != nil && e.Path != "":
		warnAbout(l.cmd.ErrOrStderr(), e.Path, e.Err)
	case e.Err != nil:
		warn(l.cmd, e.Err)
	case e.Path != "":
		l.print(printable(e.Path) + ": " + p.Err(e.Note))
	default:
		l.print(p.Err(e.Note))
	}
}

// print prints a line after the current date and time, unless quiet is set.
func (l *watchLog) print(text string) {
	if !l.quiet {
		fmt.Fprintln(l.cmd.OutOrStdout(), time.Now().Format(time.DateTime)+" "+text)
	}
}

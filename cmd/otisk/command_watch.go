package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/otisk/otisk/gather/watch"
	"github.com/otisk/otisk/indexer"
	"github.com/otisk/otisk/store"
)

// watchOptions holds the flags of the watch command.
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
	o := watchOptions{n: defaultSize, every: 30 * time.Second, settle: 2 * time.Second, gather: 10 * time.Second}
	cmd := &cobra.Command{
		Use:   "watch [flags] FOLDER...",
		Short: "Keep an index like some folders",
		Long: `Keep an index like some folders: what appears in them is indexed once it is
whole, what changes is replaced, what goes is removed, and what was renamed keeps
what was said of it. It begins by comparing the folders with the index, as otisk
index --sync does, and then goes on until Ctrl-C or SIGTERM.

A file is whole when its size and times have stayed the same for --settle and, on
Linux and for files of the same user, no program has it open for writing. Many
files make one commit. The index is opened for each commit only, so that other
commands can write to it between them; while one does, watch waits.

Changes are told by the system, and found by a look at everything (--every): the
system tells nothing of what another machine does on a network folder, nor of
more folders than it is set to. A file that cannot be used is named once.

Documents stay in the index where a disk may not be there: when a folder that was
named is missing; when one is there but empty; when what was in a folder was on
another disk; and when a look finds less than half of the files that there were.
It is told, and --remove-many removes them, except for a folder that is missing.
With --metadata, what a table says of documents is put down with them, and again
when the table changes. What otisk delete removes is not added again until its file changes, or watch
is started again. Hidden files are left out, links are followed.

EXIT STATUS
  0  ended by Ctrl-C or SIGTERM; with --once, the index is like the folders
  1  no folder is there, or the index cannot be used
  2  wrong flag or setting
  4  the cluster could not be reached or refused
  5  with --once: the index is not like the folders, for what was named
  130  with --once: interrupted; what was done is in the index`,
		Example: "  otisk watch theses/\n  otisk watch --once --keep-gone --index ./idx /mnt/inbox",
		Args:    atLeast(1, "FOLDER"),
		RunE:    func(cmd *cobra.Command, args []string) error { return runWatch(cmd, g, o, args) },
	}
	f := cmd.Flags()
	f.IntVarP(&o.n, "words", "n", o.n, "`words` in one n-gram")
	f.StringVar(&o.metadata, "metadata", "", "`file` with title, author, year, address and labels of documents: a CSV table, otisk label --help")
	f.StringVar(&o.prefix, "prefix", "", "`text` put before each name, such as a server or category")
	f.BoolVar(&o.plain, "no-reworded", false, "no pairs of words: a smaller index that finds fewer reworded copies")
	f.DurationVar(&o.every, "every", o.every, "`time` between looks at everything")
	f.DurationVar(&o.settle, "settle", o.settle, "`time` for which a file must stay the same to be whole")
	f.DurationVar(&o.gather, "gather", o.gather, "longest `time` that whole files wait for others, for one commit")
	f.BoolVar(&o.once, "once", false, "end when the index is like the folders, for cron")
	f.BoolVar(&o.keepGone, "keep-gone", false, "documents whose files are gone stay in the index")
	f.BoolVar(&o.removeMany, "remove-many", false, "remove what is gone although a disk may not be there")
	f.BoolVar(&o.noEvents, "no-events", false, "do not ask the system for changes: looks alone")
	f.BoolVarP(&o.verbose, "verbose", "v", false, "tell also when nothing was to be changed")
	return cmd
}

func runWatch(cmd *cobra.Command, g *globalOptions, o watchOptions, folders []string) error {
	if err := checkSize(o.n); err != nil {
		return err
	}
	for name, d := range map[string]time.Duration{"every": o.every, "settle": o.settle, "gather": o.gather} {
		if d <= 0 {
			return usagef("--%s %v: want a time such as 10s", name, d)
		}
	}
	s, err := g.resolve()
	if err != nil {
		return err
	}
	if _, err := descriptions(cmd.Context(), o.metadata); err != nil {
		return err
	}
	s.warn = func(err error) { warn(cmd, "%v", err) }
	s.limitMemory()
	l := watchLog{cmd: cmd, o: o, quiet: g.quiet}
	err = watch.Run(cmd.Context(), watch.Options{
		Folders: folders, Metadata: o.metadata, Every: o.every, Settle: o.settle, Gather: o.gather,
		Once: o.once, KeepGone: o.keepGone, RemoveMany: o.removeMany, NoEvents: o.noEvents,
		Open: func(ctx context.Context) (store.Store, error) { return s.writer(ctx, true) },
		Index: indexer.Options{
			N: o.n, Pairs: s.settings.Reworded && !o.plain, Prefix: o.prefix, Norms: s.norms,
			Workers: s.workers(), Read: s.readOptions(), Exclude: s.ownFolders(),
		},
		Tell: l.tell,
	})
	if errors.Is(err, watch.ErrIncomplete) {
		return partlyError{err}
	}
	if err == nil && !o.once {
		l.say("ended: what was done is in the index")
	}
	return err
}

// A watchLog prints the events of watch, one per line.
type watchLog struct {
	cmd   *cobra.Command
	o     watchOptions
	quiet bool
}

func (l *watchLog) tell(e watch.Event) {
	switch {
	case e.Summary != nil:
		if sum := *e.Summary; l.o.verbose || l.o.once || sum.Added+sum.Removed+sum.Failed > 0 {
			l.say(indexedLine(printerOf(l.cmd.ErrOrStderr()), l.o.n, sum))
		}
	case e.Note && e.Path != "":
		l.say(printable(e.Path) + ": " + e.Text)
	case e.Note:
		l.say(e.Text)
	case e.Path != "":
		warn(l.cmd, "%s: %s", e.Path, e.Text)
	default:
		warn(l.cmd, "%s", e.Text)
	}
}

// say prints a line after the current date and time, unless quiet is set.
func (l *watchLog) say(text string) {
	if !l.quiet {
		fmt.Fprintln(l.cmd.OutOrStdout(), time.Now().Format(time.DateTime)+" "+text)
	}
}

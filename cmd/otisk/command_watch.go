package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/gather/watch"
	"github.com/otisk/otisk/indexer"
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
	o := watchOptions{n: defaultSize, every: 30 * time.Second, settle: 2 * time.Second, gather: 10 * time.Second}
	cmd := &cobra.Command{
		Use:   "watch [flags] FOLDER...",
		Short: "Keep an index in sync with folders",
		Long: `Keep an index in sync with folders: new files are indexed when they are complete,
changed files are replaced, deleted files are removed, and renamed files keep their
metadata. The command first compares the folders with the index, as otisk index
--sync does, and then watches them until Ctrl-C or SIGTERM.

A file is complete when its size and times have not changed for --settle and, on
Linux and for files of the same user, no program has it open for writing. Changes
of many files are committed together. The index is only open during a commit, so
other commands can write to it in between; watch waits for them.

Changes are reported by the system, and found by scanning all files (--every): the
system does not report changes that other machines make in a network folder, nor
changes in more folders than its configured limit. A file that cannot be read is
reported once.

Documents are kept if a disk may be missing: if a watched folder does not exist or
is empty, if the contents of a folder were on another disk, or if a scan finds less
than half of the files. A warning is printed. --remove-many removes the documents
in these cases, except if the folder does not exist.

With --metadata, documents get the metadata in a table, also when the table changes.
A document removed by otisk delete is not added again until its file changes or
watch is restarted. Hidden files are skipped, links are followed.

EXIT STATUS
  0  ended by Ctrl-C or SIGTERM; with --once, the index is in sync
  1  no folder exists, or the index cannot be used
  2  wrong flag or setting
  4  the cluster could not be reached or refused the request
  5  with --once: the index is not in sync, for the listed reasons
  130  with --once: interrupted; files indexed so far are in the index`,
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
			return misuse("usage.want", "what", fmt.Sprintf("--%s %v", name, d), "wanted", lang.Say("usage.time"))
		}
	}
	s, err := g.resolve()
	if err != nil {
		return err
	}
	if s.projects == document.InFolders {
		return misuse("usage.want", "what", "--projects folders", "wanted", lang.Say("usage.projects-watch"))
	}
	if _, err := descriptions(cmd, o.metadata); err != nil {
		return err
	}
	s.warn = func(err error) { warn(cmd, err) }
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
		Tell: l.printEvent,
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

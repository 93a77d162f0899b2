package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"github.com/otisk/otisk/config"
	"github.com/otisk/otisk/indexer"
	"github.com/otisk/otisk/indexer/ledger"
	"github.com/otisk/otisk/indexer/upkeep"
	"github.com/otisk/otisk/internal/closing"
	"github.com/otisk/otisk/internal/session"
	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/store"
)

// leastDedup is the lowest percentage that --dedup accepts. Documents that share less are not
// near-duplicates, so omitting one of them would lose content.
const leastDedup = 50

type indexOptions struct {
	n         int           // words per n-gram
	prefix    string        // prefix of document names
	base      string        // folder that document names are relative to
	sync      bool          // remove documents whose files are gone
	overwrite bool          // replace all documents, unchanged ones too
	skip      bool          // leave changed documents as they are in the index
	verbose   bool          // print counts, memory use and commits
	every     time.Duration // longest time between commits
	bulkLoad  bool          // no refresh and no replicas until the end
	expect    bytesFlag     // bytes of text that an index in a cluster gets shards for
	plain     bool          // index no pairs of words
	keys      bool          // index keys for translations
	sample    int           // shortest run of words that is certain to be found
	metadata  string        // path of a table of descriptions
	languages []string      // of new documents; empty for all
	dryRun    bool          // list changes, and make none
	dedup     float64       // least percentage that makes a new document a near-duplicate
}

func newIndexOptions() indexOptions {
	return indexOptions{n: session.DefaultSize, every: 30 * time.Second}
}

func newIndexCommand(g *globalOptions) *cobra.Command {
	o := newIndexOptions()
	cmd := &cobra.Command{
		Use:     "index [flags] PATH...",
		Example: "  otisk index essays/\n  otisk index -n 5 --prefix library: --index ./idx essays/ more.txt",
		Args:    atLeastOne(placeholder("PATH")),
		RunE:    func(cmd *cobra.Command, args []string) error { return runIndex(cmd, g, o, args) },
	}
	o.flags(cmd)
	return cmd
}

func (o *indexOptions) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.IntVarP(&o.n, "words", "n", o.n, "`words` in one n-gram")
	f.StringVar(&o.prefix, "prefix", "", "`text` put before each name, such as a server or category")
	f.StringVar(&o.base, "base", "", "`folder` that names are relative to (default: that recorded in the index, else the indexed folder)")
	f.BoolVar(&o.dryRun, "dry-run", false, "print the names of the documents that would be added, replaced and removed, and change nothing")
	f.BoolVar(&o.sync, "sync", false, "remove documents whose files no longer exist, and recognize renamed files")
	f.StringVar(&o.metadata, "metadata", "", "`file` with title, author, year, address and labels of documents: a CSV table, see otisk label --help")
	f.BoolVar(&o.overwrite, "overwrite", false, "replace documents that are in the index, including unchanged ones")
	f.BoolVar(&o.skip, "skip", false, "keep documents that are in the index, including changed ones")
	f.BoolVarP(&o.verbose, "verbose", "v", false, "print the number of n-grams, memory used, and each commit")
	f.BoolVar(&o.plain, "no-reworded", false, "omit pairs of words: a smaller index that finds reworded copies only if n-grams find their source")
	f.BoolVar(&o.keys, "translated", false, "also index keys by which passages translated from the documents are found")
	f.IntVar(&o.sample, "sample", 0, "store a sample of n-grams: a smaller index that is certain to find sources of runs of this many `words`; 0 for all n-grams (default: from the settings or the existing index, else 0)")
	f.DurationVar(&o.every, "commit-every", o.every, "longest `time` between commits")
	f.BoolVar(&o.bulkLoad, "bulk-load", false, "disable refreshes and replicas until the end, for the first load of a cluster")
	f.Var(&o.expect, "expect", "expected `size` of all texts in a new index in a cluster, such as 30GB; sets its number of shards")
	f.Float64Var(&o.dedup, "dedup", 0, "leave out new documents that share at least this `percent` of their n-grams with another; --dedup alone means 90")
	f.Lookup("dedup").NoOptDefVal = "90"
	f.StringSliceVar(&o.languages, "language", nil, "add only new documents in these `languages`, such as cs,sk; unknown for those that are not recognized (default: all)")
	cmd.MarkFlagsMutuallyExclusive("overwrite", "skip")
	cmd.MarkFlagsMutuallyExclusive("dedup", "sync")
	cmd.MarkFlagsMutuallyExclusive("dedup", "dry-run")
}

func runIndex(cmd *cobra.Command, g *globalOptions, o indexOptions, paths []string) (err error) {
	if err := checkSize(o.n); err != nil {
		return err
	}
	if cmd.Flags().Changed("dedup") && !(o.dedup >= leastDedup && o.dedup <= 100) {
		return misuse("usage.want", "what", fmt.Sprintf("--dedup=%v", o.dedup), "wanted", lang.NewMessage("usage.percentage-from", "n", leastDedup))
	}
	if o.sample < 0 {
		return misuse("usage.want", "what", fmt.Sprintf("--sample %d", o.sample), "wanted", lang.NewMessage("usage.words-or-more", "n", 0))
	}
	if o.every < 0 {
		return misuse("usage.want", "what", fmt.Sprintf("--commit-every %v", o.every), "wanted", lang.NewMessage("usage.or-more", "n", 0))
	}
	if o.overwrite && o.skip {
		return misuse("usage.exclude-pair", "flags", lang.NewMessage("usage.and", "first", "--overwrite", "last", "--skip"))
	}
	if o.languages, err = languagesOf(o.languages); err != nil {
		return err
	}
	s, err := g.resolve()
	if err != nil {
		return err
	}
	if err := s.Plan(o.bulkLoad, int64(o.expect)); err != nil {
		return err
	}
	if cmd.Flags().Changed("sample") {
		s.Settings.Sample = o.sample
	}
	if err := checkSample(s.Settings, o.n); err != nil {
		return err
	}
	if err := noneThere(cmd, paths); err != nil {
		return err
	}
	said, err := descriptions(cmd, o.metadata)
	if err != nil {
		return err
	}
	s.Warn = func(err error) { warn(cmd, err) }
	var w store.Store
	if o.dryRun {
		w, err = s.Rehearse(cmd.Context(), func(sign, name string) error {
			_, err := fmt.Fprintln(cmd.OutOrStdout(), sign, printable(name))
			return err
		})
	} else {
		w, err = s.PatientWriter(cmd.Context(), true)
	}
	if err != nil {
		return err
	}
	defer closing.Into(&err, w)
	s.LimitMemory()
	p := sessionProgress(cmd, s, g.quiet, o.verbose)
	opts := s.IndexOptions(o.n)
	opts.Pairs, opts.Translated, opts.Languages, opts.Dedup = opts.Pairs && !o.plain, o.keys, o.languages, o.dedup/100
	opts.Prefix, opts.Base, opts.Descriptions, opts.Sync, opts.Force = o.prefix, o.base, said, o.sync, o.overwrite
	opts.CommitEvery, opts.Progress, opts.Changed = o.every, p.event, o.decide(cmd, p)
	sum, err := indexer.Run(cmd.Context(), w, paths, opts)
	if err == nil {
		p.drawMessage("terminal.merging")
		err = upkeep.Tidy(cmd.Context(), w, sum)
	}
	p.end()
	unused := unusedRows(cmd, o.metadata, said)
	if errors.Is(err, indexer.ErrOutside) {
		return session.UsageError{Err: err}
	}
	return cmp.Or(o.finish(cmd, sum, err), unused)
}

// checkSample rejects a sample that is out of range, shorter than an n-gram, or used without
// the texts that it needs.
func checkSample(s *config.Settings, n int) error {
	switch {
	case s.Sample < config.AsIndexed || s.Sample > config.MostSample:
		return misuse("usage.sample", "typed", fmt.Sprint(s.Sample), "n", n, "most", config.MostSample)
	case s.Sample > 0 && s.Sample < n:
		return misuse("usage.sample-smaller", "typed", fmt.Sprint(s.Sample), "n", n)
	case s.Sample > 0 && !s.KeepTexts:
		return session.UsageError{Err: store.ErrSampleTexts}
	}
	return nil
}

// noneThere returns an error if none of the paths exists, so that no index is created.
func noneThere(cmd *cobra.Command, paths []string) error {
	for _, path := range paths {
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			return nil
		}
	}
	for _, path := range paths {
		warnAbout(cmd.ErrOrStderr(), path, lang.NewMessage("error.no-file"))
	}
	return skippedError{len(paths), len(paths), "error.skipped"}
}

// decide returns the function that decides on a changed document; nil means to replace it.
func (o indexOptions) decide(cmd *cobra.Command, p *progress) func(store.Document) (indexer.Decision, error) {
	switch {
	case o.skip:
		return func(store.Document) (indexer.Decision, error) { return indexer.Skip, nil }
	case o.overwrite || o.dryRun || !isTerminal(cmd.InOrStdin()) || !isTerminal(cmd.ErrOrStderr()):
		return nil
	}
	q := newQuestion(cmd, p)
	return func(d store.Document) (indexer.Decision, error) { return q.ask(cmd.Context(), d) }
}

func (o indexOptions) finish(cmd *cobra.Command, sum ledger.Summary, err error) error {
	out := cmd.OutOrStdout()
	line := indexedLine(printerOf(cmd.ErrOrStderr()), o.n, sum)
	if o.dryRun {
		line = printerOf(cmd.ErrOrStderr()).Text("terminal.dry-run", "summary", line)
	}
	fmt.Fprintln(out, line)
	if o.verbose {
		fmt.Fprintln(out, printerOf(cmd.ErrOrStderr()).Text("terminal.figures", "words", sum.Words, "grams", sum.Grams,
			"seconds", fmt.Sprintf("%.1f", sum.Elapsed.Seconds()), "memory", megabytes(int64(memoryUsed()))))
	}
	switch {
	case err != nil && context.Cause(cmd.Context()) != nil:
		return lang.NewMessage("error.left-in-index", "n", sum.Committed)
	case err != nil:
		return err
	case sum.Files == 0:
		return lang.NewMessage("error.no-files")
	case sum.Failed > 0:
		return skippedError{sum.Failed, sum.Files, "error.skipped"}
	}
	return nil
}

func indexedLine(p *lang.Printer, n int, sum ledger.Summary) string {
	line := p.Text("terminal.indexed", "n", sum.Committed, "size", n)
	for _, part := range []struct {
		count   int
		message string
	}{{sum.Replaced, "terminal.replaced"}, {sum.Renamed, "terminal.renamed"}, {sum.Removed, "terminal.removed"}, {sum.Unchanged, "terminal.unchanged"}, {sum.Described, "terminal.described"}, {sum.Kept, "terminal.left"}, {sum.Copies, "terminal.copies"}, {sum.Foreign, "terminal.foreign"}, {sum.Failed, "terminal.skipped"}} {
		if part.count > 0 {
			line += ", " + p.Text(part.message, "n", part.count)
		}
	}
	return line
}

// memoryUsed returns the bytes of memory obtained from the operating system.
func memoryUsed() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Sys
}

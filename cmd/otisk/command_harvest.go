package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/otisk/otisk/gather/fetch"
	"github.com/otisk/otisk/gather/harvest"
	"github.com/otisk/otisk/internal/session"
	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/store"
)

type harvestOptions struct {
	fetchOptions
	sets     []string
	format   string // metadata format
	from     string
	until    string
	state    string // path of the state file
	output   string // folder to write to instead of an index
	overlap  time.Duration
	full     bool
	keepGone bool
	limit    int
	n        int
	prefix   string
	plain    bool // no pairs of words
}

func newHarvestCommand(g *globalOptions) *cobra.Command {
	o := harvestOptions{n: session.DefaultSize, overlap: 48 * time.Hour}
	cmd := &cobra.Command{
		Use:     "harvest [flags] URL",
		Example: "  otisk harvest --set com_10084_2 https://dspace.example.org/oai/request\n  otisk harvest -o theses --from 2020-01-01 https://dspace.example.org/oai/request",
		Args:    exactly(1, lang.NewMessage("usage.repository")),
		RunE:    func(cmd *cobra.Command, args []string) error { return runHarvest(cmd, g, &o, args[0]) },
	}
	f := cmd.Flags()
	f.StringArrayVar(&o.sets, "set", nil, "`set` of the repository; may be repeated (default: all)")
	f.StringVar(&o.format, "metadata-format", "", "`format` of records, such as oai_dc, etdms, xoai, mets (default: xoai if the repository has it, else oai_dc)")
	f.StringVar(&o.from, "from", "", "`date` at which the first run starts, such as 2020-01-01")
	f.StringVar(&o.until, "until", "", "last `date` of records")
	f.StringVar(&o.state, "state", "", "`file` for the state of the harvest (default: beside the index, or in the folder of -o)")
	f.StringVarP(&o.output, "output", "o", "", "`folder` for full texts as files, instead of the index")
	f.DurationVar(&o.overlap, "overlap", o.overlap, "`time` before the end of the last run from which records are requested again")
	f.BoolVar(&o.full, "full", false, "request all records again, and remove documents that are no longer listed")
	f.BoolVar(&o.keepGone, "keep-gone", false, "keep documents that were deleted from the repository")
	f.IntVar(&o.limit, "limit", 0, "stop after this number of `records`, for a trial; the next run continues")
	f.IntVarP(&o.n, "words", "n", o.n, "`words` in one n-gram")
	f.StringVar(&o.prefix, "prefix", "", "`text` put before each name, such as a server or category")
	f.BoolVar(&o.plain, "no-reworded", false, "omit pairs of words: a smaller index that finds fewer reworded copies")
	o.flags(cmd)
	o.begin = 2 * time.Minute // servers take long to create lists
	return cmd
}

func runHarvest(cmd *cobra.Command, g *globalOptions, o *harvestOptions, address string) error {
	if err := o.check(cmd, address); err != nil {
		return err
	}
	s, err := g.resolve()
	if err != nil {
		return err
	}
	client, err := o.client()
	if err != nil {
		return err
	}
	defer client.Close()
	target, err := o.target(cmd, s)
	if err != nil {
		return err
	}
	p := newProgress(cmd, g.quiet, false)
	sum, err := harvest.Run(cmd.Context(), harvest.Options{
		URL: address, Sets: o.sets, Format: o.format, From: o.from, Until: o.until, State: o.state, Target: target, Client: client,
		Overlap: cmp.Or(o.overlap, -1), Full: o.full, KeepGone: o.keepGone, Limit: o.limit, MaxFile: s.Settings.MaxFile,
		OnEvent: func(e harvest.Event) { p.harvestEvent(e, g.quiet) }, Progress: p.harvested,
	})
	p.end()
	fmt.Fprintln(cmd.OutOrStdout(), harvestedLine(printerOf(cmd.ErrOrStderr()), sum))
	switch {
	case errors.Is(err, harvest.ErrFormat), errors.Is(err, harvest.ErrSet):
		return session.UsageError{Err: err}
	case err != nil:
		return err
	case sum.Failed > 0:
		return partlyError{lang.NewMessage("error.records-failed", "n", sum.Failed, "all", sum.Records)}
	}
	return nil
}

func (o *harvestOptions) check(cmd *cobra.Command, address string) error {
	if err := checkSize(o.n); err != nil {
		return err
	}
	if fetch.Check(address) != nil {
		return misuse("usage.want", "what", strconv.Quote(address), "wanted", lang.NewMessage("usage.repository-address"))
	}
	for name, date := range map[string]string{"from": o.from, "until": o.until} {
		if _, err := time.Parse(time.DateOnly, date); date != "" && err != nil {
			if _, err := time.Parse(time.RFC3339, date); err != nil {
				return misuse("usage.want", "what", fmt.Sprintf("--%s %q", name, date), "wanted", lang.NewMessage("usage.date"))
			}
		}
	}
	if o.output != "" && cmd.Flags().Changed("index") {
		return misuse("usage.files-or-index")
	}
	if err := spareIndex("-o", o.output); err != nil {
		return err
	}
	if o.overlap < 0 || o.limit < 0 {
		return misuse("usage.not-below-zero", "flags", "--overlap, --limit")
	}
	return nil
}

// target returns the target of the harvest, and sets the path of the state file unless --state
// gave one.
func (o *harvestOptions) target(cmd *cobra.Command, s *session.Session) (harvest.Target, error) {
	if o.output != "" {
		if err := os.MkdirAll(o.output, 0o777); err != nil {
			return nil, err
		}
		o.state = cmp.Or(o.state, filepath.Join(o.output, "state.db"))
		return &harvest.Folder{Dir: o.output}, nil
	}
	s.Warn = func(err error) { warn(cmd, err) }
	if o.state == "" {
		o.state = filepath.Clean(s.Settings.Index) + ".harvest"
		if !s.Settings.Embedded() {
			o.state = filepath.Base(o.state)
		}
	}
	s.LimitMemory()
	opts := s.IndexOptions(o.n)
	opts.Pairs, opts.Prefix = opts.Pairs && !o.plain, o.prefix
	open := func(ctx context.Context) (store.Store, error) { return s.PatientWriter(ctx, true) }
	return &harvest.Index{Where: s.IndexName(), Open: open, Opts: opts}, nil
}

func (p *progress) harvestEvent(e harvest.Event, quiet bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case e.Err != nil && e.Record != "":
		p.warn(e.Record, e.Err)
	case e.Err != nil:
		p.clear()
		warnTo(p.err, e.Err)
	case !quiet:
		p.clear()
		text := printerOf(p.err).Err(e.Note)
		if e.Record != "" {
			text = e.Record + ": " + text
		}
		fmt.Fprintln(p.err, "otisk: "+printable(text))
	}
}

func (p *progress) harvested(s harvest.Summary) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.draw(func() string { return harvestedLine(printerOf(p.err), s) })
}

func harvestedLine(p *lang.Printer, s harvest.Summary) string {
	line := p.Text("terminal.records", "n", s.Records, "new", s.New)
	line += besides(p, tally{s.Changed, "terminal.changed"}, tally{s.Unchanged, "terminal.unchanged"}, tally{s.Deleted, "terminal.records-deleted"}, tally{s.NoText, "terminal.no-full-text"}, tally{s.Failed, "terminal.failed"})
	return line + "; " + p.Text("terminal.documents-written", "n", s.Documents, "removed", s.Removed)
}

// Package harvest gathers theses and other works from repositories by OAI-PMH 2.0: the records
// that are new, changed or deleted since the last run, with their full texts.
//
// [Run] harvests into a [Target]: an index, or a folder of files. Progress is recorded in a state
// file after the target has the documents, so a run that was killed repeats some of its work
// with the same result.
//
// Repositories are not trusted. The size, depth and number of everything in their answers is
// limited; files are fetched by package gather/fetch, which refuses addresses in the local
// network; and a list that does not end is abandoned.
package harvest

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"hash/maphash"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/otisk/otisk/gather/fetch"
	"github.com/otisk/otisk/internal/closing"
	"github.com/otisk/otisk/internal/lasting"
	"github.com/otisk/otisk/lang/phrase"
)

// Options are the settings of a harvest.
type Options struct {
	URL    string   // OAI-PMH address of the repository
	Sets   []string // sets to harvest; none means the whole repository
	Format string   // metadata format; "" for the best one that the repository has
	From   string   // first date of the first run; "" for no limit
	Until  string   // last date; "" for no limit

	State  string // path of the state file
	Target Target
	Client *fetch.Client

	Overlap  time.Duration // period before the last run that is listed again, since repositories list some records late; 0 for 48 hours, negative for none
	Full     bool          // list all records again and remove those that are no longer listed
	KeepGone bool          // keep documents of deleted records
	Clock    fetch.Clock   // nil for the system clock
	Limit    int           // stop after this many records; 0 for no limit
	MaxPage  int64         // size limit for an answer in bytes; 0 for 32 MB
	MaxFile  int64         // size limit for the full texts of a record in bytes; 0 for 256 MB

	OnEvent  func(Event)   // called for warnings and notes, by one goroutine at a time
	Progress func(Summary) // called after each record, by one goroutine at a time; may be nil
	Step     lasting.Step  // for tests
}

// An Event is a warning or a note for the user.
type Event struct {
	Record string // identifier; "" for the repository itself
	Note   error  // remark; nil if Err is set
	Err    error  // problem; nil if Note is set
}

// ErrShortList means that the repository listed fewer records than it announced.
var ErrShortList = errors.New("the list is too short")

// A Summary counts the work of a run.
type Summary struct {
	Records   int // records listed, including deleted ones
	New       int // records whose text was fetched for the first time
	Changed   int // known records with another text or metadata
	Unchanged int
	Deleted   int
	NoText    int // records that name no full text
	Failed    int // records whose text could not be fetched or has no words
	Documents int // documents added to the target
	Removed   int // documents removed from the target
}

// Errors that end a harvest.
var (
	ErrEndless error = phrase.Error("cause.endless-list", "its list does not end")
	ErrFormat  error = phrase.Error("cause.no-metadata-format", "it does not have this metadata format")
	ErrSet     error = phrase.Error("cause.no-set", "it does not have this set")
)

// Run harvests a repository. Work done before an error or the end of ctx is kept.
func Run(ctx context.Context, opts Options) (Summary, error) {
	opts.defaults()
	h := &harvester{opts: opts, repo: &repository{base: opts.URL, client: opts.Client, clock: opts.Clock, most: opts.MaxPage}}
	h.repo.told = func(err error) { h.emit(Event{Err: err}) }
	h.seek = &seeker{opts.Client, opts.URL, opts.MaxFile}
	if err := h.prepare(ctx); err != nil {
		return h.sum, err
	}
	sets := opts.Sets
	if len(sets) == 0 {
		sets = []string{""}
	}
	for _, set := range sets {
		if h.limited() {
			break
		}
		if err := h.set(ctx, set); err != nil {
			return h.sum, err
		}
	}
	return h.sum, nil
}

func (o *Options) defaults() {
	o.Overlap = cmp.Or(o.Overlap, 48*time.Hour)
	o.Clock = cmp.Or(o.Clock, fetch.SystemClock)
	o.MaxPage = cmp.Or(max(o.MaxPage, 0), 32<<20)
	o.MaxFile = cmp.Or(max(o.MaxFile, 0), 256<<20)
}

type harvester struct {
	opts   Options
	repo   *repository
	seek   *seeker
	format string

	state  *state
	job    *job
	mu     sync.Mutex // guards the following fields, and calls of OnEvent and Progress
	sum    Summary
	batch  batch
	failed map[string]bool // records of this run whose text could not be fetched
}

func (h *harvester) emit(e Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.opts.OnEvent(e)
}

func (h *harvester) prepare(ctx context.Context) error {
	if err := h.repo.identify(ctx); err != nil {
		return err
	}
	formats, err := h.repo.formats(ctx)
	if err != nil {
		return err
	}
	if h.format = h.opts.Format; h.format == "" {
		h.format = "oai_dc"
		if slices.Contains(formats, "xoai") { // xoai lists the files
			h.format = "xoai"
		}
	}
	if len(formats) > 0 && !slices.Contains(formats, h.format) {
		return phrase.Error("gather.formats", "{address}: {cause}: {format}; it has {list}", "address", fetch.Bare(h.opts.URL), "cause", ErrFormat, "format", h.format, "list", strings.Join(formats, ", "))
	}
	h.emit(Event{Note: phrase.Error("said.in-format", "{name}, in format {format}", "name", h.repo.name, "format", h.format)})
	if h.repo.deleted == "no" && !h.opts.Full && !h.opts.KeepGone {
		h.emit(Event{Note: phrase.Error("said.no-deletions", "the repository does not report deleted records: only a full harvest finds them")})
	}
	return nil
}

// set harvests one set, or the whole repository if set is "".
func (h *harvester) set(ctx context.Context, set string) (err error) {
	h.job = &job{URL: fetch.Bare(h.opts.URL), Set: set, Format: h.format, Target: h.opts.Target.Name()}
	if h.state, err = openState(h.opts.State, h.opts.Step, h.job); err != nil {
		return err
	}
	defer closing.Into(&err, h.state.db)
	h.job.ID = cmp.Or(h.job.ID, rand.Text())
	if err := h.checkTarget(ctx); err != nil {
		return err
	}
	h.batch, h.failed = newBatch(), map[string]bool{}
	if h.batch.unsure, err = h.isNew(); err != nil {
		return err
	}
	err = h.window(ctx)
	if err == nil && !h.limited() {
		err = h.again(ctx)
	}
	err = cmp.Or(err, h.flush(context.WithoutCancel(ctx)))
	return cmp.Or(err, h.opts.Target.Finish(h.state))
}

// checkTarget starts from the beginning if the target lacks documents that were added to it.
func (h *harvester) checkTarget(ctx context.Context) error {
	const enough = 100 // users may have removed some
	var names []string
	err := h.state.each(func(_ string, e entry) error {
		if names = append(names, e.Names...); len(names) >= enough {
			return errEnough
		}
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) || len(names) == 0 {
		return err
	}
	has, err := h.opts.Target.holdsAll(ctx, h.job, names)
	if has || err != nil {
		return err
	}
	h.emit(Event{Note: phrase.Error("said.target-lacks", "documents that were harvested are missing in the target: harvesting again from the start")})
	return h.state.forget(h.job)
}

// isNew reports whether the state is empty; the target may have documents of a harvest whose state
// was lost.
func (h *harvester) isNew() (bool, error) {
	err := h.state.each(func(string, entry) error { return errEnough })
	if errors.Is(err, errEnough) {
		return false, nil
	}
	return err == nil, err
}

var errEnough = errors.New("enough")

// window lists records page by page, and resumes where an interrupted run has stopped.
func (h *harvester) window(ctx context.Context) error {
	if w := h.job.Window; w == nil || h.opts.Full && !w.Full {
		round := 1
		if err := h.state.each(func(_ string, e entry) error { round = max(round, e.Round+1); return nil }); err != nil {
			return err
		}
		h.job.Window = &window{From: h.from(), Until: h.until(), Full: h.opts.Full, Round: round}
	}
	l := &listing{harvester: h, seen: map[uint64]bool{}, ever: map[uint64]bool{}, tokens: map[string]bool{}, seed: maphash.MakeSeed()}
	for {
		more, err := l.page(ctx)
		if err != nil {
			return err
		}
		if h.due(more) {
			if err := h.flush(ctx); err != nil {
				return err
			}
		}
		if !more {
			return nil
		}
	}
}

// from returns the first date to list: Options.From in the first run with that value.
func (h *harvester) from() string {
	done, ok := parseDate(h.job.Done)
	if !ok || h.opts.Full || h.opts.From != "" && h.opts.From != h.job.Begun {
		h.job.Begun = h.opts.From
		if from, ok := parseDate(h.opts.From); ok {
			return h.repo.date(from)
		}
		return ""
	}
	return h.repo.date(done.Add(-max(h.opts.Overlap, time.Second)))
}

// until returns the last date in the granularity of the repository.
func (h *harvester) until() string {
	if until, ok := parseDate(h.opts.Until); ok {
		if len(h.opts.Until) == len(time.DateOnly) {
			until = until.Add(24*time.Hour - time.Second) // include the whole day
		}
		return h.repo.date(until)
	}
	return ""
}

type listing struct {
	*harvester
	seed   maphash.Seed
	seen   map[uint64]bool // hashes of the records of this list
	ever   map[uint64]bool // hashes of records, including lists before a restart
	tokens map[string]bool // resumption tokens of this list
	idle   int             // consecutive pages without a new record
	broken int             // consecutive restarts without a new record

	forgets bool     // the repository forgets its lists before the texts of a page are fetched
	ahead   [][]byte // compressed answers that were read before the texts of earlier pages
}

// Limits beyond which a list is considered endless.
const (
	mostIdle     = 10
	mostRestarts = 3
)

func (l *listing) page(ctx context.Context) (more bool, err error) {
	w := l.job.Window
	p, err := l.next(ctx)
	switch {
	case w.Token != "" && isExpired(err):
		return l.restart(w, err)
	case isFault(err, "badArgument") && l.repo.seconds && w.Token == "" && len(w.From) > len(time.DateOnly):
		l.repo.seconds, w.From = false, w.From[:len(time.DateOnly)] // it announces granularity of seconds but rejects it
		w.Until = w.Until[:min(len(w.Until), len(time.DateOnly))]
		return true, nil
	case err != nil:
		return false, err
	}
	if w.Started == "" {
		w.Started = l.clock(p)
	}
	if l.job.Set != "" && w.Token == "" && len(p.records) == 0 && l.batch.unsure {
		if err := l.repo.requireSet(ctx, l.job.Set); err != nil {
			return false, err
		}
	}
	records, part, err := l.part(p.records)
	if err != nil {
		return false, err
	}
	if err := l.records(ctx, records); err != nil || part {
		return false, err
	}
	if err := l.unread(p); err != nil {
		return false, err
	}
	w.Listed, w.Size = w.Listed+len(p.records)+len(p.broken), max(w.Size, p.size)
	w.Token = p.token
	if p.token != "" {
		return !l.limited(), nil
	}
	return false, l.complete()
}

// part returns the records of a page up to Options.Limit; part reports whether others
// remain. Then the next run requests the page again, and part omits the records that this
// window already has.
func (l *listing) part(records []record) (some []record, part bool, err error) {
	w := l.job.Window
	for _, r := range records {
		if w.Part {
			e, was, err := l.known(r.ident)
			if err != nil {
				return nil, false, err
			}
			if was && e.Round == w.Round {
				continue
			}
		}
		some = append(some, r)
	}
	if left := l.opts.Limit - l.sum.Records; l.opts.Limit > 0 && len(some) > left {
		some, part = some[:left], true
	}
	w.Part = part
	return some, part, nil
}

// limited reports whether the run has as many records as Options.Limit allows.
func (h *harvester) limited() bool { return h.opts.Limit > 0 && h.sum.Records >= h.opts.Limit }

// isExpired reports whether an answer means that the resumption token has expired: the error code
// for that, another code, or a server error, which some servers return.
func isExpired(err error) bool {
	return errors.As(err, new(*Fault)) || errors.As(err, new(*fetch.StatusError)) || errors.Is(err, errNoRepository)
}

// unread reports the damaged records of a page. Those with a known identifier are requested
// individually in later runs.
func (l *listing) unread(p *page) error {
	for _, ident := range p.broken {
		l.count(func(s *Summary) { s.Records++; s.Failed++ })
		l.emit(Event{Record: ident, Err: phrase.Error("harvest.broken", "a record that is broken XML").Of(errBroken)})
		if ident == "" {
			l.job.Window.Lost++
			continue
		}
		if err := l.gaveUp(ident, l.job.Window.Round); err != nil {
			return err
		}
	}
	return nil
}

func (l *listing) args(w *window) url.Values {
	args := url.Values{"verb": {"ListRecords"}}
	if w.Token != "" {
		args.Set("resumptionToken", w.Token)
		return args
	}
	args.Set("metadataPrefix", l.format)
	for name, value := range map[string]string{"set": l.job.Set, "from": w.From, "until": w.Until} {
		if value != "" {
			args.Set(name, value)
		}
	}
	return args
}

// clock returns the time of the repository, or else the local time minus a day, since the clocks may
// differ.
func (l *listing) clock(p *page) string {
	now := l.opts.Clock.Now().UTC()
	if at, ok := parseDate(p.Date); ok && at.Sub(now) < 24*time.Hour {
		return at.Format(time.RFC3339)
	}
	return now.Add(-24 * time.Hour).Format(time.RFC3339)
}

// restart starts the list again after its token has expired. Records that are listed again are
// skipped as known.
func (l *listing) restart(w *window, err error) (bool, error) {
	if l.broken++; l.broken > mostRestarts {
		return false, phrase.Error("said.restarts", "the list was started over {count} times: {cause}", "count", mostRestarts, "cause", err)
	}
	l.emit(Event{Note: phrase.Error("said.list-lost", "the repository cannot continue its list: starting the list again")})
	w.Token, w.Listed, w.Lost, l.tokens, l.idle = "", 0, 0, map[string]bool{}, 0
	l.seen, l.forgets = map[uint64]bool{}, true
	return true, nil
}

// progress returns an error if the list makes no progress.
func (l *listing) progress(p *page) error {
	if p.token != "" && l.tokens[p.token] {
		return phrase.Error("gather.token-again", "{cause}: it gives the resumption token {token} again", "cause", ErrEndless, "token", fmt.Sprintf("%.60q", p.token))
	}
	l.tokens[p.token] = true
	l.idle++
	for _, r := range p.records {
		if key := maphash.String(l.seed, r.ident); !l.seen[key] {
			l.seen[key] = true
			l.idle = 0
			if !l.ever[key] {
				l.ever[key], l.broken = true, 0
			}
		}
	}
	if l.idle > mostIdle {
		return phrase.Error("gather.nothing-new", "{cause}: {answers} answers one after another had no new record", "cause", ErrEndless, "answers", l.idle)
	}
	return nil
}

// workers is the number of records that are processed in parallel. Requests to a host do not overlap, but
// texts are parsed meanwhile.
const workers = 4

// records processes the records of a page in parallel. Large batches are flushed before the page
// ends.
func (l *listing) records(ctx context.Context, records []record) error {
	last := map[string]int{}
	for i, r := range records {
		last[r.ident] = i
	}
	const together = 4 * workers
	for from := 0; from < len(records); from += together {
		group, working := errgroup.WithContext(ctx)
		group.SetLimit(workers)
		for i := from; i < min(from+together, len(records)); i++ {
			if r := records[i]; last[r.ident] == i { // of duplicates on a page, the last one counts
				group.Go(func() error { return l.record(working, r, l.job.Window.Round, false) })
			}
		}
		if err := group.Wait(); err != nil {
			return err
		}
		if l.due(true) {
			if err := l.flush(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// complete ends the window. After a full listing, records that were not listed are gone.
func (l *listing) complete() error {
	w := l.job.Window
	if w.Listed < w.Size {
		l.emit(Event{Err: phrase.Error("harvest.short-list", "the list ended after {n} of {all} records that the repository announced", "n", w.Listed, "all", w.Size).Of(ErrShortList)})
		w.Lost += w.Size - w.Listed
	}
	if w.Full && w.From == "" && w.Until == "" {
		if err := l.unlisted(w.Round); err != nil {
			return err
		}
	}
	l.job.Done, l.job.Window = w.Started, nil
	if until, ok := parseDate(w.Until); ok && w.Until < w.Started {
		l.job.Done = until.Format(time.RFC3339)
	}
	return nil
}

// unlisted removes records that a full list did not have, unless they are more than half of all:
// then an error of the repository is more likely.
func (l *listing) unlisted(round int) error {
	var gone []string
	all := 0
	entries := map[string]entry{}
	err := l.state.each(func(ident string, e entry) error {
		if now, ok := l.batch.entries[ident]; ok {
			e = now
		}
		if e.Gone {
			return nil
		}
		if all++; e.Round != round {
			gone = append(gone, ident)
			entries[ident] = e
		}
		return nil
	})
	if err != nil {
		return err
	}
	if lost := l.job.Window.Lost; lost > 0 && len(gone) > 0 {
		l.emit(Event{Err: phrase.Error("harvest.kept-unknown", "{n} known records are not in the list; they are kept, since {all} of its records could not be read", "n", len(gone), "all", lost)})
		return nil
	}
	if 2*len(gone) > all {
		l.emit(Event{Err: phrase.Error("harvest.kept-half", "{n} of {all} known records are not in the list; they are kept, since they are more than half", "n", len(gone), "all", all)})
		return nil
	}
	for _, ident := range gone {
		l.deleted(ident, entries[ident].Stamp, entries[ident], round)
	}
	return nil
}

// mostTries limits how often fetching the text of a record is tried.
const mostTries = 10

func (h *harvester) again(ctx context.Context) error {
	var idents []string
	err := h.state.each(func(ident string, e entry) error {
		_, now := h.batch.entries[ident]
		if e.Failed != "" && !e.Gone && e.Tries < mostTries && !now && !h.failed[ident] {
			idents = append(idents, ident)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, ident := range idents {
		p, err := h.repo.ask(ctx, url.Values{"verb": {"GetRecord"}, "identifier": {ident}, "metadataPrefix": {h.format}})
		if err == nil && len(p.broken) > 0 {
			err = errBroken
		}
		if isExpired(err) || errors.Is(err, errBroken) || errors.Is(err, fetch.ErrTooLarge) {
			h.emit(Event{Record: ident, Err: err})
			if err := h.gaveUp(ident, 0); err != nil {
				return err
			}
			continue
		}
		if err != nil {
			return err
		}
		for _, r := range p.records {
			if err := h.record(ctx, r, 0, true); err != nil {
				return err
			}
		}
	}
	return nil
}

// gaveUp counts an attempt at which a record was missing or damaged; its documents stay. A round of
// 0 means the round in which it was listed last.
func (h *harvester) gaveUp(ident string, round int) error {
	e, _, err := h.known(ident)
	if err != nil {
		return err
	}
	e.Tries++
	e.Failed = cmp.Or(e.Failed, errBroken.Error())
	e.Round = cmp.Or(round, e.Round)
	h.addToBatch(ident, e, nil, nil)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.failed[ident] = true
	return nil
}

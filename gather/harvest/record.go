package harvest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/store"
)

// A Target stores harvested documents: an [Index] or a [Folder].
type Target interface {
	// Name identifies the target in the state.
	Name() string
	// holdsAll reports whether the target has all documents that a job has added, as far as it can
	// tell; names are some of them.
	holdsAll(ctx context.Context, j *job, names []string) (bool, error)
	// read reads the documents in the files of a record, and returns the errors of unreadable
	// files. The last result is an error that ends the harvest, such as a full disk.
	read(ctx context.Context, ident string, sources []source) ([]work, []error, error)
	// put stores a batch durably and returns the documents that it refused.
	put(ctx context.Context, b *batch) ([]refusal, error)
	// Finish is called at the end.
	Finish(*state) error
}

type work struct {
	name string
	doc  *document.Document // nil for a target that stores files
	says store.Description
}

type refusal struct {
	ident, name string
	err         error
}

type batch struct {
	entries map[string]entry
	works   map[string][]work   // by record
	old     map[string][]string // documents to remove, by record
	bytes   int64
	since   time.Time
	unsure  bool // the target may have further documents of these records
	job     *job

	said  func(ident string) (store.Description, error) // metadata of a record as the state has it
	notes []Event                                       // of the target, reported when the state has the batch
}

func (b *batch) isEmpty() bool { return len(b.works) == 0 && len(b.removed()) == 0 && !b.unsure }

func newBatch() batch {
	return batch{entries: map[string]entry{}, works: map[string][]work{}, old: map[string][]string{}, since: time.Now()}
}

// record processes a record. An error ends the harvest.
func (h *harvester) record(ctx context.Context, r record, round int, again bool) error {
	if h.count(func(s *Summary) { s.Records++ }); r.ident == "" || len(r.ident) > 4096 {
		h.count(func(s *Summary) { s.Failed++ })
		h.emit(Event{Record: fmt.Sprintf("%.60q", r.ident), Err: phrase.Error("harvest.long-id", "a record with this identifier cannot be stored")})
		return nil
	}
	known, was, err := h.known(r.ident)
	if err != nil {
		return err
	}
	round = cmp.Or(round, known.Round)
	sum := r.metadata.sum()
	switch {
	case r.deleted:
		h.deleted(r.ident, r.stamp, known, round)
		return nil
	case was && !known.Gone && known.Stamp == r.stamp && known.Sum == sum && known.Failed == "" && !again:
		h.count(func(s *Summary) { s.Unchanged++ })
		if known.Round != round {
			known.Round = round
			h.addToBatch(r.ident, known, nil, nil)
		}
		return nil
	}
	return h.fetch(ctx, r, sum, known, was, round)
}

func (h *harvester) known(ident string) (entry, bool, error) {
	h.mu.Lock()
	e, ok := h.batch.entries[ident]
	h.mu.Unlock()
	if ok {
		return e, true, nil
	}
	return h.state.record(ident)
}

func (h *harvester) fetch(ctx context.Context, r record, sum string, known entry, was bool, round int) error {
	d := describe(r, h.opts.URL)
	var have []source
	same := was && !known.Gone && known.Sum == sum && known.Failed == ""
	if same { // otherwise its documents are replaced in any case
		have = known.Sources
	}
	list, failed := h.seek.find(ctx, d, have)
	if slices.ContainsFunc(list, func(s source) bool { return s.data == nil }) && !sameSources(list, known.Sources) {
		list, failed = h.seek.find(ctx, d, nil)
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	e := entry{Stamp: r.stamp, Sum: sum, Sources: stripped(list), Round: round, Names: known.Names, Said: d.Description}
	if len(failed) > 0 {
		e.Failed, e.Tries = unfetched(failed), known.Tries+1
		if permanent(failed) {
			e.Tries = mostTries
		}
	}
	if same && len(list) > 0 && sameSources(list, known.Sources) {
		h.count(func(s *Summary) { s.Unchanged++ })
		h.addToBatch(r.ident, e, nil, nil)
		return nil
	}
	return h.addTexts(ctx, r, d, e, known, list, failed)
}

func (h *harvester) addTexts(ctx context.Context, r record, d *description, e, known entry, list []source, failed []error) error {
	works, problems, err := h.opts.Target.read(ctx, r.ident, list)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", r.ident, err)
	}
	if unread := slices.DeleteFunc(slices.Clone(problems), textless); len(unread) > 0 && e.Failed == "" {
		e.Failed, e.Tries = unfetched(unread), known.Tries+1
	}
	stamp, _ := parseDate(r.stamp)
	says := store.Description{Labels: d.Labels}
	var names []string
	for i := range works {
		names = append(names, works[i].name)
		works[i].says = says
		if works[i].doc != nil {
			works[i].doc.ModTime = stamp
			d.onto(works[i].doc)
		}
	}
	old := slices.DeleteFunc(slices.Clone(known.Names), func(name string) bool { return slices.Contains(names, name) })
	if e.Names = names; e.Failed != "" { // its earlier documents may still be valid
		e.Names, old = append(names, old...), nil
	}
	for _, err := range append(slices.Clone(failed), problems...) {
		h.emit(Event{Record: r.ident, Err: err})
	}
	h.count(func(s *Summary) {
		switch {
		case len(failed)+len(problems) > 0 && len(works) == 0:
			s.Failed++
		case len(list) == 0:
			s.NoText++
		case len(known.Names) > 0:
			s.Changed++
		default:
			s.New++
		}
	})
	if e.Failed != "" {
		h.mu.Lock()
		h.failed[r.ident] = true
		h.mu.Unlock()
	}
	h.addToBatch(r.ident, e, works, old)
	return nil
}

// textless reports whether err means that a file has no text, so that fetching it again is
// useless.
func textless(err error) bool {
	return document.Textless(err) || errors.Is(err, document.ErrTooLarge) || errors.Is(err, document.ErrNested)
}

// onto copies the metadata of the record to the document; it takes precedence over that of the file.
func (d *description) onto(doc *document.Document) {
	says := d.Over(store.Description{Title: doc.Title, Author: doc.Author, Year: doc.Year, Address: doc.Address})
	doc.Title, doc.Author, doc.Year, doc.Address = says.Title, says.Author, says.Year, says.Address
}

func (h *harvester) deleted(ident, stamp string, known entry, round int) {
	e := entry{Stamp: stamp, Gone: true, Round: round}
	if h.opts.KeepGone {
		e.Names, e.Said = known.Names, known.Said
		h.addToBatch(ident, e, nil, nil)
		return
	}
	if !known.Gone {
		h.count(func(s *Summary) { s.Deleted++ })
	}
	h.addToBatch(ident, e, nil, known.Names)
}

func (h *harvester) addToBatch(ident string, e entry, works []work, old []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	b := &h.batch
	b.entries[ident] = e
	if len(works) > 0 {
		b.works[ident] = works
	}
	b.old[ident] = append(b.old[ident], old...)
	for _, w := range works {
		if w.doc != nil {
			b.bytes += int64(len(w.doc.Text))
		}
	}
	if h.opts.Progress != nil {
		h.opts.Progress(h.sum)
	}
}

func (h *harvester) count(fn func(*Summary)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	fn(&h.sum)
}

func sameSources(a, b []source) bool {
	return slices.EqualFunc(a, b, func(a, b source) bool { return a.URL == b.URL && a.Sum == b.Sum })
}

func stripped(list []source) []source {
	list = slices.Clone(list)
	for i := range list {
		list[i].data = nil
	}
	return list
}

// Limits of text and time after which a batch is stored.
const (
	batchBytes = 64 << 20
	batchEvery = time.Minute
)

// due reports whether the batch must be stored now; at the end of a list, always.
func (h *harvester) due(more bool) bool {
	return !more || h.batch.bytes > batchBytes || time.Since(h.batch.since) > batchEvery
}

// flush stores the batch in the target and then records it in the state. If the program ends in
// between, the next run repeats the batch.
func (h *harvester) flush(ctx context.Context) error {
	b := h.batch
	b.job, b.notes = h.job, nil
	b.said = func(ident string) (store.Description, error) {
		e, _, err := h.state.record(ident)
		return e.Said, err
	}
	if !b.isEmpty() {
		h.job.Puts++
	}
	refusals, err := h.opts.Target.put(ctx, &b)
	if err != nil {
		if !b.isEmpty() {
			h.job.Puts--
		}
		return err
	}
	for _, r := range refusals {
		h.emit(Event{Record: r.name, Err: r.err})
		e := b.entries[r.ident]
		e.Names = slices.DeleteFunc(slices.Clone(e.Names), func(name string) bool { return name == r.name })
		b.entries[r.ident] = e
	}
	if err := h.state.save(h.job, b.entries); err != nil {
		return errors.Join(errState, err)
	}
	for _, e := range b.notes {
		h.emit(e)
	}
	for _, works := range b.works {
		h.sum.Documents += len(works)
	}
	h.sum.Documents -= len(refusals)
	for _, names := range b.old {
		h.sum.Removed += len(names)
	}
	h.batch = newBatch()
	h.batch.unsure = b.unsure
	return nil
}

package harvest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/store"
)

// A Target is where what is harvested is put: an [Index] or a [Folder].
type Target interface {
	// Name tells targets apart, in the state.
	Name() string
	// has reports whether all that a job has put in is there, as far as the target can
	// tell; names are some of the documents.
	has(ctx context.Context, j *job, names []string) (bool, error)
	// read makes documents of the files of a record, and tells of what is none.
	// The last error is for what ends the harvest, such as a full disk.
	read(ctx context.Context, ident string, sources []source) ([]work, []error, error)
	// put puts a batch in, lastingly, and returns what of it could not be.
	put(ctx context.Context, b *batch) ([]refusal, error)
	// Finish is called at the end.
	Finish(*state) error
}

// A work is one document.
type work struct {
	name string
	doc  *document.Document // nil for a file
	says store.Description
}

// A refusal says why a document could not be put in.
type refusal struct {
	ident, name string
	err         error
}

// A batch is what goes into a target together.
type batch struct {
	entries map[string]entry
	works   map[string][]work   // by record
	old     map[string][]string // documents that are to go, by record
	bytes   int64
	since   time.Time
	unsure  bool // the target may have documents of these records that are not in old
	job     *job
}

// isEmpty reports whether a target has nothing to do.
func (b *batch) isEmpty() bool { return len(b.works) == 0 && len(b.removed()) == 0 && !b.unsure }

func newBatch() batch {
	return batch{entries: map[string]entry{}, works: map[string][]work{}, old: map[string][]string{}, since: time.Now()}
}

// record works on one record. An error ends the harvest.
func (h *harvester) record(ctx context.Context, r record, round int, again bool) error {
	if h.count(func(s *Summary) { s.Records++ }); r.ident == "" || len(r.ident) > 4096 {
		h.count(func(s *Summary) { s.Failed++ })
		h.tell(Event{Record: fmt.Sprintf("%.60q", r.ident), Text: "a record with this identifier cannot be kept"})
		return nil
	}
	known, was, err := h.known(r.ident)
	if err != nil {
		return err
	}
	if round == 0 {
		round = known.Round
	}
	sum := r.metadata.sum()
	switch {
	case r.deleted:
		h.deleted(r.ident, r.stamp, known, round)
		return nil
	case was && !known.Gone && known.Stamp == r.stamp && known.Sum == sum && known.Failed == "" && !again:
		h.count(func(s *Summary) { s.Unchanged++ })
		if known.Round != round {
			known.Round = round
			h.keep(r.ident, known, nil, nil)
		}
		return nil
	}
	return h.fetch(ctx, r, sum, known, was, round)
}

// known returns what is known of a record.
func (h *harvester) known(ident string) (entry, bool, error) {
	h.mu.Lock()
	e, ok := h.batch.entries[ident]
	h.mu.Unlock()
	if ok {
		return e, true, nil
	}
	return h.state.record(ident)
}

// fetch gets the texts of a record that is new or has changed.
func (h *harvester) fetch(ctx context.Context, r record, sum string, known entry, was bool, round int) error {
	d := describe(r.metadata)
	var have []source
	same := was && !known.Gone && known.Sum == sum && known.Failed == ""
	if same { // else its documents are made again in any case
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
		h.keep(r.ident, e, nil, nil)
		return nil
	}
	return h.take(ctx, r, d, e, known, list, failed)
}

// take puts the texts of a record into the batch.
func (h *harvester) take(ctx context.Context, r record, d *description, e, known entry, list []source, failed []error) error {
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
	if e.Names = names; e.Failed != "" { // what there was of it may well be as it was
		e.Names, old = append(names, old...), nil
	}
	for _, err := range append(slices.Clone(failed), problems...) {
		h.tell(Event{Record: r.ident, Text: err.Error()})
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
	h.keep(r.ident, e, works, old)
	return nil
}

// textless reports whether it is the content of a file that says that it has no
// text: to read it again is of no use.
func textless(err error) bool {
	for _, kind := range []error{document.ErrEmpty, document.ErrBinary, document.ErrNoLayer, document.ErrEncoding, document.ErrTooLarge,
		document.ErrDamaged, document.ErrEncrypted, document.ErrNested} {
		if errors.Is(err, kind) {
			return true
		}
	}
	return false
}

// onto says of a document what its record says, which knows more than the file.
func (d *description) onto(doc *document.Document) {
	says := d.Over(store.Description{Title: doc.Title, Author: doc.Author, Year: doc.Year, Address: doc.Address})
	doc.Title, doc.Author, doc.Year, doc.Address = says.Title, says.Author, says.Year, says.Address
}

// deleted takes the documents of a record out.
func (h *harvester) deleted(ident, stamp string, known entry, round int) {
	e := entry{Stamp: stamp, Gone: true, Round: round}
	if h.opts.KeepGone {
		e.Names, e.Said = known.Names, known.Said
		h.keep(ident, e, nil, nil)
		return
	}
	if !known.Gone {
		h.count(func(s *Summary) { s.Deleted++ })
	}
	h.keep(ident, e, nil, known.Names)
}

// keep puts a record into the batch.
func (h *harvester) keep(ident string, e entry, works []work, old []string) {
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

// sameSources reports whether two lists have the same files with the same content.
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

// A batch is put in after so much text, or time.
const (
	batchBytes = 64 << 20
	batchEvery = time.Minute
)

// due reports whether it is time for that: at the end in any case.
func (h *harvester) due(more bool) bool {
	return !more || h.batch.bytes > batchBytes || time.Since(h.batch.since) > batchEvery
}

// flush puts the batch into the target, and then remembers it: what ends between
// the two is done again.
func (h *harvester) flush(ctx context.Context) error {
	b := h.batch
	b.job = h.job
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
		h.tell(Event{Record: r.name, Text: r.err.Error()})
		e := b.entries[r.ident]
		e.Names = slices.DeleteFunc(slices.Clone(e.Names), func(name string) bool { return name == r.name })
		b.entries[r.ident] = e
	}
	for _, works := range b.works {
		h.sum.Documents += len(works)
	}
	h.sum.Documents -= len(refusals)
	for _, names := range b.old {
		h.sum.Removed += len(names)
	}
	if err := h.state.save(h.job, b.entries); err != nil {
		return errors.Join(errState, err)
	}
	h.batch = newBatch()
	h.batch.unsure = b.unsure
	return nil
}

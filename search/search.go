// Package search checks one text against an index: which of its passages are
// in which indexed document, and where.
//
// [New] prepares a [Searcher] for an index, [Searcher.Search] checks a text
// and returns a [Result], which package report writes. The exact figures (the
// number of matching n-grams, the longest run of words) come from the index alone and
// have the same meaning as in earlier systems; the passages are independent of them.
//
// Every passage is checked word by word against the kept original text, so a
// chance collision of hashes is never shown.
//
// Three things may surprise. The rules that New gets must be those that the
// index was made with: New cannot compare them, and with other rules a copy
// shares no n-gram. Omissions of a search, due to limits of time or number, are in
// [Result.Unsearched]: if there are any, the score is a lower bound. And if the text of a
// document is not kept, only runs of equal n-grams are found in it, without their
// location ([Source.NoText]), unless Options.Reread returns the text.
//
// A search is a sequence of steps in [Searcher.Search]. Each uses the result of the
// previous one:
//
//	suspect.go     a text             →  the suspect, split into words
//	sizes.go       the suspect        →  its n-grams, a list for each size to look up
//	sampled.go     a sampled index    →  the texts of the documents found, instead of the index
//	lookup.go      the lists          →  their matches in the index, by document
//	pairs.go       pairs of words     →  the documents found by them
//	keys.go        keys               →  the documents that the suspect may be translated from
//	candidates.go  all of these       →  the candidates, whose texts are examined
//	examine.go     candidates         →  sources with their passages
//	woven.go       passages           →  further ones between them, of texts woven from several sources
//	divide.go      sources            →  passages, cut where another source has the words
//	witness.go     sources            →  passages that other documents do not explain, and hints
//	similar.go     sources            →  the most similar documents
//	settle.go      sources            →  the sources of the result, in order
//	assemble.go    all of these       →  the result with its score
package search

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/search/align"
	"github.com/otisk/otisk/search/hint"
	"github.com/otisk/otisk/store"
)

// Errors that callers decide on.
var (
	ErrTooShort error = phrase.Error("said.too-short", "too short")                 // the suspect has no n-gram
	ErrNoSize   error = phrase.Error("said.size-not-in-index", "size not in index") // the index has no n-grams of that size
)

// TooShort returns an error wrapping [ErrTooShort] for a text without any n-gram of n words.
func TooShort(n int) error {
	return fmt.Errorf("%w: %w", ErrTooShort, phrase.Error("said.no-paragraph", "no paragraph has the {n} words of an n-gram", "n", n))
}

// Options are the settings of a search.
type Options struct {
	N          int           // words per n-gram
	MinPercent *float64      // list sources and paragraphs that reach this share of n-grams, 0 to 100 ...
	MinRun     *int          // ... or this run of words; nil for both lists all that share anything
	Common     int           // n-grams in more documents than this name no source; 0 for no limit
	Exact      bool          // find passages from runs of n-grams only, without alignment
	Summary    bool          // also find summaries
	Detail     bool          // return the text of each listed paragraph and its places in each source
	AlignAll   bool          // align the suspect with every document; only for few documents
	Texts      bool          // return the suspect's text and excerpts of the sources
	Hints      []hint.Finder // also look for hints, unless Exact; nil for none
	NoHints    []string      // kinds of exclusions at which no hints are made
	Templates  []string      // texts given to everyone, which can be left out of the score
	Version    string        // of the program, for the report
	// Checked is the time of the check, for the report. The package never reads a clock, so that
	// the same options give the same report.
	Checked time.Time
	// Changed is the time of the last change of the index, if known; only for the report.
	Changed time.Time

	// MaxTime limits the time for alignments from the start of the search; 0 for no limit. Sources
	// left out are in [Result.Unsearched]. With a limit, the result depends on the speed of the
	// machine.
	MaxTime time.Duration

	// Work counts documents and windows, for measurements; may be nil.
	Work *Work

	// Skip reports whether to ignore a document; nil for none.
	Skip func(store.DocID) bool
	// Canonical returns the canonical path of a suspect, by which the document of the same file is
	// recognised; nil disables that.
	Canonical func(suspect string) string
	// CountSelf counts the suspect's own document in the index like any other source.
	CountSelf bool
	// Among reports whether a document is another text of the same run, which is never the suspect's
	// own; nil for none.
	Among func(store.DocID) bool
	// Others is the number of documents for which Among is true. The index of the reader does not count them.
	Others int
	// Reread returns the original text of a document whose text is not kept, or an error; may be nil.
	Reread func(context.Context, store.Document) (string, error)

	bounds *bounds // nil for the usual ones; tests set smaller ones
}

// Work counts the work of searches. Several searches may share one.
type Work struct {
	// Keyed is called with the documents that keys for translations name, the best first; may be nil.
	Keyed func([]store.DocID)

	Faint   atomic.Int64 // documents named by pairs of words alone
	Windows atomic.Int64 // windows named by pairs alone that were checked
	Aligned atomic.Int64 // windows of those that were aligned
}

// add counts a document with its windows and aligned windows.
func (w *Work) add(faint bool, windows, aligned int) {
	if w == nil {
		return
	}
	if faint {
		w.Faint.Add(1)
	}
	w.Windows.Add(int64(windows))
	w.Aligned.Add(int64(aligned))
}

// A Searcher checks texts against one index. It is safe for use by several
// goroutines at once.
type Searcher struct {
	reader       store.Index
	norms        *normalize.Set
	opts         Options
	bounds       bounds
	index        Index    // without the fields that depend on the suspect
	resorts      []resort // other sizes of n-grams, for documents without opts.N
	bases        []store.Base
	sample       int            // length of a run that a sampled index is sure to find, in words; 0 if it has all n-grams
	pairs        int64          // number of pairs of words in the index
	keys         store.SizeInfo // keys for translations in the index
	keyLanguages []string       // of documents with keys; none if no finder of hints uses them
	slots        chan struct{}  // semaphore for sources and stretches of suspects that are processed in parallel

	aligner *align.Aligner
	weaver  *align.Aligner // for words between passages of a woven text
}

// New prepares a search. It returns an error wrapping [ErrNoSize], with the sizes of the index, if the
// index has documents but none with n-grams of opts.N words.
func New(ctx context.Context, reader store.Index, norms *normalize.Set, opts Options) (*Searcher, error) {
	info, err := reader.Info(ctx)
	if err != nil {
		return nil, err
	}
	s := &Searcher{reader: reader, norms: norms, opts: opts, bounds: usual, slots: make(chan struct{}, runtime.GOMAXPROCS(0))}
	if opts.bounds != nil {
		s.bounds = *opts.bounds
	}
	params := align.DefaultParams()
	params.Summary = opts.Summary
	s.aligner, s.weaver = align.New(params), align.New(woven(params))
	s.bases, s.sample = info.Bases, reader.Settings().Sample()
	s.index = Index{Kind: KindIndex, Name: info.Name, Documents: info.Documents, Changed: opts.Changed.Truncate(time.Second)}
	if info.Name == "" {
		s.index.Kind = KindFiles
	}
	s.index.Paired, s.pairs, s.keys = info.Pairs.Documents, info.Pairs.Pairs, info.Keys()
	var have []string
	found := info.Documents == 0
	for _, size := range info.NGrams() {
		have = append(have, fmt.Sprint(size.N))
		if size.N == opts.N {
			s.index.Grams, s.index.Searched, found = size.Grams, size.Documents, true
		}
	}
	if !found {
		return nil, fmt.Errorf("%w: %w", ErrNoSize, phrase.Error("cause.no-size", "no document has {size}-grams, there are n = {sizes}", "size", opts.N, "sizes", strings.Join(have, ", ")))
	}
	if s.index.Searched < info.Documents {
		if s.resorts, err = resorts(ctx, reader, opts.N); err != nil {
			return nil, err
		}
	}
	if s.keys.Documents > 0 && len(opts.Hints) > 0 {
		s.keyLanguages, err = keyLanguages(ctx, reader)
	}
	return s, err
}

// documents returns the number of documents that are searched, with the other texts of a run.
func (s *Searcher) documents() float64 { return float64(s.index.Documents) + float64(s.opts.Others) }

// Without returns a searcher like s that also ignores these documents. Both share one limit of
// memory.
func (s *Searcher) Without(skip func(store.DocID) bool) *Searcher {
	other, before := *s, s.opts.Skip
	other.opts.Skip = func(id store.DocID) bool { return skip(id) || before != nil && before(id) }
	return &other
}

// aligning returns the context for alignments, which ends with ctx or after Options.MaxTime.
func (s *Searcher) aligning(ctx context.Context) (context.Context, context.CancelFunc) {
	if s.opts.MaxTime == 0 {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, s.opts.MaxTime)
}

// Search checks doc against the index. It returns an error wrapping [ErrTooShort] for a text without
// any n-gram.
func (s *Searcher) Search(ctx context.Context, doc *document.Document) (*Result, error) {
	aligning, stop := s.aligning(ctx)
	defer stop()
	sus := newSuspect(doc, s.norms, s.opts.Templates, s.opts.Hints...)
	lists := s.gramLists(sus.paragraphs)
	if len(lists[0].list) == 0 {
		return nil, TooShort(s.opts.N)
	}
	known := newCorrections()
	l, err := s.firstLookUps(ctx, sus, lists, known)
	if err != nil {
		return nil, err
	}
	s.weighPairs(sus.pairs(), l.near)
	for found := l.found; ; {
		named, err := s.candidates(ctx, found, l)
		if err != nil {
			return nil, err
		}
		sources, err := s.examineAll(ctx, aligning, named.list, l.near)
		if err != nil {
			return nil, err
		}
		if !known.learn(sources) {
			s.markOwn(sus, sources)
			s.divide(sus, sources)
			s.hearWitnesses(sus, sources)
			sus.similarTo = similar(sus, sources)
			return s.result(sus, found, named, s.settle(sus, sources)), nil
		}
		if found, err = s.lookUp(ctx, sus, l.askers, lists, known); err != nil {
			return nil, err
		}
	}
}

// LookedUp are the results of the look-ups of a suspect.
type lookedUp struct {
	near       *pairings
	keyed      keyed
	otherwise  foundOtherwise
	comparable []store.DocID // short texts; see [Searcher.comparable]
	askers     []asker       // of n-grams
	unread     int           // documents of a sampled index that are not read because of a limit
	found      answers       // of n-grams
	ready      chan struct{} // closed once found is set
}

// grams looks up the n-grams. In a sampled index, it does so in the documents that pairs of words name, too.
func (l *lookedUp) grams(ctx context.Context, s *Searcher, sus *suspect, lists []grams, known corrections) (err error) {
	var paired map[store.DocID]evidence
	if s.sample > 0 {
		paired = s.convincing(l.near.found, sus.different())
	}
	if l.askers, l.unread, err = s.askers(ctx, lists, paired); err != nil {
		return err
	}
	if l.found, err = s.lookUp(ctx, sus, l.askers, lists, known); err != nil {
		return err
	}
	close(l.ready)
	if slices.ContainsFunc(l.found, func(sh *shared) bool { return len(sh.tallies) > 0 }) {
		s.foresee(sus)
	}
	return nil
}

// foresee computes what the examination of sources needs of the suspect. While pairs are looked up on a
// server, the processors are idle.
func (s *Searcher) foresee(sus *suspect) {
	sus.excluded()
	sus.numbers()
	if len(s.opts.Hints) > 0 && !s.opts.Exact && s.alignable(sus) {
		sus.hinters()
	}
}

// answers waits for the answers of the n-grams.
func (l *lookedUp) answers(ctx context.Context) (answers, error) {
	select {
	case <-l.ready:
		return l.found, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// firstLookUps does all look-ups of a suspect, at the same time because a server may be far away.
func (s *Searcher) firstLookUps(ctx context.Context, sus *suspect, lists []grams, known corrections) (*lookedUp, error) {
	l := &lookedUp{ready: make(chan struct{})}
	group, within := errgroup.WithContext(ctx)
	group.Go(func() (err error) { l.keyed, err = s.byKeys(within, sus); return err })
	group.Go(func() (err error) { l.otherwise, err = s.otherAlphabet(within, sus); return err })
	group.Go(func() (err error) { l.comparable, err = s.comparable(within, sus); return err })
	if s.sample > 0 {
		group.Go(func() (err error) { l.near, err = s.byPairs(within, sus, nil); return err })
		if err := group.Wait(); err != nil {
			return nil, err
		}
		return l, l.grams(ctx, s, sus, lists, known)
	}
	group.Go(func() (err error) { l.near, err = s.byPairs(within, sus, l.answers); return err })
	group.Go(func() error { return l.grams(within, s, sus, lists, known) })
	return l, group.Wait()
}

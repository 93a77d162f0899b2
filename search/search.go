// Package search checks one text against an index: which of its passages are
// in which indexed document, and where.
//
// [New] prepares a [Searcher] for an index, [Searcher.Search] checks a text
// and returns a [Result], which package report writes. The exact figures (how
// many n-grams match, the longest run of words) come from the index alone and
// mean what they meant in the systems before; beside them are the passages.
// Every passage is checked word by word against the kept original text, so a
// chance collision of hashes is never shown.
//
// Three things may surprise. The rules that New gets must be those that the
// index was made with: New cannot compare them, and with other rules a copy
// shares no n-gram. What a search did not look at, for a limit of time or number,
// is in [Result.Unsearched]: with any of it, the score is a lower bound. And of a
// document whose text is not kept only runs of equal n-grams are found, without
// their place in it ([Source.NoText]), unless Options.Reread returns the text.
//
// A search is a line of steps, which [Searcher.Search] puts in order. Each
// takes what the one before gives:
//
//	suspect.go     a text        →  the suspect, taken apart
//	sizes.go       the suspect   →  its n-grams, a list for each size to look up
//	sampled.go     a sampled index   →  what the texts that it names say instead
//	lookup.go      those lists   →  what the index has of them, by document
//	pairs.go       its pairs     →  the documents that they name
//	candidates.go  both of these →  the documents to look at, the candidates
//	examine.go     candidates    →  sources, with the passages that their texts show
//	settle.go      sources       →  those that the result names, in order
//	assemble.go    all of that   →  the result, with its score
package search

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/search/align"
	"github.com/otisk/otisk/store"
)

// Errors that callers decide on.
var (
	ErrTooShort = errors.New("too short")         // the suspect has no n-gram
	ErrNoSize   = errors.New("size not in index") // no document is indexed under that n
)

// TooShort returns an error wrapping [ErrTooShort], for a text without a single
// n-gram of n words.
func TooShort(n int) error {
	return fmt.Errorf("%w: no paragraph has the %d words of an n-gram", ErrTooShort, n)
}

// Options say what to search for and what to return.
type Options struct {
	N          int      // words per n-gram
	MinPercent *float64 // list what reaches this share of n-grams, 0 to 100 ...
	MinRun     *int     // ... or this run of words; without either, all that shares anything
	Common     int      // n-grams in more documents than this name no source; 0 for no limit
	Exact      bool     // passages are joined n-grams only
	Summary    bool     // look for summaries too
	Detail     bool     // the text of each listed paragraph, and its places in each source
	AlignAll   bool     // align the suspect with every document, whatever they share: for few
	Texts      bool     // the suspect's text and excerpts of the sources
	Templates  []string // texts that everyone was given: what is in them can be left out of the score
	Version    string   // of the program, for the report
	// Checked is the time of the check, for the report. It is given, never
	// taken from a clock: the same options give the same report.
	Checked time.Time
	// Changed is when documents were added to the index or deleted last, where
	// the caller knows it. It too is for the report only.
	Changed time.Time

	// MaxTime is how long texts may be aligned, from the start of the search;
	// 0 for no limit. What it leaves out is in [Result.Unsearched]. With a limit,
	// the result depends on how fast the machine is.
	MaxTime time.Duration

	// Work counts what is looked at, for measurements; nil for nobody who asks.
	Work *Work

	// Skip leaves documents out, such as the suspect itself; nil for none.
	Skip func(store.DocID) bool
	// Canonical returns the path of a suspect as the index has paths, by which a
	// document that was made of the same file is known; nil where none is.
	Canonical func(suspect string) string
	// CountSelf counts the suspect's own text as any other source, where it is in the
	// index: it is left out of nothing that the result says.
	CountSelf bool
	// Among reports whether a document is another text of the same run, which is never
	// the suspect's own; nil for none.
	Among func(store.DocID) bool
	// Reread returns the original text of a document that the index keeps none
	// of, or an error; nil where that cannot be.
	Reread func(context.Context, store.Document) (string, error)
}

// Work counts what searches looked at. Several may count into one.
type Work struct {
	Faint   atomic.Int64 // documents that were looked at since pairs of words alone name them
	Windows atomic.Int64 // windows that got a first look, since pairs alone name them
	Aligned atomic.Int64 // windows of those that were worth aligning
}

// add counts a document, faint or not, with so many windows, of which so many
// are aligned.
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
	reader  store.Reader
	norms   *normalize.Set
	opts    Options
	index   Index    // without what depends on the suspect
	resorts []resort // other sizes of n-grams, for documents without opts.N
	bases   []store.Base
	sample  int           // words of a run that the index finds for certain; 0 where it has all n-grams
	pairs   int64         // pairs of words in the index
	slots   chan struct{} // one for each source, or stretch of a suspect, that is looked at now

	aligner *align.Aligner
}

// New prepares a search. It returns an error wrapping [ErrNoSize], with the
// sizes there are, where the index holds documents but none under opts.N.
func New(ctx context.Context, reader store.Reader, norms *normalize.Set, opts Options) (*Searcher, error) {
	info, err := reader.Info(ctx)
	if err != nil {
		return nil, err
	}
	s := &Searcher{reader: reader, norms: norms, opts: opts, slots: make(chan struct{}, runtime.GOMAXPROCS(0))}
	params := align.DefaultParams()
	params.Summary = opts.Summary
	s.aligner = align.New(params)
	s.bases, s.sample = info.Bases, reader.Settings().Sample()
	s.index = Index{Kind: KindIndex, Name: info.Name, Documents: info.Documents, Changed: opts.Changed.Truncate(time.Second)}
	if info.Name == "" {
		s.index.Kind = KindFiles
	}
	s.index.Paired, s.pairs = info.Pairs.Documents, info.Pairs.Pairs
	var have []string
	found := info.Documents == 0
	for _, size := range info.Sizes {
		have = append(have, fmt.Sprint(size.N))
		if size.N == opts.N {
			s.index.Grams, s.index.Searched, found = size.Grams, size.Documents, true
		}
	}
	if !found {
		return nil, fmt.Errorf("%w: no document has %d-grams, there are n = %s", ErrNoSize, opts.N, strings.Join(have, ", "))
	}
	if s.index.Searched < info.Documents {
		s.resorts, err = resorts(ctx, reader, opts.N)
	}
	return s, err
}

// Without returns a searcher like s that leaves out these documents too, beside
// those of [Options.Skip]. Both share what bounds their memory.
func (s *Searcher) Without(skip func(store.DocID) bool) *Searcher {
	other, before := *s, s.opts.Skip
	other.opts.Skip = func(id store.DocID) bool { return skip(id) || before != nil && before(id) }
	return &other
}

// aligning returns the context in which texts are aligned: it is over no later
// than ctx, and after the time there is.
func (s *Searcher) aligning(ctx context.Context) (context.Context, context.CancelFunc) {
	if s.opts.MaxTime == 0 {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, s.opts.MaxTime)
}

// Search checks doc against the index. It returns an error wrapping
// [ErrTooShort] for a text without a single n-gram.
func (s *Searcher) Search(ctx context.Context, doc *document.Document) (*Result, error) {
	aligning, stop := s.aligning(ctx)
	defer stop()
	sus := takeApart(doc, s.norms)
	lists := s.gramLists(sus.paragraphs)
	if len(lists[0].list) == 0 {
		return nil, TooShort(s.opts.N)
	}
	near, err := s.byPairs(ctx, sus)
	if err != nil {
		return nil, err
	}
	askers, unread, err := s.askers(ctx, lists, s.convincing(near, sus.different()))
	if err != nil {
		return nil, err
	}
	known := newCorrections()
	for {
		found, err := s.lookUp(ctx, sus, askers, lists, known)
		if err != nil {
			return nil, err
		}
		named, err := s.candidates(ctx, found, near)
		if err != nil {
			return nil, err
		}
		named.unread = unread
		sources, err := s.examineAll(ctx, aligning, named.list)
		if err != nil {
			return nil, err
		}
		if !known.learn(sources) {
			return s.result(sus, found, named, s.settle(sus, sources)), nil
		}
	}
}

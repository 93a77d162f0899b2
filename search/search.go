// Package search checks one text against an index: which of its passages stand
// in which indexed document, and where.
//
// [New] prepares a [Searcher] for an index, [Searcher.Search] checks a text
// and returns a [Result], which package report writes. The exact figures (how
// many n-grams match, the longest run of words) come from the index alone and
// mean what they meant in the systems before; beside them stand the passages.
// Every passage is checked word by word against the kept original text, so a
// chance collision of hashes is never shown.
package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/search/align"
	"github.com/otisk/otisk/store"
)

// Errors that callers decide on.
var (
	ErrTooShort = errors.New("too short")                    // the suspect has no n-gram
	ErrNoSize   = errors.New("size not in index")            // no document is indexed under that n
	ErrChanged  = errors.New("changed since it was indexed") // a source file read again
)

// Options say what to search for and what to return.
type Options struct {
	N          int      // words per n-gram
	MinPercent *float64 // list what reaches this share of n-grams, 0 to 100 ...
	MinRun     *int     // ... or this run of words; without either, all that shares anything
	Common     int      // n-grams in more documents than this name no source; 0 for no limit
	Exact      bool     // passages are joined n-grams only
	Summary    bool     // look for summaries too
	Detail     bool     // the text of each listed paragraph, and its places in each source
	Texts      bool     // the suspect's text and excerpts of the sources
	Templates  []string // texts that everyone was given: what stands in them can be left out of the score
	Version    string   // of the program, for the report

	// Skip leaves documents out, such as the suspect itself; nil for none.
	Skip func(store.DocID) bool
	// Reread returns the original text of a document that the index keeps none
	// of, or an error; nil where that cannot be.
	Reread func(context.Context, store.Document) (string, error)
}

// A Searcher checks texts against one index. It is safe for use by several
// goroutines at once.
type Searcher struct {
	reader store.Reader
	norms  *normalize.Set
	opts   Options
	index  Index
	slots  chan struct{} // one for each source that is looked at now

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
	s.index = Index{Kind: KindIndex, Name: info.Name, Documents: info.Documents}
	if info.Name == "" {
		s.index.Kind = KindFiles
	}
	var have []string
	found := info.Documents == 0
	for _, size := range info.Sizes {
		have = append(have, fmt.Sprint(size.N))
		if size.N == opts.N {
			s.index.Grams, found = size.Grams, true
		}
	}
	if !found {
		return nil, fmt.Errorf("%w: no document has %d-grams, there are n = %s", ErrNoSize, opts.N, strings.Join(have, ", "))
	}
	return s, nil
}

// Search checks doc against the index. It returns an error wrapping
// [ErrTooShort] for a text without a single n-gram.
func (s *Searcher) Search(ctx context.Context, doc *document.Document) (*Result, error) {
	sus := takeApart(doc, s.norms, s.opts.N)
	if len(sus.grams) == 0 {
		return nil, fmt.Errorf("%w: no paragraph has the %d words of an n-gram", ErrTooShort, s.opts.N)
	}
	known := corrections{map[falseMatch]bool{}, borders{}}
	for {
		c := &check{Searcher: s, suspect: sus, known: known}
		before := known.len()
		if err := c.run(ctx); err != nil {
			return nil, err
		}
		if known.len() == before {
			return c.result, nil
		}
	}
}

// corrections are what the texts of sources say against the hashes. A check
// that meets new ones is done again with them.
type corrections struct {
	wrong   map[falseMatch]bool
	borders borders
}

func (c corrections) len() int { return len(c.wrong) + len(c.borders) }

func (c corrections) add(more corrections) {
	maps.Copy(c.wrong, more.wrong)
	maps.Copy(c.borders, more.borders)
}

// A check is one search under way.
type check struct {
	*Searcher
	suspect *suspect
	known   corrections
	sweep   *sweep
	result  *Result
	sources []*source // in the order of result.Sources
}

// A source is a document that shares something.
type source struct {
	*tally
	entry    store.Document
	listed   bool // it reaches the limits
	aligned  bool // it is to be aligned
	noText   bool
	runs     []placed // its exact runs, in order of the suspect
	passages []found
	covered  int // words of the suspect in its passages
	excerpts []Excerpt
	notes    []string
	known    corrections // what its text says against the hashes
}

// run makes the result, and adds to the known corrections.
func (c *check) run(ctx context.Context) error {
	c.sweep = &sweep{
		reader: c.reader, n: c.opts.N, suspect: c.suspect, skip: c.opts.Skip, known: c.known,
		limits: store.Limits{Docs: c.opts.Common, Positions: maxPositions},
	}
	if err := c.sweep.run(ctx); err != nil {
		return err
	}
	c.result = c.header()
	if err := c.list(ctx); err != nil {
		return err
	}
	if err := c.examineAll(ctx); err != nil {
		return err
	}
	c.settle()
	c.paragraphs()
	c.passages()
	c.score()
	return nil
}

// header returns a result with all that does not depend on what was found.
func (c *check) header() *Result {
	o, s := c.opts, c.suspect
	r := &Result{
		Version: o.Version, Index: c.index,
		Settings: Settings{
			N: o.N, MinPercent: o.MinPercent, MinRun: o.MinRun, Common: o.Common,
			Exact: o.Exact, Detail: o.Detail, Normalization: c.reader.Settings().Normalization,
		},
		Suspect: Suspect{
			Path: s.doc.Path, Format: s.doc.Format, Encoding: s.doc.Encoding, Title: s.doc.Title, Author: s.doc.Author, NewLine: s.mode.String(),
			Bytes: len(s.doc.Text), Runes: s.runes.at(len(s.doc.Text)), Words: len(s.words), Paragraphs: len(s.paragraphs),
			Pages: len(s.doc.Pages), Flags: s.flags(),
		},
		Exclusions: s.exclusions(o.Templates),
		Sources:    []Source{}, Paragraphs: []Paragraph{}, Passages: []Passage{}, Unread: []Unread{}, Notes: []string{},
	}
	if o.Texts {
		r.Suspect.Text = s.doc.Text
	}
	longest := int32(0)
	for _, t := range c.sweep.tallies {
		longest = max(longest, t.longest)
	}
	r.Match = c.union(0, len(s.grams))
	r.Match.Run = c.runWords(longest)
	return r
}

// union counts the n-grams [from, to) that stand in any source; it leaves Run
// to the caller.
func (c *check) union(from, to int) Match {
	m := Match{Grams: to - from}
	for g := from; g < to; g++ {
		if c.sweep.matched[g] {
			m.Matched++
		}
		if c.sweep.common[g] {
			m.Common++
		}
	}
	m.Percent = percent(m.Matched, m.Grams)
	return m
}

// runWords returns the words of a run of k n-grams.
func (c *check) runWords(k int32) int {
	if k == 0 {
		return 0
	}
	return int(k) + c.opts.N - 1
}

// percent returns the share of part in whole, 0 to 100.
func percent(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return 100 * float64(part) / float64(whole)
}

// reaches reports whether a match is listed.
func (c *check) reaches(m Match) bool {
	a, run := c.opts.MinPercent, c.opts.MinRun
	if a == nil && run == nil {
		return m.Matched > 0
	}
	return a != nil && m.Matched > 0 && m.Percent >= *a || run != nil && m.Run > 0 && m.Run >= *run
}

// list picks the sources to look at.
func (c *check) list(ctx context.Context) error {
	aligned := map[*tally]bool{}
	if !c.opts.Exact {
		aligned = c.candidates()
	}
	for _, t := range c.sweep.tallies {
		src := &source{tally: t, listed: c.listed(t), aligned: aligned[t]}
		if !src.listed && !src.aligned {
			continue
		}
		var err error
		if src.entry, err = c.reader.Document(ctx, t.doc); err != nil {
			return err
		}
		c.sources = append(c.sources, src)
	}
	return nil
}

// settle drops the sources that neither reach the limits nor have a passage,
// and puts the others into the result: by the words that their passages cover,
// then by the n-grams they share, then by name.
func (c *check) settle() {
	c.sources = slices.DeleteFunc(c.sources, func(s *source) bool { return !s.listed && len(s.passages) == 0 })
	for _, src := range c.sources {
		free := newFree(len(c.suspect.words))
		for _, p := range src.passages {
			src.covered += free.take(p.from, p.to)
		}
	}
	slices.SortFunc(c.sources, func(a, b *source) int {
		return cmp.Or(cmp.Compare(b.covered, a.covered), cmp.Compare(b.matched, a.matched),
			cmp.Compare(a.entry.Name(), b.entry.Name()))
	})
	for _, src := range c.sources {
		out := c.describe(src)
		out.NoText, out.Excerpts = src.noText, src.excerpts
		c.result.Sources = append(c.result.Sources, out)
		c.result.Notes = append(c.result.Notes, src.notes...)
	}
}

// listed reports whether a source reaches the limits, as a whole or in one
// paragraph.
func (c *check) listed(t *tally) bool {
	if c.reaches(c.match(t.matched, len(c.suspect.grams), t.longest)) {
		return true
	}
	return slices.ContainsFunc(t.parts, func(p part) bool { return c.reaches(c.partMatch(p)) })
}

func (c *check) match(matched, grams int, longest int32) Match {
	return Match{Grams: grams, Matched: matched, Percent: percent(matched, grams), Run: c.runWords(longest)}
}

func (c *check) partMatch(p part) Match {
	from, to := c.suspect.gramsOf(int(p.paragraph))
	return c.match(p.matched, to-from, p.best.k)
}

func (c *check) describe(src *source) Source {
	e := &src.entry
	return Source{
		ID: e.ID.String(), Prefix: e.Prefix, Path: e.Path, Title: e.Title, Author: e.Author,
		Match:   c.match(src.matched, len(c.suspect.grams), src.longest),
		Covered: src.covered, Percent: percent(src.covered, len(c.suspect.words)),
		Words: e.Words, Bytes: e.Text,
	}
}

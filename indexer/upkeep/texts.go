package upkeep

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strconv"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/otisk/otisk/indexer/internal/grams"
	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/store"
)

// together is how many n-grams of a size [VerifyTexts] looks up at once; each takes 16 bytes. The
// more, the less often the postings of a frequent n-gram are read.
const together = 4 << 20

// VerifyTexts computes the n-grams, pairs and marks of every kept text again and calls problem for
// each document whose entries in the index differ. norms must be the rules of the index. It
// returns how many documents have no kept text and so were not checked. It uses all processors;
// problem is called by one goroutine at a time.
func VerifyTexts(ctx context.Context, r store.Index, norms *normalize.Set, problem func(error)) (unchecked int, err error) {
	return verifyTexts(ctx, r, norms, together, problem)
}

// verifyTexts is VerifyTexts with the number of n-grams that are looked up at once.
func verifyTexts(ctx context.Context, r store.Index, norms *normalize.Set, together int, problem func(error)) (unchecked int, err error) {
	d := &deep{reader: r, norms: norms, together: together, problem: problem, missing: map[docSize]int64{}, names: map[store.DocID]string{}}
	err = d.run(ctx)
	return d.unchecked, err
}

// A deep is one call of VerifyTexts.
type deep struct {
	reader   store.Index
	norms    *normalize.Set
	together int // n-grams of a size that are looked up at once

	mu        sync.Mutex
	problem   func(error)
	unchecked int
	missing   map[docSize]int64
	names     map[store.DocID]string // names of the documents in missing
}

// run checks all documents.
func (d *deep) run(ctx context.Context) error {
	workers, ctx := errgroup.WithContext(ctx)
	docs := make(chan store.Document)
	workers.Go(func() error {
		defer close(docs)
		return d.reader.Documents(ctx, "", func(doc store.Document) error {
			select {
			case docs <- doc:
				return nil
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		})
	})
	count := runtime.GOMAXPROCS(0)
	for range count {
		w := &deepWorker{deep: d, most: max(1, d.together/count), batches: map[int]*batch{}}
		workers.Go(func() error { return w.work(ctx, docs) })
	}
	err := workers.Wait()
	d.report()
	return err
}

// A deepWorker checks some of the documents.
type deepWorker struct {
	*deep
	most    int            // size limit of a batch in n-grams
	batches map[int]*batch // by n
}

// work checks the documents from docs.
func (d *deepWorker) work(ctx context.Context, docs <-chan store.Document) error {
	for doc := range docs {
		if err := d.document(ctx, doc); err != nil {
			return phrase.Error("index.verify", "verify {name}: {cause}", "name", doc.Name(), "cause", err)
		}
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return lists.Each(slices.Sorted(maps.Keys(d.batches)), func(n int) error { return d.look(ctx, n) })
}

// A docSize is one size of n-grams of a document.
type docSize struct {
	doc store.DocID
	n   int
}

// A batch has n-grams of some documents to be looked up.
type batch struct {
	docs   []store.Document
	places []gramPlace
}

// A gramPlace is an n-gram of a text: its hash and its position.
type gramPlace struct {
	hash store.Hash
	doc  uint16 // index in batch.docs
	seen bool   // the index has this posting
	pos  uint32
}

func byHash(a, b gramPlace) int {
	if c := cmp.Compare(a.hash, b.hash); c != 0 { // almost always
		return c
	}
	return cmp.Or(cmp.Compare(a.doc, b.doc), cmp.Compare(a.pos, b.pos))
}

// damage reports a document whose entries in the index do not match its text.
func (d *deep) damage(doc *store.Document, problem error) {
	d.reportProblem(fmt.Errorf("%s: %w: %w", doc.Name(), problem, store.ErrDamaged))
}

func (d *deep) reportProblem(problem error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.problem(problem)
}

// document adds the n-grams of a document to the batches.
func (d *deepWorker) document(ctx context.Context, doc store.Document) error {
	text, err := store.TextOf(ctx, d.reader, doc.ID)
	switch {
	case errors.Is(err, store.ErrNoText):
		d.mu.Lock()
		d.unchecked++
		d.mu.Unlock()
		return nil
	case errors.Is(err, store.ErrDamaged):
		d.reportProblem(err)
		return nil
	case err != nil:
		return err
	}
	if doc.TextSum != "" && doc.TextSum != store.TextSum(text, doc.Rules, doc.NewLine) {
		d.damage(&doc, phrase.Error("index.not-the-text", "its text differs from the indexed text"))
	}
	g, err := grams.Again(d.norms, &doc, text, grams.SizesOf(&doc), d.reader.Settings().Sample(), doc.Paired)
	if err != nil {
		d.damage(&doc, phrase.Error("index.no-rules", "it was indexed with rules for {rules} files and paragraphs {paragraphs}, which the settings do not have",
			"rules", strconv.Quote(doc.Rules), "paragraphs", strconv.Quote(doc.NewLine)))
		return nil
	}
	if err := d.marks(ctx, &doc, g); err != nil {
		return err
	}
	for i, s := range g.Sizes {
		if s.Count != doc.Sizes[i].Grams {
			d.damage(&doc, phrase.Error("index.grams-differ", "the index has {indexed} {list} of it, its text has {found}", "indexed", doc.Sizes[i].Grams, "list", listName(s.N), "found", s.Count))
		} else if err := d.addHashes(ctx, doc, g, s); err != nil {
			return err
		}
	}
	if doc.Paired && g.Pairs.Count != doc.Pairs {
		d.damage(&doc, phrase.Error("index.grams-differ", "the index has {indexed} {list} of it, its text has {found}", "indexed", doc.Pairs, "list", listName(0), "found", g.Pairs.Count))
	} else if doc.Paired {
		return d.addHashes(ctx, doc, g, g.Pairs)
	}
	return nil
}

// marks compares the marks in the index, if there are any, with the text of g word by word. They
// determine which parts of a long text a search reads.
func (d *deep) marks(ctx context.Context, doc *store.Document, g *grams.Grams) error {
	marks, err := grams.MarksOf(ctx, d.reader, doc.ID)
	if errors.Is(err, store.ErrDamaged) {
		d.reportProblem(err)
		return nil
	}
	if marks == nil || err != nil {
		return err
	}
	if wrong := g.WrongMarks(marks, doc.Paired); wrong != nil {
		d.damage(doc, wrong)
	}
	return nil
}

// addHashes adds the hashes of a list to their batch and looks the batch up whenever it is full.
func (d *deepWorker) addHashes(ctx context.Context, doc store.Document, g *grams.Grams, s *grams.Hashes) (err error) {
	b := d.batches[s.N]
	if b == nil {
		b = new(batch)
		d.batches[s.N] = b
	}
	begun, count := false, 0
	shared := 1 // number of hashes that share a position
	if s.N == 0 {
		shared = store.PairBlock
	}
	g.Hashes(s, func(hashes []store.Hash) bool {
		for _, h := range hashes {
			if len(b.places) >= d.most || !begun && len(b.docs) > 1<<15 {
				if err = d.look(ctx, s.N); err != nil {
					return false
				}
				begun = false
			}
			if !begun {
				b.docs, begun = append(b.docs, doc), true
			}
			b.places = append(b.places, gramPlace{hash: h, doc: uint16(len(b.docs) - 1), pos: uint32(count / shared)})
			count++
		}
		return true
	})
	return err
}

// look looks up a batch, records missing postings, and empties the batch.
func (d *deepWorker) look(ctx context.Context, n int) error {
	b := d.batches[n]
	slices.SortFunc(b.places, byHash)
	var hashes []store.Hash
	for i, p := range b.places {
		if i == 0 || p.hash != b.places[i-1].hash {
			hashes = append(hashes, p.hash)
		}
	}
	at := map[store.DocID]uint16{}
	for i, doc := range b.docs {
		at[doc.ID] = uint16(i)
	}
	err := d.lookup(ctx, n, hashes, func(h store.Hit) error {
		places := b.of(h.Hash)
		for i := range places {
			places[i].seen = places[i].seen || h.Common // the index has no positions for common pairs
		}
		for _, p := range h.Postings {
			doc, ok := at[p.Doc]
			if !ok {
				continue
			}
			want := gramPlace{hash: h.Hash, doc: doc, pos: p.Pos}
			i, _ := slices.BinarySearchFunc(places, want, byHash)
			for ; i < len(places) && byHash(places[i], want) == 0; i++ {
				places[i].seen = true
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	d.mu.Lock()
	for _, p := range b.places {
		if doc := &b.docs[p.doc]; !p.seen {
			d.missing[docSize{doc.ID, n}]++
			d.names[doc.ID] = doc.Name()
		}
	}
	d.mu.Unlock()
	b.docs, b.places = b.docs[:0], b.places[:0]
	return nil
}

// lookup looks up n-grams of n words, or pairs for 0.
func (d *deep) lookup(ctx context.Context, n int, hashes []store.Hash, fn func(store.Hit) error) error {
	if n == 0 {
		return d.reader.LookupPairs(ctx, hashes, store.Limits{}, fn)
	}
	return d.reader.Lookup(ctx, n, hashes, store.Limits{}, fn)
}

// of returns the entries with this hash.
func (b *batch) of(hash store.Hash) []gramPlace {
	i, _ := slices.BinarySearchFunc(b.places, gramPlace{hash: hash}, byHash)
	end := i
	for end < len(b.places) && b.places[end].hash == hash {
		end++
	}
	return b.places[i:end]
}

// report reports the number of missing n-grams by document.
func (d *deep) report() {
	list := slices.SortedFunc(maps.Keys(d.missing), func(a, b docSize) int { return cmp.Or(cmp.Compare(d.names[a.doc], d.names[b.doc]), a.n-b.n) })
	for _, k := range list {
		d.problem(phrase.Error("index.grams-missing", "{name}: {count} {list} of its text are not in the index: {cause}", "name", d.names[k.doc], "count", d.missing[k], "list", listName(k.n), "cause", store.ErrDamaged))
	}
}

// listName returns the name of the n-grams of n words, of the pairs if n is 0.
func listName(n int) *phrase.Phrase {
	if n == 0 {
		return phrase.Error("cluster.pairs", "pairs")
	}
	return phrase.Error("damage.grams-list", "{size}-grams", "size", n)
}

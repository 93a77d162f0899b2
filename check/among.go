package check

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/otisk/otisk/indexer"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/search"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/segment"
	"github.com/otisk/otisk/store/union"
)

// others is an index of the texts of a batch, each of which is a source for the others.
type others struct {
	dir   string // temporary
	index *segment.Store
	union *union.Reader
	ids   []store.DocID               // ids of the texts in the union; a file has one id, however often it was given
	texts map[string]bool             // the same ids as a set
	twins map[store.DocID]store.DocID // documents of the index that are texts of the batch, mapped to the text
}

// among indexes the texts in a temporary folder and sets a searcher for the union of that index and
// the main one.
func (b *Batch) among(ctx context.Context) error {
	o, err := b.newOthers()
	if err != nil {
		return phrase.Error("cause.compare-texts", "compare the texts with each other: {cause}", "cause", err)
	}
	b.others = o
	first := map[string]store.DocID{} // first text of each file, by canonical path
	for _, t := range b.texts {
		if _, known := first[t.canonical]; !known {
			first[t.canonical] = store.IDOf("", t.Path)
		}
	}
	if err := b.indexTexts(ctx, first); err != nil {
		return err
	}
	if o.union, err = union.New(ctx, b.reader, o.index); err != nil {
		return err
	}
	for _, t := range b.texts {
		id := o.union.ID(first[t.canonical])
		o.ids, o.texts[id.String()] = append(o.ids, id), true
	}
	if err := b.findTwins(ctx); err != nil {
		return err
	}
	opts := b.opts.Search
	opts.Among, opts.Others = func(id store.DocID) bool { return o.texts[id.String()] }, len(o.texts)
	b.searcher, err = search.New(ctx, o.union, b.opts.Norms, opts)
	return err
}

// indexTexts indexes the texts; of several texts from one file, only the first.
func (b *Batch) indexTexts(ctx context.Context, first map[string]store.DocID) error {
	err := b.each(ctx, Comparing, len(b.texts), func(ctx context.Context, i int) error {
		t := b.texts[i]
		if first[t.canonical] != store.IDOf("", t.Path) {
			return nil
		}
		doc, err := t.kept.document()
		if err != nil {
			return err
		}
		return indexer.Add(ctx, b.others.index, t.Path, doc, indexer.Options{N: b.opts.Search.N, Pairs: true, Norms: b.opts.Norms})
	})
	if err != nil {
		return err
	}
	return b.others.index.Commit(ctx)
}

func (b *Batch) newOthers() (*others, error) {
	dir, err := os.MkdirTemp("", "otisk-among-")
	if err != nil {
		return nil, err
	}
	settings := store.Settings{Normalization: b.reader.Settings().Normalization, KeepTexts: true}
	index, err := segment.Create(filepath.Join(dir, "index"), settings, segment.Options{})
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return &others{dir: dir, index: index, texts: map[string]bool{}, twins: map[store.DocID]store.DocID{}}, nil
}

// searcherFor returns a searcher for text i, which excludes text i as a source.
func (b *Batch) searcherFor(i int) *search.Searcher {
	if b.others == nil {
		return b.searcher
	}
	own := b.others.ids[i]
	return b.searcher.Without(func(id store.DocID) bool {
		twin, known := b.others.twins[id]
		return id == own || known && twin != own
	})
}

// findTwins finds the documents of the index that are files of the batch. Without it, other texts
// would have such a file as two sources. For the text itself its twin stays; the report names it.
func (b *Batch) findTwins(ctx context.Context) error {
	info, err := b.reader.Info(ctx)
	if err != nil {
		return err
	}
	places := map[string]int{}
	for i, t := range b.texts {
		places[t.canonical] = i
	}
	return b.reader.Documents(ctx, "", func(d store.Document) error {
		if i, known := places[store.File(info.Bases, d.Base, d.Path)]; known && d.Content == b.texts[i].content {
			b.others.twins[d.ID] = b.others.ids[i]
		}
		return nil
	})
}

// mark sets Among for the sources in the result on text i that are other texts.
func (o *others) mark(i int, r *search.Result) {
	r.Suspect.ID, r.Index.Among = o.ids[i].String(), len(o.texts)-1
	for j := range r.Sources {
		r.Sources[j].Among = o.texts[r.Sources[j].ID]
	}
}

func (o *others) close() error {
	if o == nil {
		return nil
	}
	return errors.Join(o.index.Close(), os.RemoveAll(o.dir))
}

package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/otisk/otisk/config"
	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/indexer"
	"github.com/otisk/otisk/internal/testing/measure"
	"github.com/otisk/otisk/search"
	"github.com/otisk/otisk/search/hint"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/segment"
)

// Figures of documents that are made of pieces of others.
const (
	madeWords  = 480 // of a document
	pieceWords = 60  // that follow each other in the original
)

// indexed measures how often the source of a planted passage is found in an index of many
// documents: the sources of all passages, the texts in o.english, and o.made documents of their
// pieces.
func (m *counter) indexed(o options, books []*book) (err error) {
	dir, err := os.MkdirTemp(o.temp, "otisk-translated-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	settings := config.Default()
	norms, err := settings.Normalizers()
	if err != nil {
		return err
	}
	w, err := segment.Create(filepath.Join(dir, "index"), store.Settings{Normalization: settings.Normalization(), KeepTexts: true}, segment.Options{})
	if err != nil {
		return err
	}
	opts := indexer.Options{N: 7, Pairs: true, Translated: true, Norms: norms}
	if err := fill(m.ctx, w, dir, opts, o, books); err != nil {
		return errors.Join(err, w.Close())
	}
	info, err := w.Info(m.ctx)
	if err != nil {
		return errors.Join(err, w.Close())
	}
	words := int64(0)
	err = w.Documents(m.ctx, "", func(d store.Document) error {
		words += d.Words
		return nil
	})
	if err = errors.Join(err, w.Close()); err != nil {
		return err
	}
	fmt.Fprintf(m.out, "index of %d documents, %d words; keys %.2f a word, %.2f bytes a word; 7-grams %.2f bytes a word, pairs %.2f\n",
		info.Documents, words, float64(info.Keys().Grams)/float64(words), float64(info.Keys().Bytes)/float64(words),
		float64(info.NGrams()[0].Bytes)/float64(words), float64(info.Pairs.Bytes)/float64(words))
	r, err := segment.Open(filepath.Join(dir, "index"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	x := &fromIndex{counter: m}
	work := &search.Work{Keyed: func(docs []store.DocID) { x.named = docs }}
	if x.with, err = search.New(m.ctx, r, norms, search.Options{N: 7, Common: config.DefaultCommon, Hints: []hint.Finder{m.finder}, Work: work}); err != nil {
		return err
	}
	if x.without, err = search.New(m.ctx, r, norms, search.Options{N: 7, Common: config.DefaultCommon}); err != nil {
		return err
	}
	for _, b := range books {
		for length := range strings.SplitSeq(o.lengths, ",") {
			words, err := strconv.Atoi(length)
			if err != nil {
				return err
			}
			if err := x.line(b, words); err != nil {
				return err
			}
		}
	}
	return nil
}

// fill indexes the sources, the texts of o.english, and documents made of pieces of these.
func fill(ctx context.Context, w store.Store, dir string, opts indexer.Options, o options, books []*book) error {
	for _, b := range books {
		for n, block := range b.blocks {
			if err := add(ctx, w, opts, b.document(n), strings.Join(englishSides(block), "\n")); err != nil {
				return err
			}
		}
	}
	if o.english != "" {
		if _, err := indexer.Run(ctx, w, []string{o.english}, opts); err != nil {
			return err
		}
	}
	if err := w.Commit(ctx); err != nil {
		return err
	}
	if o.made > 0 {
		if err := makeMore(ctx, w, opts, books, o.made); err != nil {
			return err
		}
	}
	return w.Optimize(ctx)
}

// add adds a text.
func add(ctx context.Context, w store.Store, opts indexer.Options, name, text string) error {
	return indexer.Add(ctx, w, name, &document.Document{Path: name, Format: "text", Text: text, Bytes: int64(len(text)), Content: name}, opts)
}

// document returns the name of the document with the English side of a block.
func (b *book) document(n int) string { return fmt.Sprintf("%s-%s-%03d", b.language, b.name, n) }

// makeMore adds documents of pieces of the texts in the index, but not of books.
func makeMore(ctx context.Context, w store.Store, opts indexer.Options, books []*book, count int) error {
	var pieces []string
	err := w.Documents(ctx, "", func(d store.Document) error {
		if slices.ContainsFunc(books, func(b *book) bool { return strings.HasPrefix(d.Name(), b.language+"-") }) {
			return nil
		}
		text, err := store.TextOf(ctx, w, d.ID)
		fields := strings.Fields(text)
		for len(fields) >= pieceWords {
			pieces = append(pieces, strings.Join(fields[:pieceWords], " "))
			fields = fields[pieceWords:]
		}
		return err
	})
	if err != nil {
		return err
	}
	if len(pieces) == 0 {
		return errors.New("-made needs -english: documents are made of its texts")
	}
	r := rand.New(rand.NewPCG(1, 2))
	for n := range count {
		var text []string
		for range madeWords / pieceWords {
			text = append(text, pieces[r.IntN(len(pieces))])
		}
		if err := add(ctx, w, opts, fmt.Sprintf("made-%06d", n), strings.Join(text, "\n")); err != nil {
			return err
		}
		if n%10_000 == 9_999 {
			if err := w.Commit(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// fromIndex checks planted passages against an index.
type fromIndex struct {
	*counter
	with, without *search.Searcher
	named         []store.DocID // that keys named for the last suspect
}

// counts are the results of passages of one length.
type counts struct {
	n, first, ten, shown int
	others               int     // hints at other documents than the source and that of the host
	with, without        float64 // seconds of CPU time with hints and without
}

// line prints how often the source of passages of a number of words is named, and found.
func (x *fromIndex) line(b *book, words int) error {
	var c counts
	for block := range b.blocks {
		for place := range placesEach {
			p, ok := b.plant(block, place, words, forms[0])
			if !ok {
				continue
			}
			if err := x.count(&c, p.suspect, b.document(block), b.document((block+1)%len(b.blocks))); err != nil {
				return err
			}
		}
	}
	n := float64(max(1, c.n))
	percent := func(x int) float64 { return 100 * float64(x) / n }
	_, err := fmt.Fprintf(x.out, "%-5s %4d words  n %4d  source first %4.0f%%  among ten %4.0f%%  shown %4.0f%%  hints at other sources %d  CPU of a check %.0f ms, without hints %.0f ms\n",
		b.name, words, c.n, percent(c.first), percent(c.ten), percent(c.shown), c.others, 1000*c.with/n, 1000*c.without/n)
	return err
}

// count checks a suspect with a passage from the document source, among text from the document
// host, which does not count.
func (x *fromIndex) count(c *counts, suspect, source, host string) error {
	r, cost, err := x.check(x.with, suspect)
	if err != nil {
		return err
	}
	c.n++
	c.with += cost
	named := slices.DeleteFunc(x.named, func(id store.DocID) bool { return id == store.IDOf("", host) })
	switch rank := slices.Index(named, store.IDOf("", source)); {
	case rank == 0:
		c.first++
		c.ten++
	case rank > 0 && rank < 10:
		c.ten++
	}
	shown := slices.ContainsFunc(r.Passages, func(p search.Passage) bool { return r.Sources[p.Source].Name == source })
	for _, h := range r.Hints {
		switch r.Sources[h.Source].Name {
		case source:
			shown = true
		case host:
		default:
			c.others++
		}
	}
	if shown {
		c.shown++
	}
	_, cost, err = x.check(x.without, suspect)
	c.without += cost
	return err
}

// check searches one text, and returns the seconds of CPU time that it took.
func (x *fromIndex) check(s *search.Searcher, text string) (*search.Result, float64, error) {
	x.named = nil
	before := measure.CPU()
	r, err := s.Search(x.ctx, &document.Document{Path: "suspect.txt", Format: "text", Text: text, Bytes: int64(len(text))})
	return r, (measure.CPU() - before).Seconds(), err
}

package search

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/otisk/otisk/fingerprint"
	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/store"
)

// A sampled index has some n-grams of each document, which find the document but not its
// runs. So the texts of the documents found are read, and their n-grams are looked up
// instead: the results about a source are as exact as with an index of all n-grams.
const (
	roughPlaces = 1   // of an n-gram in a document, enough to know that it occurs
	readAtOnce  = 256 // documents
)

// An asker answers look-ups, from the index or from texts.
type asker interface {
	Lookup(ctx context.Context, n int, hashes []store.Hash, limits store.Limits, fn func(store.Hit) error) error
}

// askers returns what to ask about each list of n-grams, and how many documents
// are left out there. paired are documents to be read in any case.
func (s *Searcher) askers(ctx context.Context, lists []grams, paired map[store.DocID]evidence) (list []asker, unread int, err error) {
	for i, skip := range s.skips() {
		if s.sample == 0 {
			list = append(list, s.reader)
			continue
		}
		texts, err := s.read(ctx, lists[i], skip, paired)
		if err != nil {
			return nil, 0, err
		}
		list = append(list, texts)
		unread += texts.unread
	}
	return list, unread, nil
}

// readTexts answers from the texts of some documents.
type readTexts struct {
	places   map[store.Hash]int32 // every n-gram of the suspect, by number
	common   []bool               // by number: it is in too many documents
	postings [][]store.Posting    // by number
	total    int                  // postings
	unread   int                  // documents that were not read
}

// Lookup implements asker for hashes of the suspect.
func (r *readTexts) Lookup(ctx context.Context, _ int, hashes []store.Hash, limits store.Limits, fn func(store.Hit) error) error {
	for _, h := range hashes {
		i := r.places[h]
		hit := store.Hit{Hash: h, Common: r.common[i], Postings: r.postings[i]}
		if limits.Docs > 0 && store.CountDocuments(hit.Postings) > limits.Docs {
			hit.Common = true
		}
		if hit.Common {
			hit.Postings = nil
		} else if len(hit.Postings) == 0 {
			continue
		}
		if err := fn(hit); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// read reads the documents that share a sampled n-gram of g, those that share
// most first, and the paired ones.
func (s *Searcher) read(ctx context.Context, g grams, skip func(store.DocID) bool, paired map[store.DocID]evidence) (*readTexts, error) {
	r := &readTexts{places: make(map[store.Hash]int32, len(g.list))}
	for _, gram := range g.list {
		if _, ok := r.places[gram.hash]; !ok {
			r.places[gram.hash] = int32(len(r.places))
		}
	}
	r.common, r.postings = make([]bool, len(r.places)), make([][]store.Posting, len(r.places))
	docs, err := s.rough(ctx, g, skip, r)
	if err != nil {
		return nil, err
	}
	for id := range paired {
		if docs[id] == 0 && (skip == nil || !skip(id)) {
			docs[id] = 0
		}
	}
	list := make([]store.DocID, 0, len(docs))
	for id := range docs {
		list = append(list, id)
	}
	slices.SortFunc(list, func(a, b store.DocID) int { return cmp.Or(cmp.Compare(docs[b], docs[a]), cmp.Compare(a, b)) })
	if r.unread = len(list) - s.bounds.read; r.unread > 0 {
		list = list[:s.bounds.read]
	} else {
		r.unread = 0
	}
	return r, s.readAll(ctx, g.n, list, r)
}

// rough returns the documents that share a sampled n-gram, each with the sum of
// what such n-grams count: one in d documents 1/d.
func (s *Searcher) rough(ctx context.Context, g grams, skip func(store.DocID) bool, r *readTexts) (map[store.DocID]float64, error) {
	hashes := slices.Sorted(maps.Keys(r.places))
	docs := map[store.DocID]float64{}
	limits := store.Limits{Docs: s.opts.Common, Positions: roughPlaces}
	for some := range slices.Chunk(hashes, window) {
		err := s.reader.Lookup(ctx, g.n, some, limits, func(h store.Hit) error {
			r.common[r.places[h.Hash]] = h.Common
			share := 1 / float64(max(1, store.CountDocuments(h.Postings)))
			for _, p := range h.Postings {
				if skip == nil || !skip(p.Doc) {
					docs[p.Doc] += share
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return docs, nil
}

// readAll reads documents, several in parallel, and adds their matches with the suspect to r.
func (s *Searcher) readAll(ctx context.Context, n int, list []store.DocID, r *readTexts) error {
	for len(list) > 0 && r.total < s.bounds.shared {
		some := list[:min(len(list), readAtOnce)]
		list = list[len(some):]
		found, err := s.readSome(ctx, n, some, r)
		if err != nil {
			return err
		}
		for i, id := range some {
			for _, f := range found[i] {
				r.postings[f.gram] = append(r.postings[f.gram], store.Posting{Doc: id, Pos: f.pos})
			}
			r.total += len(found[i])
		}
	}
	r.unread += len(list)
	for _, postings := range r.postings {
		slices.SortFunc(postings, store.ByPlace)
	}
	return nil
}

// readSome returns where each of some documents has n-grams of the suspect.
func (s *Searcher) readSome(ctx context.Context, n int, some []store.DocID, r *readTexts) ([][]shareOf, error) {
	entries := make([]store.Document, 0, len(some))
	err := s.reader.Entries(ctx, some, func(d store.Document) error {
		entries = append(entries, d)
		return nil
	})
	if err != nil {
		return nil, err
	}
	found := make([][]shareOf, len(some))
	group, reading := errgroup.WithContext(ctx)
	err = s.reader.Texts(reading, some, func(i int, text string, missing error) error {
		if missing != nil {
			return fmt.Errorf("%s: %w", entries[i].Name(), missing)
		}
		select {
		case s.slots <- struct{}{}:
		case <-reading.Done():
			return reading.Err()
		}
		group.Go(func() (err error) {
			defer func() { <-s.slots }()
			found[i], err = s.sharesOf(entries[i], n, text, r)
			return err
		})
		return nil
	})
	if failed := group.Wait(); failed != nil {
		return nil, failed
	}
	return found, err
}

// A shareOf is an n-gram of the suspect, by number, at a place of a document.
type shareOf struct {
	gram int32
	pos  uint32
}

// sharesOf returns where the text of a document has n-grams of the suspect.
func (s *Searcher) sharesOf(entry store.Document, n int, text string, r *readTexts) (list []shareOf, err error) {
	norm, mode, err := s.norms.AsIndexed(entry.Rules, entry.NewLine)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", entry.Name(), err)
	}
	roller, pos := fingerprint.NewRoller(n), uint32(0)
	var words fingerprint.Stretch
	var hashes []store.Hash
	times := map[int32]int{}
	for w := norm.Scan(text, mode); w.Fill((*normalize.Stretch)(&words)); {
		hashes = roller.AppendAll(hashes[:0], &words)
		for _, h := range hashes {
			if gram, ok := r.places[h]; ok {
				if times[gram]++; times[gram] <= maxPositions {
					list = append(list, shareOf{gram, pos})
				}
			}
			pos++
		}
	}
	return list, nil
}

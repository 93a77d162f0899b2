package esclient

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/store"
)

// Pieces implements [store.Reader]. It fetches only the chunks that contain the pieces, and those
// of further texts while fn runs.
func (v *view) Pieces(ctx context.Context, ids []store.DocID, choose func(i int, m *store.Marks) ([]store.Piece, error), fn func(i int, pieces []string, err error) error) error {
	list, err := v.seen(ctx, ids)
	if err != nil {
		return err
	}
	within, stop := context.WithCancel(ctx)
	defer stop()
	var under []fetching
	for from := 0; from < len(list) || len(under) > 0; {
		for from < len(list) && len(under) < asideOf {
			some, err := v.choose(list[from:], from, choose)
			if err != nil {
				return err
			}
			f := fetching{some, from, make(chan error, 1)}
			go func() { f.done <- v.fetch(within, some) }()
			under, from = append(under, f), from+len(some)
		}
		if err := under[0].deliver(fn); err != nil {
			return err
		}
		under = under[1:]
	}
	return nil
}

// A fetching is a request for the chunks of consecutive texts, from text number from.
type fetching struct {
	some []*wanted
	from int
	done chan error
}

// deliver calls fn with the pieces of each text, once they have arrived.
func (f *fetching) deliver(fn func(i int, pieces []string, err error) error) error {
	if err := <-f.done; err != nil {
		return err
	}
	for i, w := range f.some {
		pieces, err := w.cut()
		if err != nil && w.err == nil {
			return err
		}
		if err := fn(f.from+i, pieces, err); err != nil {
			return err
		}
	}
	return nil
}

type wanted struct {
	*version
	pieces []store.Piece
	bounds []int64        // of all chunks, see chunksOf
	chunks map[int]string // that contain the pieces, by number
	err    error          // reason why there are no pieces
}

// choose calls choose for the first texts of list, as many as are fetched together, and
// returns the pieces. from is the index of the first one.
func (v *view) choose(list []*version, from int, choose func(i int, m *store.Marks) ([]store.Piece, error)) (some []*wanted, err error) {
	room := int64(textsBytes)
	for i, e := range list {
		w := &wanted{version: e, chunks: map[int]string{}}
		if err := w.choose(func(m *store.Marks) ([]store.Piece, error) { return choose(from+i, m) }); err != nil {
			return nil, err
		}
		some = append(some, w)
		for k := range w.chunks {
			room -= w.bounds[k+1] - w.bounds[k]
		}
		if room < 0 || len(some) == v.c.limits().entriesPage {
			break
		}
	}
	return some, nil
}

// choose sets the pieces and the chunks that contain them.
func (w *wanted) choose(choose func(m *store.Marks) ([]store.Piece, error)) error {
	switch {
	case w.Text == nil:
		w.err = fmt.Errorf("%s: %w", w.Doc.Name(), store.ErrNoText)
		return nil
	case w.Text.Marks == "":
		w.err = fmt.Errorf("%s: %w", w.Doc.Name(), store.ErrNoMarks)
		return nil
	}
	marks, err := w.marks()
	if err != nil {
		return err
	}
	w.bounds = chunksOf(marks, w.Text.Bytes)
	w.pieces, err = choose(marks)
	if errors.Is(err, store.ErrNoMarks) {
		w.err = err
		return nil
	}
	for _, p := range w.pieces {
		if p.From < 0 || p.To < p.From || p.To > w.Text.Bytes {
			return phrase.Error("cluster.pieces", "pieces of {name}: bytes {from} to {to} of a text of {all}", "name", w.Doc.Name(), "from", p.From, "to", p.To, "all", w.Text.Bytes)
		}
		for k := w.chunkAt(p.From); w.bounds[k] < p.To; k++ {
			w.chunks[k] = ""
		}
	}
	return err
}

// chunkAt returns the number of the chunk that contains byte at; that after the last one if at is
// the end.
func (w *wanted) chunkAt(at int64) int {
	k, found := slices.BinarySearch(w.bounds, at)
	if !found {
		k--
	}
	return k
}

// fetch fetches the chunks of some texts. The frame of each chunk has a checksum.
func (v *view) fetch(ctx context.Context, some []*wanted) error {
	var ids []string
	texts := map[int64][]*wanted{}
	for _, w := range some {
		for k := range w.chunks {
			ids = append(ids, blockID(w.Text.Gen, k))
		}
		if w.Text != nil {
			texts[w.Text.Gen] = append(texts[w.Text.Gen], w)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	_, dec := coders()
	query := object{"query": object{"ids": object{"values": ids}}}
	return each(ctx, v, "read text", textsPart, query, len(ids)+1, []string{"gen", "no"}, func(h *foundHit[chunk]) error {
		part, err := dec.DecodeAll(h.Source.Z, nil)
		for _, w := range texts[h.Source.Gen] {
			if err != nil || len(part) == 0 {
				return phrase.Error("cluster.chunk-packed", "text of {name}: chunk {chunk} cannot be decompressed: {cause}", "name", w.Doc.Name(), "chunk", h.Source.No, "cause", store.ErrDamaged)
			}
			w.chunks[h.Source.No] = string(part)
		}
		return nil
	})
}

func (w *wanted) cut() ([]string, error) {
	if w.err != nil {
		return nil, w.err
	}
	list := make([]string, len(w.pieces))
	for i, p := range w.pieces {
		var text strings.Builder
		for k := w.chunkAt(p.From); w.bounds[k] < p.To; k++ {
			part, begin := w.chunks[k], w.bounds[k]
			from, to := max(p.From, begin)-begin, min(p.To, w.bounds[k+1])-begin
			if to > int64(len(part)) {
				return nil, phrase.Error("cluster.chunk-short", "text of {name}: chunk {chunk} has {bytes} bytes, want {wanted}: {cause}", "name", w.Doc.Name(), "chunk", k, "bytes", len(part), "wanted", to, "cause", store.ErrDamaged)
			}
			text.WriteString(part[from:to])
		}
		list[i] = text.String()
	}
	return list, nil
}

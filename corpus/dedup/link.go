package dedup

import (
	"cmp"
	"context"
	"encoding/binary"
	"runtime"

	"github.com/otisk/otisk/corpus/occur"
	"github.com/otisk/otisk/corpus/ordered"
	"github.com/otisk/otisk/corpus/spill"
	"github.com/otisk/otisk/lang/phrase"
)

// linkStep finds the previous occurrence of each repeated n-gram.
//
// The links are partitioned into ranges of 1<<Bits tokens. A link is 8 bytes, little
// endian. Its high bits are the token that ends the n-gram, counted from the start of
// the range; its low bits are the token that ended the previous occurrence, counted
// from the start of the collection. Links are in no order.
const linkStep = "link"

type links struct {
	Tokens int64 // of the collection
	Bits   int   // a range has 1<<Bits tokens
	Ranges int
}

const (
	leastRange = 22  // bits: 4 M tokens, of which all links fit in memory twice
	mostRanges = 256 // files that are open at once
	mostTokens = 1 << 36
)

// rangesFor returns the partitioning of the links of a collection with this number of tokens.
func rangesFor(tokens int64) (links, error) {
	if tokens >= mostTokens {
		return links{}, phrase.Error("corpus.tokens", "{tokens} tokens are more than the {most} that can be compared at once", "tokens", tokens, "most", int64(mostTokens))
	}
	l := links{Tokens: tokens, Bits: leastRange}
	for tokens>>l.Bits >= mostRanges {
		l.Bits++
	}
	l.Ranges = int(tokens>>l.Bits) + 1
	return l, nil
}

func (r *run) link(ctx context.Context, tokens int64) (links, error) {
	l, err := rangesFor(tokens)
	if err != nil {
		return l, err
	}
	grams, err := spill.Open(r.dir.Path(scatterStep), occur.Parts)
	if err != nil {
		return l, err
	}
	defer grams.Close()
	out, err := spill.Create(r.dir.Path(linkStep), l.Ranges)
	if err != nil {
		return l, err
	}
	defer out.Close()
	if err := r.linkParts(ctx, l, grams, out); err != nil {
		return l, err
	}
	if err := r.dir.Finish(linkStep, l, out.Names()...); err != nil {
		return l, err
	}
	return l, grams.Remove()
}

// linkParts works on the parts, several at once.
func (r *run) linkParts(ctx context.Context, l links, grams, out *spill.Files) error {
	memory := r.o.Memory / 2 / int64(runtime.GOMAXPROCS(0))
	state := func() *linker {
		return &linker{bits: l.Bits, out: out, buffers: make([][]byte, l.Ranges), in: occur.NewReader(grams, memory)}
	}
	part := func(ctx context.Context, k *linker, i int) error {
		r.progress(2, int64(i))
		return k.in.Each(ctx, i, k.group)
	}
	return ordered.Each(ctx, occur.Parts, state, part, (*linker).flush)
}

type linker struct {
	bits    int
	out     *spill.Files
	buffers [][]byte // of links, one for each range
	in      *occur.Reader
	table   occur.Table
}

// linkBuffer is how much of a range is gathered before it is written.
const linkBuffer = 1 << 14

// group links n-grams that are in the order of the collection.
func (k *linker) group(group []occur.Occurrence) error {
	k.table.Reset(len(group))
	for _, o := range group {
		s := k.table.Of(o.Hash)
		if s.Count != 0 {
			if err := k.add(o.Place-1, s.Place-1); err != nil {
				return err
			}
		}
		s.Count, s.Place = 1, o.Place
	}
	return nil
}

func (k *linker) add(token, before uint64) error {
	i := token >> k.bits
	k.buffers[i] = binary.LittleEndian.AppendUint64(k.buffers[i], token<<(64-k.bits)|before)
	if len(k.buffers[i]) < linkBuffer {
		return nil
	}
	err := k.out.Append(int(i), k.buffers[i])
	k.buffers[i] = k.buffers[i][:0]
	return err
}

func (k *linker) flush() error { return k.out.AppendAll(k.buffers) }

// scatterStep is the first pass: all n-grams are on disk, divided by their hashes,
// with the tokens that end them, counted from 1 over the whole collection.
const scatterStep = "scatter"

func (r *run) scatter(ctx context.Context) (total int64, err error) {
	files, err := spill.Create(r.dir.Path(scatterStep), occur.Parts)
	if err != nil {
		return 0, err
	}
	w := occur.NewWriter(files)
	done := int64(0)
	p := pass{run: r, hash: true, turn: func(b *block) error {
		for _, g := range b.grams {
			if err := w.Add(g.hash, uint64(total)+uint64(g.token)+1); err != nil {
				return err
			}
		}
		total += int64(b.toks)
		done += int64(len(b.Data))
		r.progress(1, done)
		return nil
	}}
	err = p.walk(ctx)
	if err == nil {
		err = w.Flush()
	}
	err = cmp.Or(err, files.Close())
	if err != nil {
		return 0, err
	}
	return total, r.dir.Finish(scatterStep, total, files.Names()...)
}

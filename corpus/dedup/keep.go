package dedup

import (
	"context"
	"encoding/binary"

	"github.com/otisk/otisk/corpus"
	"github.com/otisk/otisk/corpus/spill"
)

// secondPass judges the documents in order and writes the kept
// paragraphs.
func (r *run) secondPass(ctx context.Context, l links, out *linkReader, kept *bitmap) error {
	k := keeper{run: r, links: out, kept: kept}
	done := int64(0)
	p := pass{
		run: r,
		turn: func(b *block) error {
			done += int64(len(b.Data))
			r.progress(3, done)
			return k.block(b)
		},
		finish: func(b *block) { r.format(b) },
		write:  func(b *block) error { return r.write(b.file, b.out) },
	}
	if err := p.walk(ctx); err != nil {
		return err
	}
	if k.token != uint64(l.Tokens) {
		return ErrChanged
	}
	return nil
}

func (r *run) second(ctx context.Context, l links) error {
	files, err := spill.Open(r.dir.Path(linkStep), l.Ranges)
	if err != nil {
		return err
	}
	defer files.Close()
	kept, err := newBitmap(l.Tokens, r.o.Memory/2, r.dir.Path("kept"))
	if err != nil {
		return err
	}
	defer kept.close()
	reader := newLinkReader(files, l)
	defer reader.close()
	return r.secondPass(ctx, l, reader, kept)
}

type keeper struct {
	run   *run
	links *linkReader
	kept  *bitmap // tokens whose n-gram has been kept, there or earlier
	token uint64  // the first one of the block

	found []link
	seen  []uint32
}

// A link connects the token that ends an n-gram with the token that ended its
// previous occurrence.
type link struct{ token, before uint64 }

func (k *keeper) block(b *block) error {
	k.run.report(b)
	if b.Over {
		return nil
	}
	for i := range b.docs {
		if err := k.document(b, i); err != nil {
			return err
		}
	}
	k.token += uint64(b.toks)
	return nil
}

func (k *keeper) document(b *block, i int) error {
	_, end := b.end(i)
	first, last := k.token+uint64(b.docs[i].token), k.token+uint64(end)
	var err error
	if k.found, err = k.links.until(last, k.found[:0]); err != nil {
		return err
	}
	k.seen = k.seen[:0]
	for _, l := range k.found {
		if l.before >= first || k.kept.contains(l.before) {
			k.seen = append(k.seen, uint32(l.token-first))
		}
	}
	k.run.judge(b, i, k.seen)
	k.remember(b, i)
	return nil
}

// remember marks the n-grams of the document's kept paragraphs.
func (k *keeper) remember(b *block, i int) {
	end, _ := b.end(i)
	for p := b.docs[i].par; p < end; p++ {
		if !b.pars[p].bad {
			first := k.token + uint64(b.pars[p].token)
			k.kept.set(first, first+uint64(b.tokens(p)))
		}
	}
	for _, l := range k.found { // in ascending order, so that each result can be passed on to the next
		if k.kept.contains(l.before) {
			k.kept.set(l.token, l.token+1)
		}
	}
}

func (r *run) format(b *block) {
	switch {
	case !b.Over:
		b.layout.format(b, r.o.Mark)
	case r.o.Mark && r.files[b.file].Form != corpus.JSONLines:
		b.markText(b.Data, false)
	default:
		b.out = append(b.out, b.Data...)
	}
}

// A linkReader reads the links in the order of the collection, a range at a time,
// and the next range meanwhile.
type linkReader struct {
	files *spill.Files
	l     links
	next  int      // range that is to be taken
	base  uint64   // first token of the range at hand
	list  []uint64 // its links, sorted
	ready chan ranged
	stop  chan struct{}
}

type ranged struct {
	list []uint64
	err  error
}

func newLinkReader(files *spill.Files, l links) *linkReader {
	r := &linkReader{files: files, l: l, ready: make(chan ranged), stop: make(chan struct{})}
	go r.load()
	return r
}

func (r *linkReader) close() { close(r.stop) }

func (r *linkReader) load() {
	var raw []byte
	for i := range r.l.Ranges {
		var err error
		raw, err = r.files.Read(i, raw)
		list := make([]uint64, len(raw)/8)
		_, _ = binary.Decode(raw, binary.LittleEndian, list)
		select {
		case r.ready <- ranged{sortLinks(list, r.l.Bits), err}:
		case <-r.stop:
			return
		}
		if err != nil {
			return
		}
	}
}

// sortLinks sorts links by their tokens, which are in their top bits.
func sortLinks(list []uint64, width int) []uint64 {
	const digit = 11
	other := make([]uint64, len(list))
	for shift := 64 - width; shift < 64; shift += digit {
		var at [1<<digit + 1]int
		for _, l := range list {
			at[l>>shift&(1<<digit-1)+1]++
		}
		for i := range 1 << digit {
			at[i+1] += at[i]
		}
		for _, l := range list {
			d := l >> shift & (1<<digit - 1)
			other[at[d]] = l
			at[d]++
		}
		list, other = other, list
	}
	return list
}

// until appends the links of the tokens before end to found.
func (r *linkReader) until(end uint64, found []link) ([]link, error) {
	for {
		for len(r.list) > 0 {
			l := link{r.base + r.list[0]>>(64-r.l.Bits), r.list[0] << r.l.Bits >> r.l.Bits}
			if l.token >= end {
				return found, nil
			}
			found = append(found, l)
			r.list = r.list[1:]
		}
		if r.next >= r.l.Ranges || uint64(r.next)<<r.l.Bits >= end {
			return found, nil
		}
		got := <-r.ready
		if got.err != nil {
			return found, got.err
		}
		r.base, r.list = uint64(r.next)<<r.l.Bits, got.list
		r.next++
	}
}

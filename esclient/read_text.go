package esclient

import (
	"context"
	"fmt"
	"hash/crc32"
	"strings"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/store"
)

type chunk struct {
	Gen int64  `json:"gen"`
	No  int    `json:"no"`
	Z   []byte `json:"z"`
}

// textSum updates the checksum s of a text, CRC-32C, with its next part.
func textSum(s sum, part string) sum {
	return sum(crc32.Update(uint32(s), crc32.MakeTable(crc32.Castagnoli), []byte(part)))
}

// coders returns the compressor and the decompressor of the process. Both are safe for
// concurrent use.
var coders = sync.OnceValues(func() (*zstd.Encoder, *zstd.Decoder) {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		panic(err) // an invalid option
	}
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(2<<20))
	if err != nil {
		panic(err)
	}
	return enc, dec
})

// cutText calls put with the source of each chunk of a text, and returns the piece that
// describes them. bounds is the result of chunksOf.
func cutText(gen int64, text string, bounds []int64, put func(no int, source []byte)) *piece {
	enc, _ := coders()
	p := &piece{Gen: gen, Bytes: int64(len(text))}
	for i, end := range bounds[1:] {
		part := text[bounds[i]:end]
		z := enc.EncodeAll([]byte(part), nil)
		put(p.Units, marshal(chunk{gen, p.Units, z}))
		p.Units++
		p.Kept += int64(len(z))
		p.Sum = textSum(p.Sum, part)
	}
	return p
}

// textsBytes is how many bytes of text are fetched at once.
const textsBytes = 8 << 20

// Texts implements [store.Reader]. It fetches the next texts while fn runs.
func (v *view) Texts(ctx context.Context, ids []store.DocID, fn func(i int, text string, err error) error) error {
	list, err := v.seen(ctx, ids)
	if err != nil {
		return err
	}
	within, stop := context.WithCancel(ctx)
	defer stop()
	next := 0
	for batch := range v.batches(within, list) {
		if batch.err != nil {
			return batch.err
		}
		for _, e := range batch.list {
			var err error
			if e.Text == nil {
				err = fmt.Errorf("%s: %w", e.Doc.Name(), store.ErrNoText)
			}
			if err := fn(next, batch.texts[e], err); err != nil {
				return err
			}
			next++
		}
	}
	return ctx.Err()
}

type batch struct {
	list  []*version
	texts map[*version]string
	err   error
}

// batches fetches the texts of list, one batch ahead of the receiver.
func (v *view) batches(ctx context.Context, list []*version) <-chan batch {
	ahead := make(chan batch)
	go func() {
		defer close(ahead)
		for len(list) > 0 {
			count := atOnce(list, v.c.limits().entriesPage)
			b := batch{list: list[:count]}
			b.texts, b.err = v.texts(ctx, b.list)
			list = list[count:]
			select {
			case ahead <- b:
			case <-ctx.Done():
				return
			}
		}
	}()
	return ahead
}

// atOnce returns how many of list are fetched together: at least one, and at most most.
func atOnce(list []*version, most int) (count int) {
	room := int64(textsBytes)
	for count < len(list) && count < most {
		if t := list[count].Text; t != nil {
			if room -= t.Bytes; room < 0 && count > 0 {
				break
			}
		}
		count++
	}
	return count
}

// texts fetches the texts of some documents, and compares their lengths and checksums
// with the catalogue.
func (v *view) texts(ctx context.Context, list []*version) (map[*version]string, error) {
	parts, gens, units := map[int64]*reading{}, []int64{}, 0
	for _, e := range list {
		if e.Text != nil && parts[e.Text.Gen] == nil {
			parts[e.Text.Gen] = &reading{version: e}
			gens = append(gens, e.Text.Gen)
			units += e.Text.Units
		}
	}
	units++ // one more than there are, so that a full page does not cause another search
	if len(gens) == 1 {
		units = min(units, textsBytes/longestChunk)
	}
	query := object{"query": filter(object{"terms": object{"gen": gens}})}
	if len(gens) > 0 {
		err := each(ctx, v, "read text", textsPart, query, units, []string{"gen", "no"}, func(h *foundHit[chunk]) error {
			return parts[h.Source.Gen].add(&h.Source)
		})
		if err != nil {
			return nil, err
		}
	}
	texts := map[*version]string{}
	for _, e := range list {
		if e.Text == nil {
			continue
		}
		text, err := parts[e.Text.Gen].whole()
		if err != nil {
			return nil, err
		}
		texts[e] = text
	}
	return texts, nil
}

type reading struct {
	*version
	text strings.Builder
	next int
	sum  sum
}

func (r *reading) add(c *chunk) error {
	_, dec := coders()
	part, err := dec.DecodeAll(c.Z, nil)
	if err != nil || c.No != r.next {
		return phrase.Error("cluster.chunk", "text of {name}: chunk {chunk} of {all} is missing or cannot be decompressed: {cause}", "name", r.Doc.Name(), "chunk", r.next, "all", r.Text.Units, "cause", store.ErrDamaged)
	}
	r.next++
	r.sum = textSum(r.sum, string(part))
	r.text.Write(part)
	return nil
}

// whole returns the text, or an error if it is incomplete.
func (r *reading) whole() (string, error) {
	if r.next != r.Text.Units || r.sum != r.Text.Sum || int64(r.text.Len()) != r.Text.Bytes {
		return "", phrase.Error("cluster.text-differs", "text of {name} has {chunks} chunks, {bytes} bytes, checksum {sum}, want {wanted}, {size}, {as}: {cause}", "name", r.Doc.Name(), "chunks", r.next, "bytes", r.text.Len(), "sum", fmt.Sprintf("%x", uint64(r.sum)), "wanted", r.Text.Units, "size", r.Text.Bytes, "as", fmt.Sprintf("%x", uint64(r.Text.Sum)), "cause", store.ErrDamaged)
	}
	return r.text.String(), nil
}

func (v *view) text(ctx context.Context, e *version) (string, error) {
	texts, err := v.texts(ctx, []*version{e})
	return texts[e], err
}

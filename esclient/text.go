package esclient

import (
	"context"
	"fmt"
	"hash/crc32"
	"strings"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/otisk/otisk/store"
)

// A chunk is a piece of a text as it is kept.
type chunk struct {
	Gen int64  `json:"gen"`
	No  int    `json:"no"`
	Z   []byte `json:"z"`
}

// textSum is the checksum of a text, as far as it is known.
func textSum(s sum, part string) sum {
	return sum(crc32.Update(uint32(s), crc32.MakeTable(crc32.Castagnoli), []byte(part)))
}

// coders has one compressor and one decompressor for the whole process. Both
// are safe for use by several goroutines at once.
var coders = sync.OnceValues(func() (*zstd.Encoder, *zstd.Decoder) {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		panic(err) // a bad option
	}
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(4*chunkBytes))
	if err != nil {
		panic(err)
	}
	return enc, dec
})

// cutText calls put for each chunk of a text, and returns the piece that they
// make.
func cutText(gen int64, text string, put func(no int, source []byte) error) (*piece, error) {
	enc, _ := coders()
	p := &piece{Gen: gen, Bytes: int64(len(text))}
	for len(text) > 0 {
		part := text[:min(chunkBytes, len(text))]
		text = text[len(part):]
		z := enc.EncodeAll([]byte(part), nil)
		if err := put(p.Units, marshal(chunk{gen, p.Units, z})); err != nil {
			return nil, err
		}
		p.Units++
		p.Kept += int64(len(z))
		p.Sum = textSum(p.Sum, part)
	}
	return p, nil
}

// chunkPage is how many chunks are fetched at once: at most some 8 MB.
const chunkPage = 16

// Text returns the original text of a document, or an error wrapping
// store.ErrNotFound, or store.ErrNoText where it is not kept.
func (v *view) Text(ctx context.Context, id store.DocID) (string, error) {
	e, err := v.mustEntry(ctx, id)
	if err != nil {
		return "", err
	}
	if e.Text == nil {
		return "", fmt.Errorf("%s: %w", e.Doc.Name(), store.ErrNoText)
	}
	return v.text(ctx, e)
}

func (v *view) text(ctx context.Context, e *version) (string, error) {
	_, dec := coders()
	var text strings.Builder
	next, s := 0, sum(0)
	query := object{"query": filter(object{"term": object{"gen": e.Text.Gen}})}
	err := each(ctx, v, "read text", textsPart, query, chunkPage, []string{"no"}, func(h *foundHit[chunk]) error {
		part, err := dec.DecodeAll(h.Source.Z, nil)
		if err != nil || h.Source.No != next {
			return fmt.Errorf("text of %s, chunk %d of %d: cannot be read: %w", e.Doc.Name(), next, e.Text.Units, store.ErrDamaged)
		}
		next++
		s = textSum(s, string(part))
		text.Write(part)
		return nil
	})
	if err != nil {
		return "", err
	}
	if next != e.Text.Units || s != e.Text.Sum || int64(text.Len()) != e.Text.Bytes {
		return "", fmt.Errorf("text of %s has %d chunks, %d bytes, checksum %x, want %d, %d, %x: %w", e.Doc.Name(),
			next, text.Len(), uint64(s), e.Text.Units, e.Text.Bytes, uint64(e.Text.Sum), store.ErrDamaged)
	}
	return text.String(), nil
}

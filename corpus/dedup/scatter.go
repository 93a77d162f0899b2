package dedup

import (
	"context"
	"encoding/binary"

	"github.com/otisk/otisk/corpus/spill"
)

// scatterStep is the first pass: all n-grams are on disk, divided by their hashes.
//
// A part of [scatterParts] has the n-grams whose hash begins with its number, in
// the order of the collection, one after another:
//
//	7 bytes   the rest of the hash, low byte first
//	varint    tokens since the one that ends the n-gram before it in this part:
//	          7 bits in each byte, low ones first, the high bit set where more follow
//
// With natural text that is 8.6 bytes an n-gram.
const (
	scatterStep  = "scatter"
	scatterParts = 256
	hashBytesOn  = 7
	longestGram  = hashBytesOn + 10
	partBuffer   = 1 << 14
)

// A scatterer divides n-grams.
type scatterer struct {
	files *spill.Files
	parts [scatterParts]struct {
		buf  []byte
		last uint64 // token of the last n-gram
	}
}

// scatter runs the first pass and returns the number of tokens.
func (r *run) scatter(ctx context.Context) (total int64, err error) {
	files, err := spill.Create(r.dir.Path(scatterStep), scatterParts)
	if err != nil {
		return 0, err
	}
	s := &scatterer{files: files}
	for i := range s.parts {
		s.parts[i].buf = make([]byte, 0, partBuffer+longestGram)
	}
	done := int64(0)
	p := pass{run: r, hash: true, turn: func(b *block) error {
		if err := s.addAll(b.grams, uint64(total)); err != nil {
			return err
		}
		total += int64(b.toks)
		done += int64(len(b.Data))
		r.progress(1, done)
		return nil
	}}
	err = p.walk(ctx)
	if err == nil {
		err = s.flush()
	}
	if cerr := files.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return 0, err
	}
	return total, r.dir.Finish(scatterStep, total, files.Names()...)
}

// addAll adds the n-grams of a block whose first token is base.
func (s *scatterer) addAll(grams []gram, base uint64) error {
	for _, g := range grams {
		number := g.hash >> 56
		p := &s.parts[number]
		at, token := len(p.buf), base+uint64(g.token)
		buf := p.buf[:at+longestGram]
		binary.LittleEndian.PutUint64(buf[at:], g.hash)
		at += hashBytesOn
		since := token - p.last
		p.last = token
		for ; since >= 0x80; since >>= 7 {
			buf[at] = byte(since) | 0x80
			at++
		}
		buf[at] = byte(since)
		if p.buf = buf[:at+1]; len(p.buf) >= partBuffer {
			if err := s.files.Append(int(number), p.buf); err != nil {
				return err
			}
			p.buf = p.buf[:0]
		}
	}
	return nil
}

func (s *scatterer) flush() error {
	for i := range s.parts {
		if err := s.files.Append(i, s.parts[i].buf); err != nil {
			return err
		}
	}
	return nil
}

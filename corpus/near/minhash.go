package near

import (
	"context"
	"math"
	"math/bits"

	"github.com/otisk/otisk/corpus/ordered"
	"github.com/otisk/otisk/corpus/spill"
)

// Bands returns the numbers of bands and rows of a minhash that minimise the sum of
// false positives and false negatives for a threshold of similarity, integrated over
// all similarities.
func Bands(hashes int, threshold float64) (bands, rows int) {
	least := math.Inf(1)
	for r := 1; r <= hashes; r++ {
		for b := 1; b*r <= hashes; b++ {
			const steps = 500
			wrong := 0.0
			for i := range steps {
				s := (float64(i) + 0.5) / steps
				if p := chanceToMeet(b, r, s); s < threshold {
					wrong += p
				} else {
					wrong += 1 - p
				}
			}
			if wrong < least {
				least, bands, rows = wrong, b, r
			}
		}
	}
	return bands, rows
}

// chanceToMeet returns the probability that two sets of a similarity share a band.
func chanceToMeet(bands, rows int, similarity float64) float64 {
	return 1 - math.Pow(1-math.Pow(similarity, float64(rows)), float64(bands))
}

// Recall estimates the share of all pairs that was found, from 0 to 1: a found pair
// that had a probability of 1/2 represents two pairs.
func (d *Data) Recall(pairs []Pair) float64 {
	b, r := Bands(d.o.Hashes, d.o.Threshold)
	all := 0.0
	for _, p := range pairs {
		all += 1 / chanceToMeet(b, r, d.Similarity(p))
	}
	if all == 0 {
		return chanceToMeet(b, r, d.o.Threshold)
	}
	return float64(len(pairs)) / all
}

// minhashPairs finds candidates that share a band of their minhashes and compares them.
func (d *Data) minhashPairs(ctx context.Context) (pairs []Pair, err error) {
	j := &joiner{d: d, shift: max(0, bits.Len(uint(len(d.Docs)))-8), source: setsFile}
	for _, doc := range d.Docs {
		j.ranks = append(j.ranks, rank{doc.set, doc.Size})
	}
	if j.files, err = spill.Create(d.dir.Path("bands"), parts); err != nil {
		return nil, err
	}
	defer j.files.Remove()
	if j.out, err = spill.Create(d.dir.Path("candidates"), parts); err != nil {
		return nil, err
	}
	defer j.out.Remove()
	w := newEntries(j.files)
	err = ordered.Run(ctx, d.eachBatch, d.o.newBander, func(list []entry) error {
		for _, e := range list {
			if err := w.add(e); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		err = w.flush()
	}
	if err == nil {
		err = j.meet(ctx, allPairs)
	}
	if err != nil {
		return nil, err
	}
	return j.verify(ctx)
}

// newBander returns a function that computes the bands of the documents of a batch.
func (o *Options) newBander() func(*batch) ([]entry, error) {
	bands, rows := Bands(o.Hashes, o.Threshold)
	least := make([]uint64, bands*rows)
	factors := make([]uint64, len(least))
	for i := range factors {
		factors[i] = mix(uint64(i)+1) | 1
	}
	return func(b *batch) (list []entry, err error) {
		b.each(func(doc int, hashes []uint64) {
			if len(hashes) == 0 {
				return
			}
			minhash(hashes, factors, least)
			for band := range bands {
				key := uint64(band)
				for _, h := range least[band*rows : (band+1)*rows] {
					key = mix(key ^ h)
				}
				list = append(list, entry{key: key, doc: uint32(doc)})
			}
		})
		return list, nil
	}
}

// minhash sets least to the minimum of each hash function over the hashes.
func minhash(hashes, factors, least []uint64) {
	for i := range least {
		least[i] = math.MaxUint64
	}
	for _, h := range hashes {
		for i, f := range factors {
			if v := (h ^ f) * f; v < least[i] {
				least[i] = v
			}
		}
	}
}

// allPairs records all pairs of documents in a band as candidates.
func allPairs(m *meeting, group []entry) error {
	for i, a := range group {
		for _, b := range group[i+1:] {
			if err := m.candidate(a.doc, b.doc); err != nil {
				return err
			}
		}
	}
	return nil
}

package segment

// runs are runs of one list, to be written as one segment. A group of chunks corresponds to
// one bucket; or one chunk corresponds to several buckets.
type runs []*run

// newRunMerger returns a merger for runs of the same n that have n-grams.
func newRunMerger(list runs) *merger {
	m := &merger{n: list[0].n, from: list}
	entries, grams := uint64(0), uint64(0)
	for _, r := range list {
		for _, p := range r.pieces {
			p.first += uint32(grams)
			m.pieces = append(m.pieces, p)
		}
		entries, grams = entries+r.entries, grams+r.grams
	}
	m.geometry = geometryFor(m.n, entries, grams)
	m.group = m.cb - min(m.cb, list[0].full.cb)
	return m
}

// giveBack implements [intake]. Spills are not mapped.
func (list runs) giveBack(geometry, int) {}

// A grouped holds the chunks of a group.
type grouped struct {
	chunks [][]uint64 // entries of each chunk
	bucket []uint64   // entries of a run's bucket
	buf    []byte
}

// gather implements [intake].
func (list runs) gather(c *chunkMerger, i uint64) error {
	clear(c.counts)
	at := i & (1<<c.m.group - 1)
	if at == 0 {
		if err := list.group(c, i>>c.m.group); err != nil {
			return err
		}
	}
	c.entries = c.group.chunks[at]
	return nil
}

// group distributes the entries of a group over c.group.chunks.
func (list runs) group(c *chunkMerger, group uint64) (err error) {
	g := &c.group
	if g.chunks == nil {
		g.chunks = make([][]uint64, 1<<c.m.group)
	}
	for i := range g.chunks {
		g.chunks[i] = g.chunks[i][:0]
	}
	perChunk := len(list[0].buckets) << c.m.group >> c.m.cb
	grams := uint64(0)
	for _, r := range list {
		for i := group * uint64(perChunk); i < (group+1)*uint64(perChunk); i++ {
			if g.bucket, err = r.appendBucket(g.bucket[:0], &g.buf, int(i)); err != nil {
				return err
			}
			g.spread(c.m.geometry, r, i<<r.bucketShift, grams)
		}
		grams += r.grams
	}
	return nil
}

// spread distributes the entries of a bucket of r over the chunks of geometry to. The
// hashes start with top; shift is added to the ordinals.
func (g *grouped) spread(to geometry, r *run, top, shift uint64) {
	from, up, down, mask := r.entryShift&63, to.entryShift()&63, to.chunkShift()&63, uint64(len(g.chunks)-1)
	ordinals := uint64(1)<<from - 1
	for _, e := range g.bucket {
		h := top | e>>from
		i := h >> down & mask
		g.chunks[i] = append(g.chunks[i], h<<up|(e&ordinals+shift))
	}
}

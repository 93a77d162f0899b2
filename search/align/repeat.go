package align

import (
	"math/bits"
	"slices"
)

// Lengths of repeated stretches.
const (
	// leastRepeat is the least number of words of a repeated stretch. A passage has
	// as many, a running title has fewer.
	leastRepeat = 16
	// repeatSeed is the length of the runs by which stretches are found: any
	// leastRepeat-1 words hold such a run that begins at a multiple of repeatSeed.
	repeatSeed = leastRepeat / 2
	// leastDifferent is the least number of different words of a seed: a column of
	// zeros repeats nothing.
	leastDifferent = 5
)

// originsOf returns the origin of each word: its own place, or, if the word is part of
// a stretch that the text has before, the place of the first copy of the word. It
// returns nil if the text repeats no stretch of leastRepeat words.
//
// The occurrences of a word are counted by origin: all copies of a stretch count as
// one. So neither weights nor limits depend on how often a stretch is repeated.
func originsOf(keys []int32) []int32 {
	if len(keys) < leastRepeat+repeatSeed {
		return nil
	}
	slots := make([]int32, 1<<bits.Len(uint(len(keys)/repeatSeed*2))) // by hash: place of a seed, plus 1
	mask := uint64(len(slots) - 1)
	filter := make([]uint64, (len(slots)+7)/8) // of hashes of seeds: most places are those of none
	seek := func(hash uint64, at int32) (slot uint64) {
		for slot = hash & mask; slots[slot] != 0; slot = (slot + 1) & mask {
			if p := slots[slot] - 1; slices.Equal(keys[p:p+repeatSeed], keys[at:at+repeatSeed]) {
				break
			}
		}
		return slot
	}
	var origin []int32
	done := int32(0) // words before it are in a stretch that was found
	for at, code := range eachGram(keys, repeatSeed) {
		hash := code * hashBase
		hash ^= hash >> 32
		bit := hash >> 8 & uint64(64*len(filter)-1)
		if at >= done && filter[bit/64]&(1<<(bit%64)) != 0 {
			slot := seek(hash, at)
			if p := slots[slot] - 1; p >= 0 && different(keys[at:at+repeatSeed]) {
				if s, shift := repeatAt(keys, p, at, done); s.len() >= leastRepeat {
					origin = repeatOf(origin, s, shift, len(keys))
					done = s.to
				}
			}
		}
		if at%repeatSeed == 0 {
			filter[bit/64] |= 1 << (bit % 64)
			if slot := seek(hash, at); slots[slot] == 0 {
				slots[slot] = at + 1
			}
		}
	}
	return origin
}

// repeatAt returns the longest stretch around place at whose words are those around
// the earlier place p, and the distance of the two. It begins no earlier than from.
func repeatAt(keys []int32, p, at, from int32) (s span, shift int32) {
	shift = at - p
	s = span{at, at + repeatSeed}
	for s.from > from && s.from > shift && keys[s.from-1] == keys[s.from-1-shift] {
		s.from--
	}
	for int(s.to) < len(keys) && keys[s.to] == keys[s.to-shift] {
		s.to++
	}
	return s, shift
}

// repeatOf sets the origins of a stretch to those of the words shift places earlier.
// If origin is nil, it makes one.
func repeatOf(origin []int32, s span, shift int32, words int) []int32 {
	if origin == nil {
		origin = make([]int32, words)
		for i := range origin {
			origin[i] = int32(i)
		}
	}
	for i := s.from; i < s.to; i++ {
		origin[i] = origin[i-shift]
	}
	return origin
}

// different reports whether enough words of a seed differ.
func different(seed []int32) bool {
	n := 0
	for i, k := range seed {
		if !slices.Contains(seed[:i], k) {
			n++
		}
	}
	return n >= leastDifferent
}

// originsIn returns the origins of the words [from, to), counted from the first of
// them. It returns nil if no word there has the origin of another.
func originsIn(all []int32, from, to int) []int32 {
	if all == nil {
		return nil
	}
	first := make(map[int32]int32, to-from) // by origin: its first place
	out := make([]int32, to-from)
	for i, o := range all[from:to] {
		at, known := first[o]
		if !known {
			at = int32(i)
			first[o] = at
		}
		out[i] = at
	}
	if len(first) == len(out) {
		return nil
	}
	return out
}

// Repeats returns the origin of each word, or nil if no stretch of the text is
// repeated: the place of the first copy of a word that is part of a repeated
// stretch, and the word's own place for any other. The caller must not change it.
func (p *Prepared) Repeats() []int32 {
	if p.pieces == nil || p.origins() == nil {
		return p.origins()
	}
	return p.pieces.originsOf(p.origins())
}

// Different returns the number of words without those of stretches that the text has
// before.
func (p *Prepared) Different() int { return differing(p.Repeats(), len(p.asText().Words)) }

// differing returns the number of words that have no earlier origin, of so many.
func differing(origins []int32, words int) int {
	for i, o := range origins {
		if int(o) != i {
			words--
		}
	}
	return words
}

// copied reports whether a word is part of a stretch that the text has before.
func (d *side) copied(i int32) bool { return d.origin != nil && d.origin[i] != i }

// copyStarts reports whether a copy of an earlier stretch begins with a word.
func (d *side) copyStarts(i int32) bool {
	return d.copied(i) && (i == 0 || d.origin[i] != d.origin[i-1]+1)
}

// copyOf reports whether more than half of the words of a stretch have the origin of
// a word of one of the others.
func (d *side) copyOf(s span, others []span) bool {
	if d.origin == nil {
		return false
	}
	known := map[int32]bool{}
	for _, o := range others {
		for _, at := range d.origin[o.from:o.to] {
			known[at] = true
		}
	}
	n := 0
	for _, at := range d.origin[s.from:s.to] {
		if known[at] {
			n++
		}
	}
	return 2*n > s.len()
}

// around returns s with up to reach more words on both sides. It stops before a word
// that is a copy of one in s: there a stretch begins again, or has ended before.
func (d *side) around(s span, reach int32) span {
	out := span{max(0, s.from-reach), min(int32(d.Len()), s.to+reach)}
	if d.origin == nil {
		return out
	}
	inside := func(i int32) bool { return slices.Contains(d.origin[s.from:s.to], d.origin[i]) }
	for i := s.to; i < out.to; i++ {
		if inside(i) {
			out.to = i
		}
	}
	for i := s.from - 1; i >= out.from; i-- {
		if inside(i) {
			out.from = i + 1
		}
	}
	return out
}

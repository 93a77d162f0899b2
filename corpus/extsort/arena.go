package extsort

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"
)

const (
	pieceBits  = 20
	pieceBytes = 1 << pieceBits
	mostPieces = 1 << (32 - pieceBits)       // so that places have 32 bits
	mostArena  = mostPieces / 4 * pieceBytes // of records: pieces are more than half full
)

// An arena has the bytes of records, in pieces, so that they never move: what grows as one
// piece is there twice while it grows.
type arena struct {
	pieces [][]byte // of pieceBytes, or one record that is longer than half of one
	at     int      // piece that the next short record goes to
	size   int      // bytes of records
	free   [][]byte // pieces of pieceBytes for later
}

// An entry is a record in an arena: eight of its bytes as a number, and its place.
type entry struct {
	head     uint64
	at, size uint32 // number of the piece and place in it
}

// fits reports whether a short record has room in the piece that the last one went to. None
// starts at the end of a piece, whose place would have more bits.
func (a *arena) fits(size int) bool {
	return len(a.pieces) > 0 && cap(a.pieces[a.at])-len(a.pieces[a.at]) > size
}

// add copies a record, and returns its place.
func (a *arena) add(record []byte) uint32 {
	a.size += len(record)
	if len(record) > pieceBytes/2 {
		a.pieces = append(a.pieces, slices.Clip(bytes.Clone(record)))
		return uint32(len(a.pieces)-1) << pieceBits
	}
	if !a.fits(len(record)) {
		a.at = len(a.pieces)
		a.pieces = append(a.pieces, a.piece())
	}
	p := &a.pieces[a.at]
	place := uint32(a.at)<<pieceBits | uint32(len(*p))
	*p = append(*p, record...)
	return place
}

// piece returns a piece that is empty.
func (a *arena) piece() []byte {
	if last := len(a.free) - 1; last >= 0 {
		p := a.free[last]
		a.free = a.free[:last]
		return p
	}
	return make([]byte, 0, pieceBytes)
}

// reset makes the arena empty, and keeps its pieces for later.
func (a *arena) reset() {
	for _, p := range a.pieces {
		if cap(p) == pieceBytes {
			a.free = append(a.free, p[:0])
		}
	}
	clear(a.pieces)
	a.pieces, a.at, a.size = a.pieces[:0], 0, 0
}

func (a *arena) record(e entry) []byte {
	p := a.pieces[e.at>>pieceBits]
	at := e.at & (pieceBytes - 1)
	return p[at : at+e.size]
}

// sort sorts entries by their records, whose heads are their first bytes.
func (a *arena) sort(list []entry) { a.sortFrom(list, headBytes) }

// sortFrom sorts entries whose records have the same bytes before their heads, which end at
// a place. It compares heads, which are at hand, and takes the bytes after them from the
// records only where heads are equal.
func (a *arena) sortFrom(list []entry, end int) {
	slices.SortFunc(list, func(a, b entry) int {
		switch {
		case a.head < b.head:
			return -1
		case a.head > b.head:
			return 1
		}
		return 0
	})
	for from, to := 0, 1; from < len(list); from, to = to, to+1 {
		for to < len(list) && list[to].head == list[from].head {
			to++
		}
		if to-from > 1 {
			a.sortEqual(list[from:to], end)
		}
	}
}

// few entries are compared as they are: heads do not pay for them.
const few = 8

// sortEqual sorts entries with the same head.
func (a *arena) sortEqual(list []entry, end int) {
	if len(list) <= few {
		slices.SortFunc(list, func(x, y entry) int { return bytes.Compare(a.record(x), a.record(y)) })
		return
	}
	// Those that have no more bytes begin the others. A head has zero bytes after their end.
	ended := 0
	for i, e := range list {
		if int(e.size) <= end {
			list[i], list[ended] = list[ended], e
			ended++
		}
	}
	slices.SortFunc(list[:ended], func(a, b entry) int { return cmp.Compare(a.size, b.size) })
	for i, e := range list[ended:] {
		list[ended+i].head = head(a.record(e)[end:])
	}
	a.sortFrom(list[ended:], end+headBytes)
}

// headBytes are in a head.
const headBytes = 8

// head returns the first bytes of a record as a number that is in their order.
func head(record []byte) uint64 {
	if len(record) >= headBytes {
		return binary.BigEndian.Uint64(record)
	}
	var b [headBytes]byte
	copy(b[:], record)
	return binary.BigEndian.Uint64(b[:])
}

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
	mostPieces = 1 << (32 - pieceBits)       // so that a position fits in 32 bits
	mostArena  = mostPieces / 4 * pieceBytes // limit of all records: pieces are more than half full
)

// An arena stores the bytes of records in pieces that never move. A single growing slice
// would need its memory twice whenever it is copied.
type arena struct {
	pieces [][]byte // of pieceBytes, or one record that is longer than half of one
	at     int      // index of the piece for the next short record
	size   int      // total bytes of records
	free   [][]byte // unused pieces of pieceBytes
}

// An entry is a record in an arena: eight of its bytes as a number, and its position.
type entry struct {
	head     uint64
	at, size uint32 // number of the piece and place in it
}

// fits reports whether the current piece has room for a short record. No record starts at
// the end of a piece, because that position would not fit in pieceBits.
func (a *arena) fits(size int) bool {
	return len(a.pieces) > 0 && cap(a.pieces[a.at])-len(a.pieces[a.at]) > size
}

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

func (a *arena) piece() []byte {
	if last := len(a.free) - 1; last >= 0 {
		p := a.free[last]
		a.free = a.free[:last]
		return p
	}
	return make([]byte, 0, pieceBytes)
}

// reset empties the arena and keeps its pieces for reuse.
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

// sortFrom sorts entries whose heads end at the offset end of their records and whose records
// are equal before their heads. It reads bytes after the heads from the records only if two
// heads are equal.
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

// few is the number of entries up to which comparing whole records is faster than heads.
const few = 8

func (a *arena) sortEqual(list []entry, end int) {
	if len(list) <= few {
		slices.SortFunc(list, func(x, y entry) int { return bytes.Compare(a.record(x), a.record(y)) })
		return
	}
	// Records that end within the head are prefixes of the others: heads are padded with zeros.
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

const headBytes = 8

// head returns the first bytes of a record as a big-endian number, which sorts as they do.
func head(record []byte) uint64 {
	if len(record) >= headBytes {
		return binary.BigEndian.Uint64(record)
	}
	var b [headBytes]byte
	copy(b[:], record)
	return binary.BigEndian.Uint64(b[:])
}

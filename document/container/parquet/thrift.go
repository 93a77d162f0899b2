package parquet

import (
	"bufio"
	"encoding/binary"
	"io"
	"math"
)

// A thrift reads values in the compact protocol of Apache Thrift. Lists and structures are read
// by functions that are called for each of their parts, so a length that is not true costs
// nothing. After the first error, everything is zero and empty.
type thrift struct {
	from  *bufio.Reader
	depth int // of values that are skipped
	err   error
}

// Kinds of values.
const (
	kindTrue   = 1
	kindFalse  = 2
	kindByte   = 3
	kindInt64  = 6 // 4 and 5 are shorter integers
	kindDouble = 7
	kindBytes  = 8
	kindList   = 9
	kindSet    = 10
	kindStruct = 12
)

// maxThrift is the deepest nesting of values that are skipped, and maxString the longest string.
const maxThrift, maxString = 64, 1 << 16

// check sets the error if a value is not as it must be, and reports whether there is none.
func (t *thrift) check(ok bool) bool {
	if t.err == nil && !ok {
		t.err = errInconsistent
	}
	return t.err == nil
}

func (t *thrift) uint() (n uint64) {
	if t.err == nil {
		n, t.err = binary.ReadUvarint(t.from)
	}
	return n
}

func (t *thrift) byte() (b byte) {
	if t.err == nil {
		b, t.err = t.from.ReadByte()
	}
	return b
}

// int returns an integer.
func (t *thrift) int(kind byte) int64 {
	if !t.check(kind > kindByte && kind <= kindInt64) {
		return 0
	}
	n := t.uint()
	return int64(n>>1) ^ -int64(n&1)
}

func (t *thrift) string(kind byte) string {
	n := t.uint()
	if !t.check(kind == kindBytes && n <= maxString) {
		return ""
	}
	b := make([]byte, n)
	_, t.err = io.ReadFull(t.from, b)
	return string(b)
}

// fields calls read for each field of a structure. It must read or skip the value.
func (t *thrift) fields(kind byte, read func(id int64, kind byte)) {
	id := int64(0)
	for t.check(kind == kindStruct) {
		head := t.byte()
		switch {
		case head == 0:
			return
		case head>>4 == 0:
			id = t.int(kindInt64)
		default:
			id += int64(head >> 4)
		}
		read(id, head&15)
	}
}

// list calls read for each element of a list. It must read or skip the value.
func (t *thrift) list(kind byte, read func(kind byte)) {
	head := t.byte()
	n := uint64(head >> 4)
	if n == 15 {
		n = t.uint()
	}
	for ; n > 0 && t.check(kind == kindList || kind == kindSet); n-- {
		read(head & 15)
	}
}

// skip skips the value of a field.
func (t *thrift) skip(kind byte) {
	if t.depth++; !t.check(t.depth < maxThrift) {
		return
	}
	defer func() { t.depth-- }()
	switch kind {
	case kindTrue, kindFalse: // the kind is the value
	case kindByte:
		t.byte()
	case kindByte + 1, kindByte + 2, kindInt64:
		t.uint()
	case kindDouble:
		t.discard(8)
	case kindBytes:
		t.discard(t.uint())
	case kindList, kindSet:
		t.list(kind, func(kind byte) {
			if kind <= kindFalse {
				kind = kindByte // a list of truth values has a byte for each
			}
			t.skip(kind)
		})
	case kindStruct:
		t.fields(kind, func(_ int64, kind byte) { t.skip(kind) })
	default:
		t.check(false)
	}
}

func (t *thrift) discard(n uint64) {
	if t.check(n <= math.MaxInt32) {
		_, t.err = t.from.Discard(int(n))
	}
}

package parquet

import (
	"bufio"
	"encoding/binary"
	"io"
	"math"
	"reflect"
	"strconv"
)

// A decoder reads structures in the compact protocol of Apache Thrift. The tag of a field of a
// Go structure is the number of the field that is read into it; other fields are skipped, so a
// length that is not true costs nothing. After an error, everything is zero and empty.
type decoder struct {
	*bufio.Reader
	depth int
	made  int // elements of lists that are not skipped
	err   error
}

const (
	maxDepth  = 64 // of nested values
	maxMade   = 1 << 22
	maxString = 1 << 16
)

// check reports whether no error has occurred. If ok is false, it records that the content is inconsistent.
func (d *decoder) check(ok bool) bool {
	if d.err == nil && !ok {
		d.err = errInconsistent
	}
	return d.err == nil
}

func (d *decoder) byte() (b byte) {
	if d.err == nil {
		b, d.err = d.ReadByte()
	}
	return b
}

func (d *decoder) uint() (n uint64) {
	if d.err == nil {
		n, d.err = binary.ReadUvarint(d)
	}
	return n
}

func signed(n uint64) int64 { return int64(n>>1) ^ -int64(n&1) }

// value reads a value of a kind into v if it fits, and skips it otherwise.
func (d *decoder) value(kind byte, v reflect.Value) {
	d.depth++
	defer func() { d.depth-- }()
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	switch d.check(d.depth < maxDepth); kind {
	case 1, 2: // true and false
		if v.Kind() == reflect.Bool {
			v.SetBool(kind == 1)
		}
	case 3:
		d.byte()
	case 4, 5, 6: // integers of 16, 32 and 64 bits
		if n := signed(d.uint()); v.Kind() == reflect.Int64 {
			v.SetInt(n)
		}
	case 7: // a floating-point number
		d.bytes(8, reflect.Value{})
	case 8:
		d.bytes(d.uint(), v)
	case 9, 10:
		d.list(v)
	case 12:
		d.structure(v)
	default:
		d.check(false)
	}
}

func (d *decoder) bytes(n uint64, v reflect.Value) {
	switch {
	case !d.check(n <= math.MaxInt32):
	case v.Kind() != reflect.String:
		_, d.err = d.Discard(int(n))
	case d.check(n <= maxString):
		b := make([]byte, n)
		_, d.err = io.ReadFull(d, b)
		v.SetString(string(b))
	}
}

func (d *decoder) list(v reflect.Value) {
	head := d.byte()
	n, kind := uint64(head>>4), head&15
	if n == 15 {
		n = d.uint()
	}
	if kind <= 2 {
		kind = 3 // true and false have a byte each
	}
	for ; n > 0 && d.err == nil; n-- {
		var element reflect.Value
		if v.Kind() == reflect.Slice {
			d.made++
			d.check(d.made <= maxMade)
			v.Grow(1)
			v.SetLen(v.Len() + 1)
			element = v.Index(v.Len() - 1)
		}
		d.value(kind, element)
	}
}

func (d *decoder) structure(v reflect.Value) {
	for id := int64(0); ; {
		head := d.byte()
		if head == 0 {
			return
		}
		if id += int64(head >> 4); head>>4 == 0 {
			id = signed(d.uint())
		}
		var field reflect.Value
		for i := 0; v.Kind() == reflect.Struct && i < v.NumField(); i++ {
			if v.Type().Field(i).Tag.Get("id") == strconv.FormatInt(id, 10) {
				field = v.Field(i)
			}
		}
		d.value(head&15, field)
	}
}

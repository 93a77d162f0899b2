package parquet

import (
	"encoding/binary"
	"io"
	"math"
	"strconv"
)

// Encodings of values and levels.
const (
	encodingPlain       = 0
	encodingPlainIndex  = 2 // as encodingIndex
	encodingRLE         = 3
	encodingBitPacked   = 4
	encodingDelta       = 5
	encodingDeltaLength = 6
	encodingDeltaBytes  = 7
	encodingIndex       = 8
	encodingSplit       = 9
)

// values returns the next value of a page.
type values func() ([]byte, error)

// decoder returns the values of a page.
func (c *cursor) decoder(encoding int64, data []byte) (values, error) {
	isInteger := c.Kind == Int32 || c.Kind == Int64
	isBytes := c.Kind == ByteArray || c.Kind == FixedLenByteArray
	switch {
	case encoding == encodingPlain && c.Kind == Boolean:
		return booleans(hybrid{packed: data, isPacked: true, width: 1, count: 8 * len(data), left: 8 * len(data)}), nil
	case encoding == encodingPlain:
		return c.plain(data), nil
	case encoding == encodingRLE && c.Kind == Boolean:
		part, _, err := prefixed(data)
		return booleans(hybrid{data: part, width: 1}), err
	case encoding == encodingIndex || encoding == encodingPlainIndex:
		return c.indexed(data)
	case encoding == encodingDelta && isInteger:
		d, err := newDelta(data)
		buf := make([]byte, 8)
		return func() ([]byte, error) {
			n, err := d.next()
			binary.LittleEndian.PutUint64(buf, uint64(n))
			return buf[:c.size], err
		}, err
	case encoding == encodingDeltaLength && isBytes:
		return deltaLength(data)
	case encoding == encodingDeltaBytes && isBytes:
		return c.deltaBytes(data)
	case encoding == encodingSplit && c.Kind != Boolean && c.Kind != ByteArray:
		return c.split(data), nil
	}
	return nil, unsupported("encoding " + strconv.FormatInt(encoding, 10))
}

// plain returns values that follow each other.
func (c *cursor) plain(data []byte) values {
	return func() (v []byte, err error) {
		switch {
		case c.Kind == ByteArray:
			v, data, err = prefixed(data)
		case len(data) < c.size:
			err = io.ErrUnexpectedEOF
		default:
			v, data = data[:c.size], data[c.size:]
		}
		return v, err
	}
}

func booleans(h hybrid) values {
	both := []byte{0, 1}
	return func() ([]byte, error) {
		i, err := h.next()
		return both[i : i+1], err
	}
}

// dictionaryOf returns a function that returns the value with an index.
func (c *cursor) dictionaryOf(data []byte, entries int64) (func(i uint64) ([]byte, error), error) {
	next := c.plain(data)
	if c.Kind == Boolean {
		return nil, unsupported("dictionary of BOOLEAN")
	}
	var ends []uint32 // offsets of the ends of the values that have different lengths
	for ; c.Kind == ByteArray && entries > 0; entries-- {
		v, err := next()
		if err != nil {
			return nil, err
		}
		end := uint32(4 + len(v))
		if len(ends) > 0 {
			end += ends[len(ends)-1]
		}
		ends = append(ends, end)
	}
	return func(i uint64) ([]byte, error) {
		switch {
		case c.Kind != ByteArray && i < uint64(entries) && (i+1)*uint64(c.size) <= uint64(len(data)):
			return data[i*uint64(c.size):][:c.size], nil
		case i >= uint64(len(ends)):
			return nil, errInconsistent
		case i == 0:
			return data[4:ends[0]], nil
		}
		return data[ends[i-1]+4 : ends[i]], nil
	}, nil
}

// indexed returns values of the dictionary.
func (c *cursor) indexed(data []byte) (values, error) {
	if c.dictionary == nil || len(data) > 0 && data[0] > 32 {
		return nil, errInconsistent
	}
	var h hybrid
	if len(data) > 0 {
		h = hybrid{data: data[1:], width: int(data[0])}
	}
	return func() ([]byte, error) {
		i, err := h.next()
		if err != nil {
			return nil, err
		}
		return c.dictionary(i)
	}, nil
}

// deltaLength returns values whose lengths come first.
func deltaLength(data []byte) (values, error) {
	lengths, data, err := newDeltas(data)
	return func() ([]byte, error) {
		n, err := lengths.next()
		if err != nil || n < 0 || n > int64(len(data)) {
			return nil, orInconsistent(err)
		}
		v := data[:n]
		data = data[n:]
		return v, nil
	}, err
}

// deltaBytes returns values that start as the one before: the lengths of what they share come
// first.
func (c *cursor) deltaBytes(data []byte) (values, error) {
	shared, data, err := newDeltas(data)
	if err != nil {
		return nil, err
	}
	rest, err := deltaLength(data)
	var last []byte
	return func() ([]byte, error) {
		n, err := shared.next()
		if err != nil || n < 0 || n > int64(len(last)) {
			return nil, orInconsistent(err)
		}
		part, err := rest()
		last = append(last[:n], part...)
		if err == nil && c.Kind == FixedLenByteArray && len(last) != c.size {
			err = errInconsistent
		}
		return last, err
	}, err
}

func orInconsistent(err error) error {
	if err == nil {
		return errInconsistent
	}
	return err
}

// split returns values whose first bytes come first, then their second bytes, and so on.
func (c *cursor) split(data []byte) values {
	buf, i, count := make([]byte, c.size), 0, len(data)/max(c.size, 1)
	return func() ([]byte, error) {
		if i >= count && c.size > 0 {
			return nil, io.ErrUnexpectedEOF
		}
		for j := range buf {
			buf[j] = data[j*count+i]
		}
		i++
		return buf, nil
	}
}

// A hybrid reads small numbers in runs: a run repeats one number, or has several of width bits
// each.
type hybrid struct {
	data  []byte // of the runs after this one
	width int
	left  int // numbers left in the run

	value      uint64 // that is repeated
	isPacked   bool   // the run has several numbers
	packed     []byte // the numbers of the run
	count      int    // of them
	isReversed bool   // they start at the highest bit of a byte
}

func (h *hybrid) next() (uint64, error) {
	n, err := h.peek()
	h.left--
	return n, err
}

// peek returns the next number without a step to the one after it.
func (h *hybrid) peek() (uint64, error) {
	for h.left <= 0 {
		if err := h.run(); err != nil {
			return 0, err
		}
	}
	if !h.isPacked {
		return h.value, nil
	}
	at := (h.count - h.left) * h.width
	switch {
	case at+h.width > 8*len(h.packed):
		return 0, io.ErrUnexpectedEOF
	case h.isReversed:
		n := uint64(0)
		for i := at; i < at+h.width; i++ {
			n = n<<1 | uint64(h.packed[i/8]>>(7-i%8)&1)
		}
		return n, nil
	}
	return bitsAt(h.packed, at, h.width), nil
}

// run starts the next run.
func (h *hybrid) run() error {
	head, n := binary.Uvarint(h.data)
	if n <= 0 || head > math.MaxUint32 {
		return io.ErrUnexpectedEOF
	}
	h.data = h.data[n:]
	size := (h.width + 7) / 8
	if h.count, h.isPacked = int(head>>1), head&1 != 0; h.isPacked {
		size = min(h.count*h.width, len(h.data)) // the last run may be truncated
		h.count *= 8
	}
	if size > len(h.data) {
		return io.ErrUnexpectedEOF
	}
	h.left, h.packed = h.count, h.data[:size]
	if !h.isPacked {
		h.value = bitsAt(h.packed, 0, 8*size)
	}
	h.data = h.data[size:]
	return nil
}

// bitsAt returns the number of width bits, of 64 at most, that starts at a bit of data.
func bitsAt(data []byte, at, width int) (n uint64) {
	data = data[at/8:]
	if len(data) >= 8 {
		n = binary.LittleEndian.Uint64(data)
	} else {
		for i, b := range data {
			n |= uint64(b) << (8 * i)
		}
	}
	n >>= at % 8
	if over := at%8 + width - 64; over > 0 {
		n |= uint64(data[8]) << (width - over)
	}
	if width < 64 {
		n &= 1<<width - 1
	}
	return n
}

// A delta reads integers that are stored as differences, in blocks of parts. A part has numbers
// of a width of its own: the differences less the smallest one of the block.
type delta struct {
	data   []byte // after this part
	parts  uint64 // in a block
	per    uint64 // differences in a part
	total  uint64 // integers not read yet
	value  int64  // the next integer, less the difference if it is not the first one
	least  int64  // difference of the block
	widths []byte // of the parts of the block not read yet

	packed      []byte // this part
	width, left int    // of its differences; their number
	isStarted   bool
}

func newDelta(data []byte) (*delta, error) {
	d := &delta{data: data}
	size := d.uint()
	d.parts, d.total = d.uint(), d.uint()
	d.value = d.int()
	if d.parts > 0 {
		d.per = size / d.parts
	}
	if d.data == nil || d.total > 1 && (d.per == 0 || d.per%8 != 0 || d.per > math.MaxInt32) {
		return nil, errInconsistent
	}
	return d, nil
}

// newDeltas also returns what follows the integers.
func newDeltas(data []byte) (d *delta, rest []byte, err error) {
	if d, err = newDelta(data); err != nil {
		return nil, nil, err
	}
	end := *d
	for n := end.total; n > 1 && err == nil; n -= min(n-1, d.per) {
		err = end.part()
	}
	return d, end.data, err
}

// uint returns the number at the start of the data, and sets them to nil if there is none.
func (d *delta) uint() uint64 {
	n, size := binary.Uvarint(d.data)
	if d.data = d.data[max(size, 0):]; size <= 0 {
		d.data = nil
	}
	return n
}

func (d *delta) int() int64 {
	n := d.uint()
	return int64(n>>1) ^ -int64(n&1)
}

func (d *delta) next() (int64, error) {
	if d.total == 0 {
		return 0, io.ErrUnexpectedEOF
	}
	if d.isStarted {
		if d.left == 0 {
			if err := d.part(); err != nil {
				return 0, err
			}
		}
		d.value += d.least + int64(bitsAt(d.packed, (int(d.per)-d.left)*d.width, d.width))
		d.left--
	}
	d.isStarted = true
	d.total--
	return d.value, nil
}

// part starts the next part.
func (d *delta) part() error {
	if len(d.widths) == 0 {
		d.least = d.int()
		if uint64(len(d.data)) < d.parts {
			return io.ErrUnexpectedEOF
		}
		d.widths, d.data = d.data[:d.parts], d.data[d.parts:]
	}
	d.width, d.left = int(d.widths[0]), int(d.per)
	d.widths = d.widths[1:]
	size := d.left / 8 * d.width
	if size > len(d.data) || d.width > 64 {
		return io.ErrUnexpectedEOF
	}
	d.packed, d.data = d.data[:size], d.data[size:]
	return nil
}

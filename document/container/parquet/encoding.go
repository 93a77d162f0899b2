package parquet

import (
	"encoding/binary"
	"io"
	"math"
)

const (
	encodingPlain      = iota
	_                  // never used
	encodingPlainIndex // as encodingIndex
	encodingRLE
	encodingBitPacked // of levels
	encodingDelta
	encodingDeltaLength
	encodingDeltaBytes
	encodingIndex
	encodingSplit
)

// values returns a function that returns the next value of a page.
func (c *cursor) values(encoding int64, data []byte) (func() ([]byte, error), error) {
	isBytes := c.Kind == ByteArray || c.Kind == FixedLenByteArray
	switch {
	case encoding == encodingPlain:
		return c.plain(data), nil
	case encoding == encodingRLE && c.Kind == Boolean:
		part, _, _ := prefixed(data) // without, the page has only nulls
		return booleans(levels{data: part, width: 1}), nil
	case encoding == encodingIndex || encoding == encodingPlainIndex:
		return c.indexed(data)
	case encoding == encodingDelta && (c.Kind == Int32 || c.Kind == Int64):
		d, _, err := newDelta(data)
		buf := make([]byte, 8)
		return func() ([]byte, error) {
			n, err := d.next()
			binary.LittleEndian.PutUint64(buf, uint64(n))
			return buf[:c.size], err
		}, err
	case encoding == encodingDeltaLength && isBytes:
		d, rest, err := newDelta(data)
		return deltaLength(d, rest), err
	case encoding == encodingDeltaBytes && isBytes:
		return deltaBytes(data)
	case encoding == encodingSplit && c.size > 0:
		return c.split(data), nil
	}
	return nil, unsupported("encoding", encoding)
}

// plain returns values that follow each other.
func (c *cursor) plain(data []byte) func() ([]byte, error) {
	if c.Kind == Boolean {
		return booleans(levels{packed: data, isPacked: true, width: 1, count: 8 * len(data), left: 8 * len(data)})
	}
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

func booleans(l levels) func() ([]byte, error) {
	both := []byte{0, 1}
	return func() ([]byte, error) {
		i, err := l.next()
		return both[i : i+1], err
	}
}

// indexed returns values of the dictionary.
func (c *cursor) indexed(data []byte) (func() ([]byte, error), error) {
	var l levels
	if len(data) > 0 {
		l = levels{data: data[1:], width: int(data[0])}
	}
	if l.width > 32 {
		return nil, errInconsistent
	}
	return func() ([]byte, error) {
		i, err := l.next()
		if err == nil && i >= uint64(len(c.dictionary)) {
			err = errInconsistent
		}
		if err != nil {
			return nil, err
		}
		return c.dictionary[i], nil
	}, nil
}

// deltaLength returns values of these lengths that follow each other.
func deltaLength(lengths *delta, data []byte) func() ([]byte, error) {
	return func() (v []byte, err error) {
		n, err := lengths.within(len(data))
		v, data = data[:n], data[n:]
		return v, err
	}
}

// deltaBytes returns values that start as the one before: the lengths of what they share come
// first.
func deltaBytes(data []byte) (func() ([]byte, error), error) {
	shared, rest, err := newDelta(data)
	if err != nil {
		return nil, err
	}
	lengths, rest, err := newDelta(rest)
	next := deltaLength(lengths, rest)
	var last []byte
	return func() ([]byte, error) {
		n, err := shared.within(len(last))
		if err != nil {
			return nil, err
		}
		part, err := next()
		last = append(last[:n], part...)
		return last, err
	}, err
}

// split returns values whose first bytes come first, then their second bytes, and so on.
func (c *cursor) split(data []byte) func() ([]byte, error) {
	buf, i, count := make([]byte, c.size), 0, len(data)/c.size
	return func() ([]byte, error) {
		if i >= count {
			return nil, io.ErrUnexpectedEOF
		}
		for j := range buf {
			buf[j] = data[j*count+i]
		}
		i++
		return buf, nil
	}
}

// levels reads small numbers, such as levels, in runs: a run repeats one number, or has several
// of width bits each.
type levels struct {
	data  []byte // of the runs after this one
	width int
	left  int // numbers left in the run

	value      uint64 // that is repeated
	isPacked   bool   // the run has several numbers
	packed     []byte // the numbers of the run
	count      int    // of them
	isReversed bool   // they start at the highest bit of a byte
}

func (l *levels) next() (uint64, error) {
	n, err := l.peek()
	l.left--
	return n, err
}

// peek returns the next number, which stays the next one.
func (l *levels) peek() (n uint64, err error) {
	for l.left <= 0 {
		if err := l.run(); err != nil {
			return 0, err
		}
	}
	at := (l.count - l.left) * l.width
	switch {
	case !l.isPacked:
		return l.value, nil
	case at+l.width > 8*len(l.packed):
		return 0, io.ErrUnexpectedEOF
	case !l.isReversed:
		return bitsAt(l.packed, at, l.width), nil
	}
	for i := at; i < at+l.width; i++ {
		n = n<<1 | uint64(l.packed[i/8]>>(7-i%8)&1)
	}
	return n, nil
}

// run starts the next run.
func (l *levels) run() error {
	head, n := binary.Uvarint(l.data)
	if n <= 0 || head > math.MaxUint32 {
		return io.ErrUnexpectedEOF
	}
	l.data = l.data[n:]
	size := (l.width + 7) / 8
	if l.count, l.isPacked = int(head>>1), head&1 != 0; l.isPacked {
		size = min(l.count*l.width, len(l.data)) // the last run may be truncated
		l.count *= 8
	}
	if size > len(l.data) {
		return io.ErrUnexpectedEOF
	}
	l.left, l.packed, l.data = l.count, l.data[:size], l.data[size:]
	if !l.isPacked {
		l.value = bitsAt(l.packed, 0, 8*size)
	}
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
	return n & (1<<width - 1) // all bits if width is 64
}

// A delta reads integers that are stored as differences, in blocks of parts. A part has numbers
// of a width of its own: the differences less the smallest one of the block.
type delta struct {
	data   []byte // after this part
	parts  uint64 // in a block
	per    uint64 // differences in a part
	total  uint64 // integers not read yet
	value  int64  // the one before the next, or the first one
	least  int64  // difference of the block
	widths []byte // of the parts of the block not read yet

	packed      []byte // this part
	width, left int    // of its differences; their number
	isStarted   bool
}

// newDelta returns the integers at the start of data, and what follows.
func newDelta(data []byte) (d *delta, rest []byte, err error) {
	d = &delta{data: data}
	size := d.uint()
	d.parts, d.total = d.uint(), d.uint()
	d.value = signed(d.uint())
	d.per = size / max(d.parts, 1)
	if len(data) > 0 && d.data == nil || d.total > 1 && (d.per == 0 || d.per%8 != 0 || d.per > math.MaxInt32) {
		return nil, nil, errInconsistent
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

// within returns the next integer, which must not be larger than most.
func (d *delta) within(most int) (int, error) {
	n, err := d.next()
	if err == nil && (n < 0 || n > int64(most)) {
		return 0, errInconsistent
	}
	return int(n), err
}

// part starts the next part.
func (d *delta) part() error {
	if len(d.widths) == 0 {
		d.least = signed(d.uint())
		if d.parts == 0 || uint64(len(d.data)) < d.parts {
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

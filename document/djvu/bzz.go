package djvu

import (
	"context"
	"fmt"

	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/lang/phrase"
)

// BZZ, the general-purpose compression of DjVu, sorts a block of bytes by the bytes that
// follow each (Burrows–Wheeler transform), applies move-to-front coding, and encodes the
// places with the arithmetic coder in zp.go. A block is
//
//	24 bits  size including one extra byte for the start marker; 0 ends the data
//	1–2 bits how fast frequencies decay
//	for each byte its place in the list, by the classes of method place
//
// No library for Go is maintained. This code follows the specification of DjVu 3 (Lizardtech,
// 2005), appendix 4; the tests compare it with output of bzz of DjVuLibre.

const (
	blockMost = 4 << 20
	frequent  = 4 // places at the front that are ordered by frequency
	contexts  = 300
	nearby    = 3 // contexts for the first two places, by the previous place
)

// classes is the number of classes of places after the first two: 2–3, 4–7 and so on.
const classes = 7

var errBZZ = fmt.Errorf("%w: %w", format.ErrDamaged, phrase.Error("cause.djvu-packed", "packed text of DjVu"))

// unpack decompresses BZZ data to at most most bytes.
func unpack(ctx context.Context, data []byte, most int64) ([]byte, error) {
	d := &blockDecoder{zp: newZP(data), pulse: format.NewPulse(ctx)}
	var out []byte
	for {
		size := d.raw(24)
		switch {
		case size == 0:
			return out, nil
		case size > blockMost || d.zp.ended():
			return nil, errBZZ
		case int64(len(out)+size) > most:
			return nil, fmt.Errorf("%w: %w", format.ErrTooLarge, phrase.Error("cause.text-bytes", "more text than {bytes} bytes", "bytes", most))
		}
		block, err := d.block(size)
		if err != nil {
			return nil, err
		}
		out = append(out, block...)
	}
}

type blockDecoder struct {
	pulse   *format.Pulse
	zp      *zpDecoder
	context [contexts]byte
}

// raw decodes a number of this many bits without contexts.
func (d *blockDecoder) raw(bits int) int {
	n := 0
	for range bits {
		n = n<<1 | d.zp.even()
	}
	return n
}

// bits decodes a number of this many bits with the contexts from first on.
func (d *blockDecoder) bits(first, bits int) int {
	n := 1
	for range bits {
		n = n<<1 | d.zp.bit(&d.context[first+n-1])
	}
	return n - 1<<bits
}

// none is the place of the start marker, which is not a byte.
const none = 256

// place decodes the place of the next byte in the list. last is the previous place.
func (d *blockDecoder) place(last int) int {
	near := min(last, nearby-1)
	for p := range 2 {
		if d.zp.bit(&d.context[p*nearby+near]) == 1 {
			return p
		}
	}
	at := 2 * nearby
	for bits := 1; bits <= classes; bits++ {
		if d.zp.bit(&d.context[at]) == 1 {
			return 1<<bits + d.bits(at+1, bits)
		}
		at += 1 << bits
	}
	return none
}

func (d *blockDecoder) block(size int) ([]byte, error) {
	list := newRecent(d.fading())
	data, mark, last := make([]byte, size), -1, nearby
	for i := range data {
		if last = d.place(last); last == none {
			mark = i
		} else {
			data[i] = list.moveToFront(last)
		}
		if d.zp.ended() {
			return nil, errBZZ
		}
		if err := d.pulse.Err(); err != nil {
			return nil, err
		}
	}
	if mark < 1 {
		return nil, errBZZ
	}
	return unsort(data, mark)
}

// fading decodes how fast frequencies decay.
func (d *blockDecoder) fading() uint {
	shift := uint(0)
	for shift < 2 && d.zp.even() == 1 {
		shift++
	}
	return shift
}

// A recent is the move-to-front list of bytes, partly ordered by frequency.
type recent struct {
	bytes [256]byte
	often [frequent]uint32
	step  uint32
	fades uint
}

func newRecent(fades uint) *recent {
	r := &recent{step: 4, fades: fades}
	for i := range r.bytes {
		r.bytes[i] = byte(i)
	}
	return r
}

func (r *recent) moveToFront(place int) byte {
	const most, fade = 0x10000000, 24
	if r.step += r.step >> r.fades; r.step > most {
		r.step >>= fade
		for i := range r.often {
			r.often[i] >>= fade
		}
	}
	b, count := r.bytes[place], r.step
	if place < frequent {
		count += r.often[place]
	}
	for ; place >= frequent; place-- {
		r.bytes[place] = r.bytes[place-1]
	}
	for ; place > 0 && count >= r.often[place-1]; place-- {
		r.bytes[place], r.often[place] = r.bytes[place-1], r.often[place-1]
	}
	r.bytes[place], r.often[place] = b, count
	return b
}

// unsort inverts the Burrows–Wheeler transform.
func unsort(data []byte, mark int) ([]byte, error) {
	var count [256]uint32
	rank := make([]uint32, len(data)) // of each byte among equal bytes
	for i, b := range data {
		if i != mark {
			rank[i] = count[b]
			count[b]++
		}
	}
	first := uint32(1)
	for b, n := range count {
		count[b], first = first, first+n
	}
	out := make([]byte, len(data)-1)
	at := uint32(0)
	for i := len(out) - 1; i >= 0; i-- {
		b := data[at]
		out[i] = b
		at = count[b] + rank[at]
	}
	if int(at) != mark {
		return nil, errBZZ
	}
	return out, nil
}

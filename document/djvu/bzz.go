package djvu

import (
	"context"
	"fmt"

	"github.com/otisk/otisk/document/format"
)

// BZZ, as DjVu packs what is no picture, sorts a block of bytes by what follows each
// (Burrows and Wheeler), moves each to the front of a list, and codes its place there by
// the arithmetic coder in zp.go. A block is
//
//	24 bits  its size, with one byte more that says where its start was; 0 ends
//	1–2 bits how fast frequencies fade
//	for each byte its place in the list, in the classes of place
//
// It is our own since no library for Go is maintained; it follows the specification of DjVu 3
// (Lizardtech, 2005), appendix 4, and the tests compare it with what bzz of DjVuLibre packs.

// Bounds that the format fixes.
const (
	blockMost = 4 << 20
	frequent  = 4 // places at the front that are ordered by how often each comes
	contexts  = 300
	nearby    = 3 // contexts for the first two places, by the place before
)

// classes are the bits of the places that are not the first two: 2–3, 4–7 and so on.
const classes = 7

var errBZZ = fmt.Errorf("%w: packed text of DjVu", format.ErrDamaged)

// unpack unpacks data that BZZ packed, to most bytes at most.
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
			return nil, fmt.Errorf("%w: more text than %d bytes", format.ErrTooLarge, most)
		}
		block, err := d.block(size)
		if err != nil {
			return nil, err
		}
		out = append(out, block...)
	}
}

// A blockDecoder decodes one block after another.
type blockDecoder struct {
	pulse   *format.Pulse
	zp      *zpDecoder
	context [contexts]byte
}

// raw returns a number of so many bits, which are as likely 0 as 1.
func (d *blockDecoder) raw(bits int) int {
	n := 0
	for range bits {
		n = n<<1 | d.zp.even()
	}
	return n
}

// bits returns a number of so many bits, each of which has a context from first on.
func (d *blockDecoder) bits(first, bits int) int {
	n := 1
	for range bits {
		n = n<<1 | d.zp.bit(&d.context[first+n-1])
	}
	return n - 1<<bits
}

// none is the place of what is no byte: the mark of where the block starts.
const none = 256

// place returns the place in the list of the next byte. last is that of the one before.
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

// block decodes a block with its mark.
func (d *blockDecoder) block(size int) ([]byte, error) {
	list := newRecent(d.fading())
	data, mark, last := make([]byte, size), -1, nearby
	for i := range data {
		if last = d.place(last); last == none {
			mark = i
		} else {
			data[i] = list.take(last)
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

// fading returns how fast frequencies fade.
func (d *blockDecoder) fading() uint {
	shift := uint(0)
	for shift < 2 && d.zp.even() == 1 {
		shift++
	}
	return shift
}

// A recent is the list of bytes, those that came last or often in front.
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

// take returns the byte at a place, and moves it to the front.
func (r *recent) take(place int) byte {
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

// unsort returns the bytes of a block in their order.
func unsort(data []byte, mark int) ([]byte, error) {
	var count [256]uint32
	rank := make([]uint32, len(data)) // of each byte among its like
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

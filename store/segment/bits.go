package segment

import (
	"math/bits"
	"slices"
)

// load returns at least 57 bits of b, starting at bit.
func load(b []byte, bit uint64) uint64 { return le.Uint64(b[bit>>3:]) >> (bit & 7) }

// A bitWriter packs values, lowest bits first, into words of 64 bits.
type bitWriter struct {
	buf  []byte
	word uint64 // bits that are not in buf yet
	used uint   // their number
}

// put appends the low width bits of v; its other bits must be zero. width is at most 64.
func (w *bitWriter) put(v uint64, width uint) {
	w.word |= v << (w.used & 63)
	w.used += width
	if w.used >= 64 {
		w.buf = le.AppendUint64(w.buf, w.word)
		w.used -= 64
		w.word = v >> (width - w.used)
	}
}

// putAll appends the low width bits of each value, and ignores the other bits. width is at
// most 56. It avoids branches: it stores a whole word each time, and the next store
// overwrites the incomplete byte.
func (w *bitWriter) putAll(values []uint64, width uint) {
	at := len(w.buf)
	w.buf = slices.Grow(w.buf, len(values)*int(width)/8+16)
	buf, word, used := w.buf[:cap(w.buf)], w.word, w.used
	le.PutUint64(buf[at:], word)
	at, word, used = at+int(used>>3), word>>(used&^7), used&7
	mask := uint64(1)<<width - 1
	for ; width <= 28 && len(values) > 1; values = values[2:] { // two values per store
		word |= (values[0]&mask | values[1]&mask<<(width&63)) << (used & 7)
		le.PutUint64(buf[at:], word)
		used += 2 * width
		at += int(used >> 3)
		word >>= used &^ 7 & 63
		used &= 7
	}
	for _, v := range values {
		word |= v & mask << (used & 7)
		le.PutUint64(buf[at:], word)
		used += width
		at += int(used >> 3)
		word >>= used &^ 7 & 63
		used &= 7
	}
	w.buf, w.word, w.used = buf[:at], word, used
}

// pad appends zeros up to the next multiple of eight bytes.
func (w *bitWriter) pad() {
	for w.used > 0 || len(w.buf)%8 > 0 {
		w.buf = append(w.buf, byte(w.word))
		w.word, w.used = w.word>>8, w.used-min(8, w.used)
	}
}

// ones appends count ones and a zero.
func (w *bitWriter) ones(count int) {
	for ; count >= 63; count -= 63 {
		w.put(1<<63-1, 63)
	}
	w.put(1<<count-1, uint(count)+1)
}

// nthZero returns the index of the k-th zero, counted from 0, in the length bits of b that
// start at bit; ok is false if there are fewer zeros.
func nthZero(b []byte, bit, length uint64, k int) (place uint64, ok bool) {
	for from := uint64(0); from < length; from += 56 {
		zeros := ^load(b, bit+from) & (1<<min(56, length-from) - 1)
		if count := bits.OnesCount64(zeros); count <= k {
			k -= count
			continue
		}
		for ; k > 0; k-- {
			zeros &= zeros - 1
		}
		return from + uint64(bits.TrailingZeros64(zeros)), true
	}
	return 0, false
}

// placesOfOnes[k<<8|b] is the index of the k-th one in the byte b, counted from 0.
var placesOfOnes = func() (t [8 << 8]uint8) {
	for b := range 1 << 8 {
		for k, left := 0, b; left != 0; k, left = k+1, left&(left-1) {
			t[k<<8|b] = uint8(bits.TrailingZeros8(uint8(left)))
		}
	}
	return t
}()

// selectBit returns the index of the k-th one in x, counted from 0. x must have more than k
// ones. It counts by bytes, finds the byte with the k-th one, and looks up the rest,
// without a branch.
func selectBit(x, k uint64) uint64 {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	sums := x - x>>1&0x5555555555555555
	sums = sums&0x3333333333333333 + sums>>2&0x3333333333333333
	sums = (sums + sums>>4) & 0x0f0f0f0f0f0f0f0f * ones // byte i: ones of bytes 0 to i
	above := (sums | tops) - (k+1)*ones                 // the top bit of a byte is set if its sum exceeds k
	at := uint64(bits.TrailingZeros64(above&tops)) &^ 7
	k -= sums << 8 >> (at & 63) & 0xff
	return at + uint64(placesOfOnes[(k<<8|x>>(at&63)&0xff)%uint64(len(placesOfOnes))])
}

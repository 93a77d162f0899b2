package segment

import "slices"

// digit is the number of bits that one counting pass sorts by.
const digit = 9

// sortEntries sorts a, whose values differ mostly in their top bits, as hashes do. Two
// counting passes over the top 18 bits leave few moves for an insertion sort. If crafted
// text leaves many, it falls back to slices.Sort. It returns tmp, or a longer buffer, for
// the next call.
func sortEntries(a, tmp []uint64) []uint64 {
	if len(a) < 256 {
		slices.Sort(a)
		return tmp
	}
	if len(tmp) < len(a) {
		tmp = make([]uint64, len(a)*5/4)
	}
	var low, high [1 << digit]uint32
	for _, e := range a {
		low[e>>(64-2*digit)&(1<<digit-1)]++
		high[e>>(64-digit)]++
	}
	countingPass(tmp[:len(a)], a, 64-2*digit, &low)
	countingPass(a, tmp[:len(a)], 64-digit, &high)
	if !insert(a, 16*len(a)) {
		slices.Sort(a)
	}
	return tmp
}

// countingPass sorts from into to by the digit at bit shift. It is stable. starts holds the
// number of occurrences of each digit.
func countingPass(to, from []uint64, shift uint, starts *[1 << digit]uint32) {
	sum := uint32(0)
	for i, count := range starts {
		starts[i] = sum
		sum += count
	}
	for _, e := range from {
		d := e >> (shift & 63) & (1<<digit - 1)
		to[starts[d]] = e
		starts[d]++
	}
}

// insert sorts a by insertion. It gives up after the given number of moves and reports
// false.
func insert(a []uint64, moves int) bool {
	for i := 1; i < len(a); i++ {
		x := a[i]
		j := i
		for j > 0 && a[j-1] > x {
			a[j] = a[j-1]
			j--
		}
		a[j] = x
		if moves -= i - j; moves < 0 {
			return false
		}
	}
	return true
}

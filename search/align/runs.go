package align

import (
	"cmp"
	"iter"
	"slices"
)

// maxSeeds limits the work on n-grams that occur n and m times: with n·m beyond
// it, each place of the suspect is tried with one place of the source only. Up
// to it there are at most 20 trials for each word, however the texts are made.
const maxSeeds = 400

// commonRuns returns the maximal runs of n equal words and more, from the
// n-grams that both texts have; x is the index of those of a. A negative form
// in b equals nothing.
//
// Where an n-gram is too frequent, as in a text that repeats itself, it follows
// one run as far as it goes before it takes the next. Then all is false: each
// common n-gram lies in some run, but not every run is included.
func commonRuns(a, b []int32, x *index, n int) (runs []Run, all bool) {
	other := x.with(gramCodes(b, n))
	there := make([]int32, len(b)) // by place in b: number of its n-gram + 1
	for k := range x.codes {
		for _, o := range other.places.of(int32(k)) {
			there[other.at[o]] = int32(k) + 1
		}
	}
	all = true
	g := runGrower{a: a, b: b, least: n, end: make([]int32, len(a)+len(b))}
	follow := int32(-1) // place in b that follows the last frequent one
	for i, k := range x.number {
		places := other.places.of(k)
		if len(places)*x.places.count(k) <= maxSeeds {
			for _, o := range places {
				g.try(x.at[i], other.at[o])
			}
			follow = -1
			continue
		}
		all = false
		if follow < 0 || int(follow) >= len(there) || there[follow] != k+1 {
			follow = other.at[places[0]]
		}
		g.try(x.at[i], follow)
		follow++
	}
	return g.found, all
}

// gramCodes returns the runs of n words without a negative form.
func gramCodes(forms []int32, n int) []coded {
	list := make([]coded, 0, max(0, len(forms)-n+1))
	for at, code := range eachGram(forms, n) {
		list = append(list, coded{code, at})
	}
	return list
}

// eachGram goes over the runs of n words without a negative form: the place of
// each, and its code, a rolling hash.
func eachGram(forms []int32, n int) iter.Seq2[int32, uint64] {
	return func(yield func(int32, uint64) bool) {
		last := uint64(1) // multiplier of the first word of a run when it is removed
		for range n {
			last *= hashBase
		}
		known, code := 0, uint64(0)
		for i, f := range forms {
			if f < 0 {
				known, code = 0, 0
				continue
			}
			known++
			code = code*hashBase + uint64(f) + 1
			if known > n {
				code -= (uint64(forms[i-n]) + 1) * last
			}
			if known >= n && !yield(int32(i-n+1), code) {
				return
			}
		}
	}
}

// A runGrower makes maximal runs from places where they pass.
type runGrower struct {
	a, b  []int32
	least int
	end   []int32 // by diagonal: where in a its last run ends
	found []Run
}

// try adds the run through a[i] and b[j], unless it is known. Calls come with
// rising i.
func (g *runGrower) try(i, j int32) {
	diagonal := j - i + int32(len(g.a)) - 1
	known := g.end[diagonal]
	if known > i {
		return
	}
	shift := j - i
	from, to := i, i
	for from > known && from+shift > 0 && g.a[from-1] == g.b[from+shift-1] {
		from--
	}
	for int(to) < len(g.a) && int(to+shift) < len(g.b) && g.a[to] == g.b[to+shift] {
		to++
	}
	g.end[diagonal] = max(to, i+1)
	if int(to-from) >= g.least {
		g.found = append(g.found, Run{Suspect: int(from), Source: int(from + shift), Len: int(to - from)})
	}
}

// longerRun sorts runs by falling length, then by place.
func longerRun(x, y Run) int {
	return cmp.Or(cmp.Compare(y.Len, x.Len), cmp.Compare(x.Suspect, y.Suspect), cmp.Compare(x.Source, y.Source))
}

// longestCommon returns the longest run of equal words, the first one in a,
// then in b, if it has more than least words; else an empty one. It asks for
// ever longer runs until there is none, then halves the distance.
func longestCommon(a, b []int32, least int) Run {
	h := newHashes(a, b)
	best := Run{}
	lo, hi := least, min(len(a), len(b))+1 // there is one of lo words, none of hi
	for step := 1; lo+1 < hi; step *= 2 {
		n := min(lo+step, hi-1)
		r, ok := h.common(n)
		if !ok {
			hi = n
			break
		}
		best, lo = r, n
	}
	for lo+1 < hi {
		n := (lo + hi) / 2
		if r, ok := h.common(n); ok {
			best, lo = r, n
		} else {
			hi = n
		}
	}
	return best
}

// hashes have rolling hashes of two texts, to compare runs of any length.
type hashes struct {
	a, b     []int32
	ofA, ofB []uint64 // by place: hash of all before
	power    []uint64
}

const hashBase = 0x9e3779b97f4a7c15 | 1

func newHashes(a, b []int32) *hashes {
	h := &hashes{a: a, b: b, power: []uint64{1}}
	for range max(len(a), len(b)) {
		h.power = append(h.power, h.power[len(h.power)-1]*hashBase)
	}
	h.ofA, h.ofB = prefixHashes(a), prefixHashes(b)
	return h
}

func prefixHashes(forms []int32) []uint64 {
	list := make([]uint64, len(forms)+1)
	for i, f := range forms {
		list[i+1] = list[i]*hashBase + mix(uint64(f)+1)
	}
	return list
}

// common returns the first run of n equal words.
func (h *hashes) common(n int) (Run, bool) {
	of := func(prefix []uint64, at int) uint64 { return prefix[at+n] - prefix[at]*h.power[n] }
	places := make(map[uint64]int, len(h.b))
	for j := len(h.b) - n; j >= 0; j-- {
		places[of(h.ofB, j)] = j
	}
	for i := 0; i+n <= len(h.a); i++ {
		if j, ok := places[of(h.ofA, i)]; ok && slices.Equal(h.a[i:i+n], h.b[j:j+n]) {
			return Run{Suspect: i, Source: j, Len: n}, true
		}
	}
	return Run{}, false
}

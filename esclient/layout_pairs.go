package esclient

import (
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/otisk/otisk/fingerprint"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/store"
)

// A block of pairs has 256 consecutive pairs of a document. Block no begins at pair 192·no:
// each block repeats the last 64 pairs of the one before. So all pairs that are near one pair,
// up to store.NearBlocks blocks of store.PairBlock pairs away, are in one block, and the
// server finds pairs that are near each other by searching single blocks.
//
// A word is four times the pair, which has 40 bits, plus which of its places in the document it is:
//
//	0  the first one; each pair of a document has one such word in one block
//	1  a later one of the first store.PairPlaces places, or the first one again in the
//	   block that repeats it; the first such word of the pair in its block
//	2  likewise, but the block has the pair already
//	3  a place beyond the first store.PairPlaces
//
// Pairs of a document that share a position share a place. So the number of documents that
// have a pair is the number of blocks with its first word, and blocks that have it at a place
// that counts have one of its first two words. Example: the pairs 1, 2, 1 of generation
// 4294967297:
//
//	PUT NAME-pairs/_create/000000010000000100000000
//	{"gen":4294967297,"no":0,"h":"!!!!!!& !!!!!!* !!!!!!("}
//
// In 3,230 texts, a pair takes 15.8 bytes: 8.4 of _source, and 7.2 of the dictionary. Without _source, and with the pairs
// that a block has to itself in a binary field, it would be 12.3 at best; but then the server adds _recovery_source, and
// a segment that was merged shortly after its documents were written has it for good: 27.3 bytes.
const (
	blockPairs    = 256
	repeatedPairs = 2 * store.NearBlocks * store.PairBlock // of the block before
	stepPairs     = blockPairs - repeatedPairs
)

const (
	firstPlace = iota
	laterPlace
	repeatPlace
	surplusPlace
)

func appendPair(b []byte, h store.Hash, place byte) []byte {
	return pairWords.append(b, uint64(h)<<2|uint64(place))
}

// placesWords returns the words by which the blocks with a pair are found: with all its places,
// or only with those that count.
func placesWords(h store.Hash, all bool) []string {
	words := []string{string(appendPair(nil, h, firstPlace)), string(appendPair(nil, h, laterPlace))}
	if all {
		words = append(words, string(appendPair(nil, h, surplusPlace)))
	}
	return words
}

// A placed is a pair at one of its places.
type placed struct {
	pair  store.Hash
	place byte // as if the whole document were one block
}

func appendPairs(b []byte, gen int64, no int, list []placed) []byte {
	b = append(b, `{"gen":`...)
	b = strconv.AppendInt(b, gen, 10)
	b = append(b, `,"no":`...)
	b = strconv.AppendInt(b, int64(no), 10)
	b = append(b, `,"h":"`...)
	has := make(map[store.Hash]bool, len(list))
	for i, p := range list {
		place := p.place
		if place == firstPlace && no > 0 && i < repeatedPairs {
			place = laterPlace
		}
		if place == laterPlace && has[p.pair] {
			place = repeatPlace
		}
		if place != surplusPlace {
			has[p.pair] = true
		}
		if i > 0 {
			b = append(b, ' ')
		}
		b = appendPair(b, p.pair, place)
	}
	return append(b, `"}`...)
}

// pairs appends the pairs of b to list. It returns an error if there are more than a block
// has, or none.
func (b *block) pairs(list []placed) ([]placed, error) {
	if b.No < 0 || b.No > maxBlocks {
		return list, b.damage(phrase.Error("cluster.block-number", "has an invalid number"))
	}
	before := len(list)
	for text := range strings.SplitSeq(b.H, " ") {
		v, ok := uint64(0), len(text) == pairChars
		if ok {
			v, ok = pairWords.value(text)
		}
		if !ok {
			return list, b.damage(phrase.Error("cluster.block-pair", "has an invalid pair"))
		}
		list = append(list, placed{store.Hash(v >> 2), byte(v & 3)})
	}
	if own := len(list) - before - b.repeated(); own < 1 || len(list)-before > blockPairs {
		return list, b.damage(phrase.Error("cluster.block-length", "has an invalid length"))
	}
	return list, nil
}

// repeated returns how many pairs of b are in the block before.
func (b *block) repeated() int {
	if b.No == 0 {
		return 0
	}
	return repeatedPairs
}

func (b *block) position(i int) uint32 { return uint32((b.No*stepPairs + i) / store.PairBlock) }

// placesAtOnce is how many pairs are in memory while their places are counted: 32 MB.
const placesAtOnce = 1 << 20

// placesOf returns the place of each pair of a document, in order. If there are more than
// atOnce, it goes over them several times, and each time counts a part of them.
func placesOf(hashes iter.Seq[[]store.Hash], atOnce int) []byte {
	var total int
	for part := range hashes {
		total += len(part)
	}
	places := make([]byte, total)
	type state struct {
		places int
		last   int
	}
	turns := max(1, (total+atOnce-1)/atOnce)
	known := make(map[store.Hash]state, min(total, atOnce))
	for turn := range turns {
		clear(known)
		i := 0
		for part := range hashes {
			for _, h := range part {
				if int(uint64(h)%uint64(turns)) == turn {
					s, again := known[h]
					at := i / store.PairBlock
					if !again || s.last != at {
						s.places++
					}
					switch {
					case !again:
					case s.places > store.PairPlaces:
						places[i] = surplusPlace
					default:
						places[i] = laterPlace
					}
					s.last = at
					known[h] = s
				}
				i++
			}
		}
	}
	return places
}

// heldPairs returns hashes, which it reads into memory if there are at most most.
func heldPairs(hashes iter.Seq[[]store.Hash], most int) iter.Seq[[]store.Hash] {
	var list []store.Hash
	for part := range hashes {
		if len(list)+len(part) > most {
			return hashes
		}
		list = append(list, part...)
	}
	return slices.Values([][]store.Hash{list})
}

// possiblePairs returns those of pairs, in ascending order, that a pair can be.
func possiblePairs(pairs []store.Hash) []store.Hash {
	end, _ := slices.BinarySearch(pairs, 1<<fingerprint.PairBits)
	return pairs[:end]
}

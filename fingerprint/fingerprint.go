// Package fingerprint turns words into the hashes that an index holds.
//
// An n-gram is n consecutive words of one paragraph, joined by one space; its hash is the
// top 48 bits of CityHash64 (version 1.1) of those bytes. The space matters: "to ma ema"
// and "tom a ema" differ. A [Roller] makes the n-grams of a sequence of words, [Grams]
// those of a list. A paragraph of fewer than n words has none.
//
// A [Pair] is the second kind of key, which survives rewording: two neighbouring words,
// regardless of order and endings. A [Pairer] makes the pairs of a sequence of words.
//
// Words must be normalised before, by package normalize. Two n-grams can have the same
// hash, so callers that report matches must compare the words too, as package search does.
package fingerprint

// Bits is the width of a [Hash].
const Bits = 48

// A Hash represents an n-gram by the top 48 bits of its CityHash64.
type Hash uint64

// Of returns the hash of the n-gram text.
func Of(text []byte) Hash { return Hash(Sum64(text) >> (64 - Bits)) }

// Grams returns the hashes of the n-grams of words, which are one paragraph. It panics if n
// < 1.
func Grams(words []string, n int) []Hash {
	r := NewRoller(n)
	if len(words) < n {
		return nil
	}
	hashes := make([]Hash, 0, len(words)-n+1)
	var buf []byte
	for _, w := range words {
		buf = append(buf[:0], w...)
		if h, ok := r.Add(buf); ok {
			hashes = append(hashes, h)
		}
	}
	return hashes
}

package report

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/search"
	"github.com/otisk/otisk/search/score"
)

// A reader of a report on a private collection must not learn its texts by guessing: he would submit many texts, each
// with words that he knows and another guess of the next word, and see where the report changes. Any report that
// depends on a match changes somewhere by one word. So a report has only a share of the whole text, in few steps, and
// no place, and four rules keep a single word from changing it:
//
//   - Matches count in blocks. Where a text is cut into blocks depends on four words around the cut and on a secret of
//     the collection. A longer match counts only if it reaches the next cut, on average blockWords further: all words
//     up to there must be guessed at once.
//   - Blocks count only in unbroken matches of leastPrivate words or more.
//   - A block that the text has twice does not count: a text cannot try several guesses.
//   - The steps depend on the whole text and the secret, within bounds that are wider than blocks. So a further block
//     seldom changes the share, and a word elsewhere in the text may.
//
// TestPrivateGuess in package attack measures what can be learned.
const (
	blockWords   = 32  // average length of a block
	leastPrivate = 100 // words of an unbroken match
	spread       = 200 // words by which the first step depends on the text
	cutWords     = 4   // on which a cut depends: two before it, two after it
)

// steps are the shares that a report may state, in percent. The first step is leastPrivate words.
var steps = []int{10, 25, 50}

// withheld is the note on a report of a search in private collections.
var withheld = phrase.Error("said.withheld", "of private collections, only the rough share of long unchanged passages is reported, without their places; the owner can compare the text and see all")

// A PrivateShare is what a report may say about a private collection.
type PrivateShare struct {
	Collection int    // its number
	Owner      string // its name, group and contact
	words      int    // of the suspect, at least
}

// A PrivateCollection is a collection whose documents a report must not show.
type PrivateCollection struct {
	Number int
	Owner  string
	Secret string // on which cuts depend
}

// PrivateShares returns the shares that a report may state of what a search in private collections found. words are
// those of the suspect, and of returns the collection of a source by its id.
func PrivateShares(found *search.Result, words []normalize.Word, of func(id string) *PrivateCollection) (list []PrivateShare) {
	matches := map[int][]search.Run{} // by source
	for _, p := range found.Passages {
		matches[p.Source] = append(matches[p.Source], p.Equal...)
	}
	blocks := map[PrivateCollection]*privateBlocks{}
	for source, runs := range matches {
		c := of(found.Sources[source].ID)
		if c == nil {
			continue
		}
		b := blocks[*c]
		if b == nil {
			b = &privateBlocks{words: words, places: map[string]map[int]bool{}}
			blocks[*c] = b
		}
		for _, run := range unbroken(runs, words) {
			b.add(run.Suspect, c.Secret)
		}
	}
	for c, b := range blocks {
		if n := privateStep(b.count(), words, c.Secret); n > 0 {
			list = append(list, PrivateShare{Collection: c.Number, Owner: c.Owner, words: n})
		}
	}
	slices.SortFunc(list, func(a, b PrivateShare) int { return cmp.Compare(a.Collection, b.Collection) })
	return list
}

// paragraphGap is the most bytes of a source between the last word of a paragraph and the first word of the next.
const paragraphGap = 8

// unbroken returns the matches of a source, as one where they follow each other in both texts: a match of n-grams ends with its paragraph.
func unbroken(runs []search.Run, words []normalize.Word) (joined []search.Run) {
	slices.SortFunc(runs, func(a, b search.Run) int { return cmp.Compare(a.Suspect[0], b.Suspect[0]) })
	for _, r := range runs {
		if n := len(joined); n > 0 {
			last := &joined[n-1]
			next := sort.Search(len(words), func(i int) bool { return words[i].Start >= last.Suspect[1] })
			if gap := r.Origin[0] - last.Origin[1]; gap >= 0 && gap <= paragraphGap && next < len(words) && words[next].Start == r.Suspect[0] {
				last.Suspect[1], last.Origin[1] = r.Suspect[1], r.Origin[1]
				continue
			}
		}
		joined = append(joined, r)
	}
	return joined
}

// privateBlocks are the blocks of a private collection that a text has.
type privateBlocks struct {
	words  []normalize.Word // of the text
	runs   [][]int          // the cuts in each unbroken match, in words
	places map[string]map[int]bool
}

// add adds the blocks in an unbroken match.
func (b *privateBlocks) add(place [2]int, secret string) {
	first := sort.Search(len(b.words), func(i int) bool { return b.words[i].Start >= place[0] })
	end := sort.Search(len(b.words), func(i int) bool { return b.words[i].End > place[1] })
	var cuts []int
	for at := first + cutWords/2; at+cutWords/2 <= end; at++ {
		if around := textOf(b.words[at-cutWords/2 : at+cutWords/2]); binary.BigEndian.Uint32(sign(secret, around))%blockWords != 0 {
			continue
		}
		if len(cuts) > 0 {
			last := cuts[len(cuts)-1]
			block := textOf(b.words[last:at])
			if b.places[block] == nil {
				b.places[block] = map[int]bool{}
			}
			b.places[block][last] = true
		}
		cuts = append(cuts, at)
	}
	b.runs = append(b.runs, cuts)
}

// count returns the number of words in blocks that count.
func (b *privateBlocks) count() (n int) {
	counts := make([]bool, len(b.words))
	for _, cuts := range b.runs {
		for len(cuts) > 1 {
			i := 0
			for i+1 < len(cuts) && len(b.places[textOf(b.words[cuts[i]:cuts[i+1]])]) == 1 {
				i++
			}
			if cuts[i]-cuts[0] >= leastPrivate {
				for at := cuts[0]; at < cuts[i]; at++ {
					counts[at] = true
				}
			}
			cuts = cuts[i+1:]
		}
	}
	return lists.Count(counts, func(c bool) bool { return c })
}

// privateStep returns the words of the highest step that a number of words reaches, 0 if there is none.
func privateStep(n int, words []normalize.Word, secret string) (least int) {
	by := sign(secret, textOf(words))
	if n < leastPrivate+int(binary.BigEndian.Uint16(by))%spread {
		return 0
	}
	least = leastPrivate
	for i, percent := range steps {
		step := percent * len(words) / 100
		if n >= step+step*int(by[2+i])/512 { // up to one and a half times the step
			least = max(least, step)
		}
	}
	return least
}

func textOf(words []normalize.Word) string {
	var text strings.Builder
	for _, w := range words {
		text.WriteString(w.Text)
		text.WriteByte('\n')
	}
	return text.String()
}

func sign(secret, text string) []byte {
	h := hmac.New(sha256.New, []byte(secret))
	h.Write([]byte(text))
	return h.Sum(nil)[:8]
}

// AddPrivate adds shares of private collections to a report on all others, and counts its score again. All other
// figures stay: they are those of a search without private collections.
func AddPrivate(r *Report, list []PrivateShare) {
	r.Note(withheld)
	if len(list) == 0 {
		return
	}
	first := len(r.Sources)
	for i, p := range list {
		r.Sources = append(r.Sources, search.Source{
			ID:     fmt.Sprintf("%016x", i+1),
			Name:   r.Messages.Add(phrase.Error("said.private-source", "private source {number} ({owner})", "number", i+1, "owner", p.Owner)),
			NoText: true, Share: p.words,
		})
	}
	for i, total := range inputOf(r).Count(score.Choice{}).Sources[first:] {
		r.Sources[first+i].Covered, r.Sources[first+i].Percent = total.Covered, total.Percent
	}
	recount(r)
	Apply(r)
}

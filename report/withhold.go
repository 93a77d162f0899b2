package report

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"
	"sort"
	"unicode/utf8"

	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/search"
	"github.com/otisk/otisk/search/score"
)

// A reader of a report on a private collection must not learn its texts by guessing: he would submit many
// paragraphs, each with words that he knows and another guess of the next word, and see which of them
// matches a word longer. So a report names only stretches of unchanged words between two cuts. Where a
// text has cuts depends on four words around them and on a secret of the collection. A longer match
// shows only if it reaches another cut, on average blockWords further: all words up to there must be
// guessed at once. A reader who knows a part of a text learns the words up to the next cut if those are
// one or two, as at one end of 16, and then no more: TestPrivateGuess in package attack does so. Passages of a minimum length alone do not help: a reader who knows one word less than the
// minimum reads on for ever.
const (
	blockWords   = 32 // average distance of two cuts
	leastPrivate = 20 // words of a stretch
	cutWords     = 4  // on which a cut depends: two before it, two after it
)

// withheld is the note on a report of a search in private collections.
var withheld = phrase.Error("said.withheld", "of private collections, only long unchanged passages are reported, without name and text of their sources; no other figure counts these collections")

// A PrivateSource is what a report may say about a document of a private collection.
type PrivateSource struct {
	Collection int    // its number
	Owner      string // of the collection
	key        string // by which sources are in an order that says nothing
	stretches  []passed
	words      int
}

// A passed is a stretch of words of the suspect that may be reported.
type passed struct {
	word, words int
	start, end  int // bytes
}

// A PrivateCollection is a collection whose documents a report must not show.
type PrivateCollection struct {
	Number int
	Owner  string
	Secret string // on which cuts depend
}

// PrivateSources returns what a report may say about what a search in private collections found. words
// are those of the suspect, and of returns the collection of a source by its id.
func PrivateSources(found *search.Result, words []normalize.Word, of func(id string) *PrivateCollection) (list []PrivateSource) {
	for i, s := range found.Sources {
		c := of(s.ID)
		if c == nil {
			continue
		}
		p := PrivateSource{Collection: c.Number, Owner: c.Owner, key: hex.EncodeToString(sign(c.Secret, s.ID))}
		for _, passage := range found.Passages {
			if passage.Source != i {
				continue
			}
			for _, run := range passage.Equal {
				if s, ok := betweenCuts(words, run.Suspect, c.Secret); ok {
					p.stretches, p.words = append(p.stretches, s), p.words+s.words
				}
			}
		}
		if len(p.stretches) > 0 {
			list = append(list, p)
		}
	}
	slices.SortFunc(list, func(a, b PrivateSource) int { return cmp.Or(b.words-a.words, cmp.Compare(a.key, b.key)) })
	return list
}

// betweenCuts returns the stretch between the first and the last cut of the words in a place.
func betweenCuts(words []normalize.Word, place [2]int, secret string) (s passed, ok bool) {
	first := sort.Search(len(words), func(i int) bool { return words[i].Start >= place[0] })
	end := sort.Search(len(words), func(i int) bool { return words[i].End > place[1] })
	from, to := -1, -1
	for at := first + cutWords/2; at+cutWords/2 <= end; at++ {
		if isCut(words[at-cutWords/2:at+cutWords/2], secret) {
			if from < 0 {
				from = at
			}
			to = at
		}
	}
	if from < 0 || to-from < leastPrivate {
		return s, false
	}
	return passed{from, to - from, words[from].Start, words[to-1].End}, true
}

// isCut reports whether there is a cut in the middle of some words.
func isCut(around []normalize.Word, secret string) bool {
	text := ""
	for _, w := range around {
		text += w.Text + "\n"
	}
	return binary.BigEndian.Uint32(sign(secret, text))%blockWords == 0
}

func sign(secret, text string) []byte {
	h := hmac.New(sha256.New, []byte(secret))
	h.Write([]byte(text))
	return h.Sum(nil)[:8]
}

// AddPrivate adds sources of private collections to a report on all others, and counts its score again.
// All other figures stay: they are those of a search without private collections.
func AddPrivate(r *Report, list []PrivateSource) {
	r.Note(withheld)
	if len(list) == 0 {
		return
	}
	for i, p := range list {
		r.Sources = append(r.Sources, search.Source{
			ID:     fmt.Sprintf("%016x", i+1),
			Name:   r.Messages.Add(phrase.Error("said.private-source", "private source {number} ({owner})", "number", i+1, "owner", p.Owner)),
			NoText: true,
		})
		for _, s := range p.stretches {
			r.Passages = append(r.Passages, search.Passage{
				Source: len(r.Sources) - 1, Kind: search.KindExact, Grade: search.Verbatim, Suspect: spanIn(r.Suspect.Text, s.start, s.end), Page: pageOf(r, s.start), LastPage: pageOf(r, s.end-1),
				Word: s.word, Words: s.words, Matched: s.words, Run: s.words, Equal: []search.Run{},
			})
		}
	}
	renumber(r)
	for i, total := range inputOf(r).Count(score.Choice{}).Sources {
		r.Sources[i].Covered, r.Sources[i].Percent = total.Covered, total.Percent
	}
	recount(r)
	Apply(r)
}

// renumber puts passages in order, by place and source, and gives joined ones their new numbers.
func renumber(r *Report) {
	slices.SortStableFunc(r.Passages, func(a, b search.Passage) int {
		return cmp.Or(a.Suspect.Start-b.Suspect.Start, a.Suspect.End-b.Suspect.End, a.Source-b.Source)
	})
	numbers := map[int]int{}
	for i := range r.Passages {
		if p := &r.Passages[i]; p.Number > 0 {
			numbers[p.Number] = i + 1
		}
		r.Passages[i].Number = i + 1
	}
	for i := range r.Joined {
		for j, n := range r.Joined[i].Parts {
			r.Joined[i].Parts[j] = numbers[n]
		}
	}
}

func spanIn(text string, start, end int) search.Span {
	before := utf8.RuneCountInString(text[:start])
	return search.Span{Start: start, End: end, RuneStart: before, RuneEnd: before + utf8.RuneCountInString(text[start:end])}
}

// pageOf returns the page of a byte of the suspect, 0 if it has no pages.
func pageOf(r *Report, at int) int {
	return sort.Search(len(r.Suspect.PageStarts), func(i int) bool { return r.Suspect.PageStarts[i] > at })
}

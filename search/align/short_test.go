package align

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestTooShort: both sides need MinWords, runs of equal words Verbatim, and both
// together MinBoth.
func TestTooShort(t *testing.T) {
	text := prepare(t, say(newSpeaker(1).words(300)))
	c := func(kind Kind, words, source int32) candidate {
		return candidate{a: span{0, words}, b: span{0, source}, kind: kind}
	}
	for _, tt := range []struct {
		name   string
		params Params
		c      candidate
		want   bool
	}{
		{"as many words as needed", Params{MinWords: 15}, c(Cluster, 15, 15), false},
		{"one fewer here", Params{MinWords: 15}, c(Cluster, 14, 40), true},
		{"one fewer there", Params{MinWords: 15}, c(Cluster, 40, 14), true},
		{"no words", Params{}, c(Cluster, 0, 0), true},
		{"one word where nothing is asked for", Params{}, c(Cluster, 1, 1), false},
		{"a run of as many words as needed", Params{MinWords: 15, Verbatim: 12}, c(Exact, 12, 12), false},
		{"a run of one fewer", Params{MinWords: 15, Verbatim: 12}, c(Exact, 11, 11), true},
		{"no run", Params{MinWords: 15, Verbatim: 12}, c(Cluster, 12, 12), true},
		{"enough on both sides together", Params{MinWords: 5, MinBoth: 50}, c(Cluster, 25, 25), false},
		{"too little on both sides together", Params{MinWords: 5, MinBoth: 51}, c(Cluster, 25, 25), true},
		{"a run that is too short for both together", Params{MinWords: 15, Verbatim: 12, MinBoth: 25}, c(Exact, 12, 12), true},
	} {
		p := newPair(&tt.params, text, text)
		if got := p.tooShort(tt.c); got != tt.want {
			t.Errorf("%s: too short %v, want %v", tt.name, got, tt.want)
		}
	}
}

// TestRepeated: the suspect has the same words elsewhere, from the first to the last.
func TestRepeated(t *testing.T) {
	s := newSpeaker(51)
	same := strings.Fields("heron otter badger weasel stoat polecat marten beaver")
	own := func() []string { return s.words(10) }
	turned := slices.Clone(same)
	turned[3], turned[4] = turned[4], turned[3]
	without := func(k int) []string { return slices.Replace(slices.Clone(same), k, k+1, "lynx") }
	for _, tt := range []struct {
		name string
		rest [][]string
		want bool
	}{
		{"nowhere", [][]string{own()}, false},
		{"once more", [][]string{own(), same, own()}, true},
		{"at once", [][]string{same}, true},
		{"at the end", [][]string{own(), same}, true},
		{"but for the first word", [][]string{own(), without(0), own()}, false},
		{"but for the last word", [][]string{own(), without(7)}, false},
		{"but for the last word, which is not there", [][]string{own(), same[:7]}, false},
		{"in another order", [][]string{own(), turned, own()}, false},
		{"in part, then as a whole", [][]string{same[:6], same[1:7], same, own()}, true},
	} {
		params := DefaultParams()
		text := prepare(t, say(append([][]string{own(), same}, tt.rest...)...))
		p := newPair(&params, text, text)
		if got := p.repeated(span{10, 18}); got != tt.want {
			t.Errorf("%s: repeated %v, want %v", tt.name, got, tt.want)
		}
	}
	// A stretch that begins like it at the end of the suspect, or ends like it at the start, is
	// not a copy, although the n-grams there are the rarest.
	for _, tt := range []struct {
		at   int32
		list [][]string
	}{
		{10, [][]string{own(), same, own(), same[1:7], own(), same[1:7], own(), same[2:], own(), same[2:], own(), same[:6]}},
		{16, [][]string{same[2:], own(), same, own(), same[1:7], own(), same[1:7], own(), same[:6], own(), same[:6]}},
	} {
		params := DefaultParams()
		text := prepare(t, say(tt.list...))
		p := newPair(&params, text, text)
		if p.repeated(span{tt.at, tt.at + 8}) {
			t.Errorf("words at %d are repeated, want not: the suspect ends or begins within them", tt.at)
		}
	}
	// The second of the two is the same as the first, and begins at the first word.
	params := DefaultParams()
	text := prepare(t, say(same, own(), same))
	p := newPair(&params, text, text)
	if !p.repeated(span{18, 26}) || !p.repeated(span{0, 8}) {
		t.Error("what is at both ends of the suspect is not repeated")
	}
}

// TestFrequentWordsAreRepeated: a word that occurs hundreds of times is no longer looked for.
func TestFrequentWordsAreRepeated(t *testing.T) {
	for times, want := range map[int]bool{maxSeeds: false, maxSeeds + 1: true} {
		params := DefaultParams()
		// often returns words and another one after them, many times.
		often := func(words, other string) (text string) {
			for i := range times - 1 {
				text += fmt.Sprintf("%s %s%d ", words, other, i)
			}
			return text
		}
		text := prepare(t, often("one two three four five six", "h")+often("two three four five six seven", "o")+"one two three four five six seven")
		p := newPair(&params, text, text)
		end := int32(p.a.Len())
		if got := p.repeated(span{end - 7, end}); got != want {
			t.Errorf("words that are nowhere else, of n-grams that are %d times: repeated %v, want %v", times, got, want)
		}
		text = prepare(t, often("one two three four five six", "h")+"one two three four five six seven")
		p = newPair(&params, text, text)
		end = int32(p.a.Len())
		if p.repeated(span{end - 7, end}) {
			t.Errorf("words that are nowhere else, of which one n-gram is %d times, are repeated", times)
		}
	}
}

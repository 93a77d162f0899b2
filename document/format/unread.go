package format

import (
	"maps"
	"slices"

	"github.com/otisk/otisk/lang/phrase"
)

// Unread lists the parts of a file that the reader skipped although a program may display them.
// Each entry has a kind: the name of the element, control word or member in the file. The zero
// value is empty.
type Unread struct {
	words map[string]int // by kind; 0 if the words of the kind cannot be counted
}

// maxKinds limits the kinds that are named. Words of further kinds are counted under otherKinds.
const (
	maxKinds   = 100
	otherKinds = "…"
)

// Words adds n words of a kind. It ignores 0.
func (u *Unread) Words(kind string, n int) {
	if n > 0 {
		u.add(kind, n)
	}
}

// Part adds a kind whose words cannot be counted, such as a missing member.
func (u *Unread) Part(kind string) { u.add(kind, 0) }

func (u *Unread) add(kind string, n int) {
	if u.words == nil {
		u.words = map[string]int{}
	}
	if _, known := u.words[kind]; !known && len(u.words) >= maxKinds {
		kind = otherKinds
	}
	u.words[kind] += n
}

// Merge adds the entries of v.
func (u *Unread) Merge(v Unread) {
	for kind, n := range v.words {
		u.add(kind, n)
	}
}

// Sum returns the number of words.
func (u *Unread) Sum() int {
	sum := 0
	for _, n := range u.words {
		sum += n
	}
	return sum
}

// Notes returns notes that name the kinds, none if u is empty.
func (u *Unread) Notes() (notes []*phrase.Phrase) {
	var counted, parts []string
	for _, kind := range slices.Sorted(maps.Keys(u.words)) {
		if u.words[kind] > 0 {
			counted = append(counted, kind)
		} else {
			parts = append(parts, kind)
		}
	}
	if len(counted) > 0 {
		notes = append(notes, phrase.Counted("said.words-unread", "{n} word that may be shown is not read: {where}", "{n} words that may be shown are not read: {where}", u.Sum(), "where", Listed(counted)))
	}
	if len(parts) > 0 {
		notes = append(notes, phrase.Error("said.parts-unread", "not read, although it may be shown: {where}", "where", Listed(parts)))
	}
	return notes
}

// leastWords is the number of words that NoteMany notes.
const leastWords = 20

// NoteMany is like Note, but adds nothing for a few words, such as those of labels.
func (u *Unread) NoteMany(t *Text) {
	if u.Sum() >= leastWords || slices.Contains(slices.Collect(maps.Values(u.words)), 0) {
		u.Note(t)
	}
}

// Note adds the notes of u to t.
func (u *Unread) Note(t *Text) {
	for _, n := range u.Notes() {
		t.Note(n)
	}
}

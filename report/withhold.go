package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/otisk/otisk/internal/phrase"
	"github.com/otisk/otisk/search"
)

// withheld is the note on a report with sources of private collections.
var withheld = phrase.Error("said.withheld", "sources of private collections are shown without name and text")

// Withhold removes from r everything about sources of private collections but that they exist, what
// share of the suspect they have, and the owner of their collection. owner returns the owner for the
// id of a source, "" for a source that is not private. names has the names of all documents of the
// private collections. The places of passages in the suspect stay; those in the source, the words
// that both have, and hints do not.
func Withhold(r *Report, owner func(id string) string, names map[string]bool) {
	private := make([]bool, len(r.Sources))
	n := 0
	for i := range r.Sources {
		s := &r.Sources[i]
		of := owner(s.ID)
		if of == "" || s.Among {
			continue
		}
		private[i] = true
		n++
		itself := s.Own == search.OwnFile
		*s = search.Source{
			ID: fmt.Sprintf("%016x", n), Name: r.Messages.Add(phrase.Error("said.private-source", "private source {number} ({owner})", "number", n, "owner", of)),
			Match:   search.Match{N: s.Match.N, Grams: s.Match.Grams, Matched: s.Match.Matched, Percent: s.Match.Percent},
			Covered: s.Covered, Percent: s.Percent, Counted: s.Counted, LikeSource: s.LikeSource, Alike: s.Alike, Hinted: s.Hinted, NoText: true,
		}
		if itself {
			s.Own = search.OwnFile // it does not count
		}
	}
	for i := range r.Passages {
		if p := &r.Passages[i]; private[p.Source] {
			p.Origin, p.OriginWords, p.Equal, p.Run, p.Gaps = search.Span{}, 0, []search.Run{}, 0, 0
		}
	}
	r.Joined = slices.DeleteFunc(r.Joined, func(j search.Joined) bool { return private[j.Source] })
	r.Hints = slices.DeleteFunc(r.Hints, func(h search.Hint) bool { return private[h.Source] })
	for i := range r.Hints {
		r.Hints[i].Number = i + 1
	}
	r.Similar = withoutSimilar(r.Similar, func(d *search.Similar) bool { return owner(d.ID) != "" || names[d.Name] })
	for i := range r.Paragraphs {
		for j := range r.Paragraphs[i].Sources {
			if s := &r.Paragraphs[i].Sources[j]; private[s.Source] {
				s.Places = nil
			}
		}
	}
	for i := range r.Unsearched {
		r.Unsearched[i].Names = slices.DeleteFunc(r.Unsearched[i].Names, func(name string) bool { return names[name] })
	}
	named := func(note string) bool {
		for name := range names {
			if strings.Contains(note, name) {
				return true
			}
		}
		return false
	}
	r.Notes = slices.DeleteFunc(r.Notes, named)
	maps.DeleteFunc(r.Messages, func(note string, _ phrase.Stored) bool { return named(note) })
	if n > 0 {
		r.Note(withheld)
		recount(r) // longest runs
		Apply(r)
	}
}

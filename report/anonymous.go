package report

import (
	"fmt"

	"github.com/otisk/otisk/search"
	"github.com/otisk/otisk/store"
)

// Anonymous returns r without names: documents are called by their ids, files
// that were not read by numbers, and titles, authors and notes are gone, since
// a note may name anything. What the texts themselves say stays.
func Anonymous(r *search.Result) *search.Result {
	c := *r
	c.Index.Name = ""
	c.Suspect.Path, c.Suspect.Title, c.Suspect.Author = r.Suspect.ID, "", ""
	if c.Suspect.ID == "" {
		c.Suspect.Path = store.IDOf("", r.Suspect.Path).String()
	}
	c.Sources = append([]search.Source(nil), r.Sources...)
	for i := range c.Sources {
		s := &c.Sources[i]
		s.Prefix, s.Path, s.Title, s.Author = "", s.ID, "", ""
	}
	c.Unread = make([]search.Unread, len(r.Unread))
	for i := range r.Unread {
		c.Unread[i] = search.Unread{Path: fmt.Sprintf("file %d", i+1), Reason: "not read"}
	}
	c.Unsearched = append([]search.Unsearched(nil), r.Unsearched...)
	for i := range c.Unsearched {
		c.Unsearched[i].Names = nil
	}
	c.Notes = nil
	if n := len(r.Notes); n > 0 {
		c.Notes = []string{english().Text("said.notes-left-out", "n", n)}
	}
	if r.Review != nil {
		c.Review = withoutNotes(r.Review)
	}
	return &c
}

// withoutNotes returns a review without what the reader wrote.
func withoutNotes(v *search.Review) *search.Review {
	c := *v
	strip := func(list []search.Decision) []search.Decision {
		out := make([]search.Decision, len(list))
		for i, d := range list {
			out[i] = search.Decision{Index: d.Index, Reason: d.Reason}
		}
		return out
	}
	c.Sources, c.Passages = strip(v.Sources), strip(v.Passages)
	return &c
}

package report

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/search"
	"github.com/otisk/otisk/store"
)

// Pseudonyms replace the names of documents by ids. The ids depend on a secret key: an
// index derives its ids from names, so anyone who knows a name could compute those.
type Pseudonyms struct {
	Key    string // secret: with the same key, a document has the same id in every report
	Titles bool   // leave titles out, too
}

// Anonymous returns a copy of r without names. Ids replace the names of documents and
// numbers those of unread files. Authors, paths, addresses, labels and notes are
// removed, as a label or a note may contain a name. Titles stay unless p removes them;
// texts and pictures of pages are unchanged, whatever names they contain.
func Anonymous(r *Report, p Pseudonyms) *Report {
	c := *r
	c.Index.Name = ""
	id := p.id(cmp.Or(r.Suspect.ID, store.IDOf("", r.Suspect.Path).String()))
	c.Suspect.Path, c.Suspect.Author, c.Suspect.Content = id, "", ""
	if r.Suspect.ID != "" {
		c.Suspect.ID = id
	}
	if p.Titles {
		c.Suspect.Title = ""
	}
	c.Sources = append([]search.Source(nil), r.Sources...)
	for i := range c.Sources {
		s := &c.Sources[i]
		s.ID = p.id(s.ID)
		s.Name, s.Prefix, s.Path, s.Author = s.ID, "", "", ""
		s.Address, s.Labels = "", nil
		if p.Titles {
			s.Title, s.Year = "", 0
		}
	}
	c.Similar = slices.Clone(r.Similar)
	for i := range c.Similar {
		d := &c.Similar[i]
		d.ID = p.id(d.ID)
		d.Name, d.Author, d.Address = d.ID, "", ""
		if p.Titles {
			d.Title, d.Year = "", 0
		}
	}
	c.Unsearched = append([]search.Unsearched(nil), r.Unsearched...)
	for i := range c.Unsearched {
		c.Unsearched[i].Names = nil
	}
	c.Unread = p.Unread(r.Unread)
	c.Notes, c.Messages = nil, nil
	for _, f := range r.Suspect.Flags {
		if m, ok := r.Messages[f.Detail]; ok {
			c.Messages.Merge(phrase.Table{f.Detail: m})
		}
	}
	if n := len(r.Notes); n > 0 {
		c.Note(phrase.Counted("said.notes-left-out", "{n} note left out with the names", "{n} notes left out with the names", n))
	}
	if r.Review != nil {
		c.Review = withoutNotes(r.Review)
	}
	return &c
}

// id returns the pseudonym of an id: the first 16 hexadecimal digits of its
// HMAC-SHA256.
func (p Pseudonyms) id(id string) string {
	sum := hmac.New(sha256.New, []byte(p.Key))
	sum.Write([]byte(id))
	return hex.EncodeToString(sum.Sum(nil)[:8])
}

// Unread returns a list of unread files without their paths and reasons: both may
// contain names.
func (p Pseudonyms) Unread(list []search.Unread) []search.Unread {
	out := make([]search.Unread, len(list))
	for i := range list {
		out[i] = search.NewUnread(fmt.Sprintf("#%d", i+1), phrase.Error("said.not-read", "not read"))
	}
	return out
}

// withoutNotes returns a copy of a review without notes and the names of reviewers.
func withoutNotes(v *Review) *Review {
	c := *v
	strip := func(list []Decision) []Decision {
		out := make([]Decision, len(list))
		for i, d := range list {
			out[i] = Decision{Index: d.Index, Reason: d.Reason}
		}
		return out
	}
	c.Sources, c.Passages, c.By = strip(v.Sources), strip(v.Passages), ""
	c.Places = slices.Clone(v.Places)
	for i := range c.Places {
		c.Places[i].Note, c.Places[i].By = "", ""
	}
	c.Hints = slices.Clone(v.Hints)
	for i := range c.Hints {
		c.Hints[i].Note, c.Hints[i].By = "", ""
	}
	c.Verdicts = slices.Clone(v.Verdicts)
	for i := range c.Verdicts {
		c.Verdicts[i].Note, c.Verdicts[i].By = "", ""
	}
	return &c
}

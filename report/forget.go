package report

import (
	"maps"
	"slices"
	"strings"

	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/search"
)

// ForgottenName is the start of the name of a source whose document was deleted. A part of its new
// id follows.
const ForgottenName = "deleted document "

// forgottenName returns the name of a source whose document was deleted, by its new id.
func forgottenName(id string) *phrase.Phrase {
	return phrase.Error("said.deleted-document", "deleted document {part}", "part", id[:8])
}

// forgotten is the note on a report with such sources.
var forgotten = phrase.Error("said.documents-deleted", "documents were deleted after this check: their names and texts are no longer kept")

// Forget removes the names, metadata and texts of deleted documents from r: of documents of the
// collection, or with among of other texts of the run. gone maps their names to ids that replace
// theirs, since an id is a hash of a name. Figures and places stay, and so does the text of the
// suspect. Forget returns the replaced ids with those that replace them, for [Decisions.Forget], and
// reports whether it changed r; a second call does not.
func Forget(r *Report, gone map[string]string, among bool) (ids map[string]string, changed bool) {
	ids = map[string]string{}
	for i := range r.Sources {
		s := &r.Sources[i]
		id := gone[s.Name]
		if id == "" || s.Among != among {
			continue
		}
		ids[s.ID] = id
		*s = search.Source{
			ID: id, Name: r.Messages.Add(forgottenName(id)), Own: s.Own, Match: s.Match, Covered: s.Covered, Percent: s.Percent, Counted: s.Counted, Words: s.Words, Bytes: s.Bytes,
			Scanned: s.Scanned, Pairs: s.Pairs, PairScore: s.PairScore, LikeSource: s.LikeSource, Alike: s.Alike, Hinted: s.Hinted, Among: s.Among, NoText: true,
		}
	}
	changed = len(ids) > 0
	similar := len(r.Similar)
	r.Similar = slices.DeleteFunc(slices.Clone(r.Similar), func(d search.Similar) bool { return gone[d.Name] != "" })
	changed = changed || len(r.Similar) < similar
	for i := range r.Unsearched {
		u := &r.Unsearched[i]
		before := len(u.Names)
		u.Names = slices.DeleteFunc(u.Names, func(name string) bool { return gone[name] != "" })
		changed = changed || len(u.Names) < before
	}
	before := len(r.Notes)
	for name := range gone {
		r.Notes = slices.DeleteFunc(r.Notes, func(note string) bool { return strings.Contains(note, name) })
		maps.DeleteFunc(r.Messages, func(note string, _ phrase.Stored) bool { return strings.Contains(note, name) })
	}
	if changed = changed || len(r.Notes) < before; changed && !slices.Contains(r.Notes, forgotten.Error()) {
		r.Note(forgotten)
	}
	return ids, changed
}

// Forget replaces ids of deleted documents in d, and removes their names. ids is a result of [Forget].
// Forget reports whether it changed d. Notes of reviewers stay.
func (d *Decisions) Forget(ids map[string]string) (changed bool) {
	replace := func(id, name *string) {
		if to, gone := ids[*id]; gone {
			*id, *name, changed = to, forgottenName(to).Error(), true
		}
	}
	for i := range d.Sources {
		replace(&d.Sources[i].ID, &d.Sources[i].Name)
	}
	for i := range d.Passages {
		replace(&d.Passages[i].Source, &d.Passages[i].Name)
	}
	for i := range d.Verdicts {
		replace(&d.Verdicts[i].Source, &d.Verdicts[i].Name)
	}
	for i := range d.Hints {
		replace(&d.Hints[i].Source, &d.Hints[i].Name)
	}
	return changed
}

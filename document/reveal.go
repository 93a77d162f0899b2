package document

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/otisk/otisk/document/disguise"
	"github.com/otisk/otisk/document/web"
	"github.com/otisk/otisk/lang/phrase"
)

// flagKinds maps kinds of package disguise to kinds of flags.
var flagKinds = map[disguise.Kind]FlagKind{
	disguise.Script:    MixedScript,
	disguise.Spaced:    SpacedWord,
	disguise.Invisible: InvisibleChars,
}

// reveal undoes disguises in the text of doc and flags them. The text then differs from that
// of the file in those words. If the encoding is guessed, letters of other scripts are not flagged.
func reveal(ctx context.Context, doc *Document, guessed bool) error {
	noteLittle(doc)
	doc.Flags = together(doc.Flags)
	p, err := disguise.Undo(ctx, doc.Text)
	if err != nil || len(p.Finds) == 0 {
		return err
	}
	finds, notes := accused(doc.Format, doc.Text, p, guessed)
	for _, note := range notes {
		doc.Note(note)
	}
	doc.Messages.Merge(p.Details)
	doc.Note(phrase.Counted("said.more-disguised", "{n} further place with disguised letters is not listed", "{n} further places with disguised letters are not listed", p.More))
	doc.Note(phrase.Counted("said.disguised-left", "{n} place with disguised letters is unchanged: there are too many to undo", "{n} places with disguised letters are unchanged: there are too many to undo", p.Left))
	doc.Text = p.Text
	for i := range doc.Pages {
		doc.Pages[i] = p.Moved(doc.Pages[i])
	}
	for i := range doc.Marks {
		m := &doc.Marks[i]
		m.Start, m.End = p.Moved(m.Start), p.Moved(m.End)
	}
	for i := range doc.Flags {
		f := &doc.Flags[i]
		f.Start, f.End = p.Moved(f.Start), p.Moved(f.End)
	}
	for _, f := range finds {
		doc.Flags = append(doc.Flags, Flag{Kind: flagKinds[f.Kind], Start: f.Start, End: f.End, Count: f.Count, Detail: f.Detail})
	}
	slices.SortStableFunc(doc.Flags, func(a, b Flag) int { return a.Start - b.Start })
	return nil
}

// Limits of hidden text that hides no copy.
const (
	littleHidden = 100 // characters outside of prose, in a text of at least as many bytes: 17 words
	moreShare    = 200 // bytes of text for each hidden character
	wordBytes    = 30  // most bytes of a word, in scripts with spaces
	mostPreview  = 400 // characters before the text of a message, which lists of messages show
)

// noteLittle replaces the flags of hidden text by notes if so little of it is outside of prose, such as a white title
// that is only for the table of contents or a message of a form, or if a long text has few such places and those within
// prose, where hidden text splits or joins words, are far apart. Places in a PDF are judged by its reader. The preview
// of a message precedes its text, and is for lists of messages.
func noteLittle(doc *Document) {
	count, sum, within := map[string]int{}, 0, []int(nil)
	doc.Flags = slices.DeleteFunc(doc.Flags, func(f Flag) bool {
		preview := f.Kind == HiddenText && f.Start == 0 && f.Count <= mostPreview && littleHidden <= len(doc.Text) && (doc.Format == "mail" || doc.Format == "html")
		if preview {
			doc.Note(omitted(doc, f.Detail, f.Count))
		}
		return preview
	})
	unspaced := len(doc.Flags) > 0 && len(strings.Fields(doc.Text))*wordBytes < len(doc.Text)
	for _, f := range doc.Flags {
		if f.Kind == HiddenText {
			count[f.Detail] += f.Count
			sum += f.Count
			if unspaced || web.InProse(doc.Text, f.Start) {
				within = append(within, f.Start)
			}
		}
	}
	few := len(within) == 0 && sum <= littleHidden && littleHidden <= len(doc.Text)
	if sum == 0 || doc.Format == "pdf" || !few && (sum*moreShare > len(doc.Text) || !farApart(within, len(doc.Text))) {
		return
	}
	for _, why := range slices.Sorted(maps.Keys(count)) {
		doc.Note(omitted(doc, why, count[why]))
	}
	doc.Flags = slices.DeleteFunc(doc.Flags, func(f Flag) bool { return f.Kind == HiddenText })
}

// omitted returns the note that n hidden characters are omitted.
func omitted(doc *Document, why string, n int) *phrase.Phrase {
	return phrase.Counted("said.little-hidden", "{n} hidden character is omitted: {why}", "{n} hidden characters are omitted: {why}", n, "why", doc.Messages.Of(why))
}

// nearFlags is the maximum distance, in bytes, of two flags of hidden text that are merged:
// hidden letters between two words usually come in series.
const nearFlags = 200

// together merges flags of hidden text that are near each other.
func together(flags []Flag) []Flag {
	var out []Flag
	for _, f := range flags {
		if f.Kind == HiddenText && f.Count == 0 {
			continue // white space
		}
		if n := len(out); n > 0 && f.Kind == HiddenText {
			if l := &out[n-1]; l.Kind == f.Kind && l.Detail == f.Detail && f.Start >= l.End && f.Start-l.End < nearFlags {
				l.End = f.End
				l.Count += f.Count
				continue
			}
		}
		out = append(out, f)
	}
	return out
}

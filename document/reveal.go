package document

import (
	"slices"

	"otisk/document/disguise"
)

// flagKinds are what the finds of package disguise are called here.
var flagKinds = map[disguise.Kind]FlagKind{
	disguise.Script:    MixedScript,
	disguise.Spaced:    SpacedWord,
	disguise.Invisible: InvisibleChars,
}

// reveal undoes disguises in the text of doc and flags them. The text then
// differs from the file's in those words, and reads the same.
func reveal(doc *Document) {
	p := disguise.Undo(doc.Text)
	if len(p.Finds) == 0 {
		return
	}
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
	for _, f := range p.Finds {
		doc.Flags = append(doc.Flags, Flag{flagKinds[f.Kind], f.Start, f.End, f.Count, f.Detail})
	}
	slices.SortStableFunc(doc.Flags, func(a, b Flag) int { return a.Start - b.Start })
}

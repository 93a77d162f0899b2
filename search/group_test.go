package search

import (
	"strings"
	"testing"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/normalize"
)

// groupIn returns the group of a passage of a text: that between the bars.
func groupIn(t *testing.T, marked string) string {
	t.Helper()
	before, rest, _ := strings.Cut(marked, "|")
	inside, after, found := strings.Cut(rest, "|")
	if !found {
		t.Fatalf("no passage in %q", marked)
	}
	sus := newSuspect(&document.Document{Text: before + inside + after}, normSet(t, normalize.Blank), nil)
	from, to := sus.wordAt(len(before)), sus.wordAt(len(before)+len(inside))
	r := &Result{Passages: []Passage{{Number: 1, Word: from, Words: to - from}}}
	r.group(sus)
	return r.Passages[0].Group
}

func TestGroups(t *testing.T) {
	for marked, want := range map[string]string{
		"|One two three four five.|":                  Neither,
		"|“One two three four five” (Smith 2010).|":   QuotedCited,
		"|„Jedna dvě tři čtyři pět“ (Novák 2010).|":   QuotedCited,
		"|»Eins zwei drei vier fünf« (Müller 2010).|": QuotedCited,
		"|“One two three four five”|":                 Quoted,
		"|One two three four five (Smith 2010).|":     Cited,
		"|(Smith 2010) One two three four five.|":     Cited,
		"|(Smith 2010)|": Cited,
		"|Word|":         Neither,
		"As Smith (2010) says, |one two three four five|.":                                                                       Cited,
		"As Smith (2010) says: “|one two three four five|”.":                                                                     QuotedCited,
		"|One two three four five|, and more of it besides [1].":                                                                 Cited,
		"|One two three four five.| [1]":                                                                                         Cited,
		"|One two three four five.| Another sentence has one (Smith 2010).":                                                      Neither,
		"A sentence has one (Smith 2010). |One two three four five.|":                                                            Neither,
		"|One two three four. Five six seven eight. Nine ten eleven [1].|":                                                       Cited,
		"|" + strings.Repeat("One two three four. ", 9) + "Five six [1].|":                                                       Neither,
		"|“One two three” four five six seven eight nine.|":                                                                      Neither,
		"|Zero “one two three four five” six.|":                                                                                  Quoted,
		"|One two [1]|\n\nReferences\n\n[1] Smith, J. Books. London, 2010.\n":                                                    Cited,
		"Text.\n\nReferences\n\n|Smith, J. Books. London: Academic Press, 2010.\nBrown, K. Pens. London: Academic Press, 2011.|": Cited,
	} {
		if got := groupIn(t, marked); got != want {
			t.Errorf("group of %q: %q, want %q", marked, got, want)
		}
	}
}

// TestGroupsOfNotes groups by the notes that a format states.
func TestGroupsOfNotes(t *testing.T) {
	const text = "One two three four. Five six seven eight.\n\nSmith 2010, p. 4.\n\nI thank them."
	note, thanks := strings.Index(text, "Smith"), strings.Index(text, "I thank")
	doc := &document.Document{Text: text, Marks: []document.Mark{
		{Kind: document.NoteMark, Start: len("One two three four."), End: len("One two three four.")},
		{Kind: document.NoteMark, Start: note - 2, End: note - 2},
		{Kind: document.Footnote, Start: note, End: thanks - 2},
		{Kind: document.Footnote, Start: thanks, End: len(text)},
	}}
	sus := newSuspect(doc, normSet(t, normalize.Blank), nil)
	r := &Result{Passages: []Passage{{Number: 1, Word: 0, Words: 4}, {Number: 2, Word: 4, Words: 4}}}
	r.group(sus)
	if got := [2]string{r.Passages[0].Group, r.Passages[1].Group}; got != [2]string{Cited, Neither} {
		t.Errorf("groups %q, want %q and %q", got, Cited, Neither)
	}
}

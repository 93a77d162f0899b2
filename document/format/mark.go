package format

// A Mark is a range of the text with a role that the format states.
type Mark struct {
	Kind       MarkKind
	Start, End int // byte range in Text.Text
	// Level and Label are those of an item of a list: the number of lists around it, from 1, and "" for a bullet.
	// The label of a reference to a note is its number, "" if the format states the note.
	Level int
	Label string
}

// A MarkKind is the role of a marked range.
type MarkKind string

const (
	Heading  MarkKind = "heading"
	Footnote MarkKind = "footnote"  // or endnote; it follows the paragraph with its reference
	NoteMark MarkKind = "note mark" // an empty range: a reference to a note, whose number was omitted
	Quote    MarkKind = "quote"     // a block quote
	Contents MarkKind = "contents"  // a line of a table of contents
	Item     MarkKind = "item"      // of a list, with the lists in it; its label is not part of the text

	Recognized MarkKind = "recognized" // text that a program recognised in a picture of a page
	Doubtful   MarkKind = "doubtful"   // a word in it that the program is not sure of
)

// A Flag is something in a file that may hide copying. It is never a verdict: each kind has
// honest reasons, too.
type Flag struct {
	Kind       FlagKind
	Start, End int    // byte range in Text.Text; empty where something was omitted
	Count      int    // number of characters, pages or pictures
	Detail     string // what was found, in a few words
}

// A FlagKind is a way of hiding text.
type FlagKind string

const (
	// HiddenText is text in the file that a reader cannot see: hidden, white or tiny
	// characters. It is omitted from the text.
	HiddenText FlagKind = "hidden text"
	// NoTextLayer is pages that show only pictures.
	NoTextLayer FlagKind = "no text layer"
	// OnlyPictures is large pictures with hardly any text beside them, in a document without
	// pages.
	OnlyPictures FlagKind = "only pictures"
	// UnknownFont is text in fonts that do not state which characters they show.
	UnknownFont FlagKind = "unknown font"
	// MixedScript is words with look-alike letters of another script. The text has them with
	// the letters that they look like.
	MixedScript FlagKind = "mixed scripts"
	// SpacedWord is words whose letters were separated by spaces. The text has them without
	// the spaces.
	SpacedWord FlagKind = "spaced letters"
	// InvisibleChars is invisible characters inside words. They stay in the text and are
	// ignored in comparisons.
	InvisibleChars FlagKind = "invisible characters"
)

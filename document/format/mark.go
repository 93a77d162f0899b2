package format

// A Mark says what a stretch of the text is, where the format states it.
type Mark struct {
	Kind       MarkKind
	Start, End int // byte range in Text.Text
}

// A MarkKind is what a marked stretch of text is.
type MarkKind string

const (
	Heading  MarkKind = "heading"
	Footnote MarkKind = "footnote" // or an end note; it comes after the paragraph that calls for it
	Quote    MarkKind = "quote"    // a block of text set apart as somebody else's

	Recognized MarkKind = "recognized" // what a program read in the picture of a page
	Doubtful   MarkKind = "doubtful"   // of it, a word that it was not sure of
)

// A Flag is something in a file that may hide copying. It is never a verdict:
// each kind has honest reasons too.
type Flag struct {
	Kind       FlagKind
	Start, End int    // byte range in Text.Text; equal where something was left out
	Count      int    // characters concerned, or pages, or pictures
	Detail     string // what was seen, in a few words
}

// A FlagKind is a way in which text is disguised.
type FlagKind string

const (
	// HiddenText is text in the file that no reader sees: hidden, white or tiny
	// characters. It is left out of the text.
	HiddenText FlagKind = "hidden text"
	// NoTextLayer are pages that show nothing but pictures.
	NoTextLayer FlagKind = "no text layer"
	// OnlyPictures are large pictures, in a document without pages, that hardly any text is
	// beside.
	OnlyPictures FlagKind = "only pictures"
	// UnknownFont is text in fonts that do not say which characters they show.
	UnknownFont FlagKind = "unknown font"
	// MixedScript are words with letters of another script that look alike.
	// They are in the text as they read.
	MixedScript FlagKind = "mixed scripts"
	// SpacedWord are words whose letters were separated by spaces. They are in the
	// text without these.
	SpacedWord FlagKind = "spaced letters"
	// InvisibleChars are characters inside words that show nothing. They stay in
	// the text and count for nothing.
	InvisibleChars FlagKind = "invisible characters"
)

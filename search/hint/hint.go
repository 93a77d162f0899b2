// Package hint finds hints: paragraphs of two texts that may have the same content although no passage was found.
//
// A hint is weaker than a passage. It is never part of a score, and it accuses nobody: two people who write on one
// subject use the same words for it. A reader looks at both texts and decides.
//
// A [Finder] finds hints of one kind. [Rewritten] compares paragraphs by their words. All functions are pure: they use no
// store, no files and no clock.
package hint

import (
	"context"
	"errors"

	"github.com/otisk/otisk/fingerprint"
	"github.com/otisk/otisk/normalize"
)

// Kinds of a hint.
const (
	KindRewritten  = "rewritten"  // the same content in other words
	KindTranslated = "translated" // may be translated from the source
	KindSimilar    = "similar"    // single words in common, which other texts may share because of the subject
)

// Strengths of a hint.
const (
	Weak   = "weak"
	Strong = "strong"
)

// Kinds of a link between the words of two texts.
const (
	LinkEqual      = "equal"      // equal words, or words with the same first letters
	LinkDictionary = "dictionary" // a dictionary translates one into the other
	LinkCognate    = "cognate"    // spelled alike in two languages
	LinkName       = "name"
	LinkNumber     = "number"
)

// A Text is a text in which hints are looked for, or a part of one.
type Text struct {
	Words    []normalize.Word // with their bytes in Original
	Breaks   []int            // words that begin a paragraph, ascending; the first is 0
	Original string
}

// A Range is words [From, To) of a text.
type Range struct{ From, To int }

// Len returns the number of words.
func (r Range) Len() int { return r.To - r.From }

// Common returns the number of words that both ranges have.
func (r Range) Common(o Range) int { return max(0, min(r.To, o.To)-max(r.From, o.From)) }

// A Found hint is a range of words of both texts.
type Found struct {
	Suspect, Origin Range
	Links           []Link  // within the ranges, by place in the suspect
	Figure          float64 // by which it was judged: cosine of two paragraphs, or log-likelihood ratio
	Level           float64 // score reached by the rest of both texts
	Strength        string  // Weak or Strong
}

// A Link is words of both texts that speak for a hint.
type Link struct {
	Kind            string // LinkEqual and so on
	Suspect, Origin Range
}

// A Finder finds hints of one kind. It is safe for use by several goroutines at once.
type Finder interface {
	Kind() string // KindRewritten or KindTranslated
	// Prepare returns a search for hints between a suspect and any source.
	Prepare(suspect *Text) Search
}

// A Search looks for hints between one suspect and its sources. It is safe for use by several goroutines at once.
type Search interface {
	// Find returns the hints between the suspect and a source, by place in the suspect, no two of which have words of the
	// suspect in common. It ends early, with the error of ctx, if ctx is done.
	Find(ctx context.Context, source *Text) ([]Found, error)
}

// A Namer is a [Search] that can name sources which share no words with the suspect.
type Namer interface {
	// Keys returns the keys for translations that a source in a language has if the suspect has its content, by ascending
	// word of the suspect. The language is given by its code, as package language has it. If it is that of the suspect,
	// or that of the suspect is unknown, there are none; if no lexicon serves both, the error wraps ErrNoLexicon.
	Keys(ctx context.Context, language string) ([]Key, error)
}

// ErrNoLexicon means that no dictionary serves two languages.
var ErrNoLexicon = errors.New("no dictionary")

// A Key is a key of an index for translations, and the word of the suspect that completes it.
type Key struct {
	Hash fingerprint.Hash
	Word int
}

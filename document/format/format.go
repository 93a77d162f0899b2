// Package format defines what all readers share: their input, a [Source], and their result, a
// [Text] or one of the errors here.
//
// A reader is a function of type [Reader]. It checks its context regularly, since a file can
// be made so that reading it takes very long; a [Pulse] makes the check cheap.
package format

import (
	"context"
	"errors"
	"fmt"
	"time"
	"unicode"

	"github.com/otisk/otisk/lang/phrase"
)

// Errors that say why a file was not read. Errors that wrap them add details.
var (
	ErrEmpty    error = phrase.Error("said.no-text", "no text in it")             // nothing but white space and markup
	ErrNoLayer  error = phrase.Error("said.no-text-layer", "no text layer")       // only pictures of text
	ErrBinary   error = phrase.Error("said.not-text", "not text")                 // another kind of file
	ErrEncoding error = phrase.Error("said.encoding-unknown", "encoding unknown") // text in an unknown character encoding
	ErrTooLarge error = phrase.Error("said.too-large", "too large")               // larger than the limit
	ErrDamaged  error = phrase.Error("said.damaged", "damaged or not whole")      // violates its format

	ErrEncrypted = phrase.Error("said.encrypted", "encrypted with a password")
	ErrNoField   = fmt.Errorf("%w: %w", ErrEmpty, phrase.Error("cause.no-field", "it has no field or column")) // the field or column for the text is missing
)

// Damage returns err if it wraps one of the errors above, otherwise wraps it in ErrDamaged.
func Damage(err error) error {
	for _, known := range []error{ErrEmpty, ErrNoLayer, ErrBinary, ErrEncoding, ErrTooLarge, ErrDamaged, ErrEncrypted} {
		if errors.Is(err, known) {
			return err
		}
	}
	return fmt.Errorf("%w: %w", ErrDamaged, err)
}

// A Source is the content of one file with the options of its reader.
type Source struct {
	Data []byte
	Ext  string // file type by name, lower case without the dot
	Budget
	Encoding string // character encoding; overrides detection
	Stated   string // character encoding that the container states, such as a message for its parts
	Strip    bool   // omit the boilerplate of web pages
	Decoded  string // encoding from which Data was converted to UTF-8; "" if it is not converted yet

	// Guessed is the encoding that the decoder guessed by the letters of languages; nil
	// if it did not have to.
	Guessed *Guess

	// Inner reads a file that is embedded in the text of this one; nil if none may be.
	Inner func(ctx context.Context, name string, data []byte) (*Text, error)

	// Linked reads the file at an address that a master document shows at this place. It returns nil if
	// it does not read that file, and records the reason itself. Linked is nil if links are not followed.
	Linked func(ctx context.Context, address string) *Text

	OCR Recognizer // recognises text in pictures of pages; nil to skip them
}

// A Guess is a guessed encoding, and another one that fits about as well and yields another text,
// "" if there is none.
type Guess struct{ Encoding, Other string }

// Note notes in t that a guess is unsure. g may be nil.
func (g *Guess) Note(t *Text) {
	if g != nil && g.Other != "" {
		t.Note(phrase.Error("said.encoding-unsure", "the encoding is guessed to be {encoding}, but {other} fits about as well: if words are garbled, set it with --encoding", "encoding", g.Encoding, "other", g.Other))
	}
}

// A Budget limits the resources for reading a file.
type Budget struct {
	Time   time.Duration // limit of the reader's context
	Bytes  int64         // of the text, and of everything decompressed for it
	Memory int64         // memory of an engine that allocates separately, in bytes
}

// A Text is the result of reading a source.
type Text struct {
	Text       string       // valid UTF-8
	Parted     bool         // the format states paragraphs; blank lines of Text separate them
	Title      string       // where the format states one
	Author     string       // where the format states one
	Year       int          // of publication, where the format states one
	Encoding   string       // character encoding, by its label on the web, if the format does not fix it
	Marks      []Mark       // headings, notes and block quotes that the format states
	Flags      []Flag       // possible signs of hidden copying
	Pages      []int        // where each page starts in Text
	PageLabels []string     // page labels, if any differs from its page number
	Notes      []string     // remarks on the reading
	Messages   phrase.Table // messages of notes, and of details of flags with arguments
	Attached   []Attached   // files attached to the file
	Missed     bool         // pages that were to be recognised were skipped
}

// An Attached file is embedded in another file that also has text.
type Attached struct {
	Name string
	Data []byte
}

// A Reader extracts the text of a source.
type Reader func(ctx context.Context, src *Source) (*Text, error)

// A Waiter waits for the resources that the reader of a source needs. The caller calls done
// after reading.
type Waiter func(ctx context.Context, src *Source) (done func(), err error)

// A Splitter calls give for each document of a source that holds many, in order, with its name
// in the source, "" if it has none.
type Splitter func(ctx context.Context, src *Source, give func(name string, part *Source) error) error

// Check returns ErrEmpty if the text is only white space.
func (t *Text) Check() error {
	for _, r := range t.Text {
		if !unicode.IsSpace(r) && r != '\ufeff' {
			return nil
		}
	}
	return ErrEmpty
}

// Note adds a note, unless it counts 0 items.
func (t *Text) Note(p *phrase.Phrase) {
	if !p.CountsNone() {
		t.Notes = append(t.Notes, t.Messages.Add(p))
	}
}

// Elsewhere returns the note for n included files that are not in the text.
func Elsewhere(n int) *phrase.Phrase {
	return phrase.Counted("said.other-files", "{n} included file is not read", "{n} included files are not read", n)
}

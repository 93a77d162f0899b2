// Package format is what the readers of all formats have in common: what they
// get, a [Source], and what they give, a [Text] or one of the errors here.
//
// A reader is a function of one kind, [Reader]. It looks at its context again and
// again while it works, since a file can be made so that reading it does not end;
// a [Pulse] makes that cheap.
package format

import (
	"context"
	"errors"
	"fmt"
	"time"
	"unicode"

	"github.com/otisk/otisk/document/ocr"
)

// Errors that say why a file was not read. Their wrappers say more.
var (
	ErrEmpty    = errors.New("no text in it")        // nothing but white space and markup
	ErrNoLayer  = errors.New("no text layer")        // pictures of text
	ErrBinary   = errors.New("not text")             // some other kind of file
	ErrEncoding = errors.New("encoding unknown")     // text, but its characters are unknown
	ErrTooLarge = errors.New("too large")            // more than the limit
	ErrDamaged  = errors.New("damaged or not whole") // breaks the rules of its format

	ErrEncrypted = errors.New("encrypted with a password")
	ErrNoField   = fmt.Errorf("%w: it has no field or column", ErrEmpty) // of the name that the one with the text should have
)

// Damage returns err as one of damage, unless it says why a file was not read already.
func Damage(err error) error {
	for _, known := range []error{ErrEmpty, ErrNoLayer, ErrBinary, ErrEncoding, ErrTooLarge, ErrDamaged, ErrEncrypted} {
		if errors.Is(err, known) {
			return err
		}
	}
	return fmt.Errorf("%w: %w", ErrDamaged, err)
}

// A Source is the content of one file, and what its reader has to know.
type Source struct {
	Data []byte
	Ext  string // file type by name, lower case without the dot
	Budget
	Encoding string // of the characters, in place of what is found out
	Stated   string // encoding of the characters by what holds the file, such as a message its parts
	Strip    bool   // of pages, what is around their text is left out
	Decoded  string // encoding that Data was in before it became UTF-8; "" where that is to be done

	// Inner reads a file that is put into the text of this one; nil where none can be.
	Inner func(ctx context.Context, name string, data []byte) (*Text, error)

	OCR *ocr.Recognizer // of text in pictures of pages; nil where that is not wanted
}

// A Budget is what reading a file may take.
type Budget struct {
	Time   time.Duration // which the context of the reader is bounded by
	Bytes  int64         // that the text may have, and all that is unpacked for it
	Memory int64         // of an engine that runs by itself
}

// A Text is what was read out of a source.
type Text struct {
	Text       string   // valid UTF-8
	Parted     bool     // the format states paragraphs; blank lines of Text separate them
	Title      string   // where the format states one
	Author     string   // where the format states one
	Year       int      // of publication, where the format states one
	Encoding   string   // of its characters, as web pages name it, where the format leaves it open
	Marks      []Mark   // headings, notes and block quotes, where the format states them
	Flags      []Flag   // what may hide copying
	Pages      []int    // where each page starts in Text
	PageLabels []string // labels of the pages, where any is not the number of its page
	Notes      []string
	Attached   []Attached // files in the file
	Missed     bool       // pages that were to be recognised were not
}

// An Attached file is in another one, which has a text of its own.
type Attached struct {
	Name string
	Data []byte
}

// A Reader takes the text out of a source.
type Reader func(ctx context.Context, src *Source) (*Text, error)

// A Waiter waits for what the reader of a source needs. done is to be called after
// the reading.
type Waiter func(ctx context.Context, src *Source) (done func(), err error)

// A Splitter gives the documents of a source that holds many to give, in order,
// each with the name that it has in the source, if any.
type Splitter func(ctx context.Context, src *Source, give func(name string, part *Source) error) error

// Check returns ErrEmpty unless there is more than white space.
func (t *Text) Check() error {
	for _, r := range t.Text {
		if !unicode.IsSpace(r) && r != '\ufeff' {
			return nil
		}
	}
	return ErrEmpty
}

// Elsewhere notes that n files are to be put into a text, which are not in it.
func Elsewhere(n int) string {
	if n == 1 {
		return "1 other file is to be put in here, and is not read"
	}
	return fmt.Sprintf("%d other files are to be put in here, and are not read", n)
}

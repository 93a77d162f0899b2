package format

import "context"

// A Recognizer recognises text in pictures of pages. Several goroutines may use it.
type Recognizer interface {
	// Check returns why pictures cannot be recognised, nil if they can.
	Check() error

	// Read returns the lines of text in a picture. limit bounds the time of recognising it, from
	// when that starts.
	Read(ctx context.Context, p *Picture, limit func(context.Context) (context.Context, context.CancelFunc)) ([]Line, error)

	// Expect adds n to the number of pages to be recognised; Skip subtracts one.
	Expect(pages int)
	Skip()

	Workers() int    // number of pictures that are recognised in parallel
	Version() string // name and version of the program, for notes
	String() string  // languages, as in ces+eng
}

// A Picture is a page in greyscale, one byte a pixel, row by row.
type Picture struct {
	Dots          []byte
	Width, Height int // in pixels
	DPI           int
}

// A Line is one line of text recognised in a picture.
type Line struct {
	Text                     string // words separated by single spaces
	Doubts                   []Span // words that may be wrong
	Left, Top, Right, Bottom int    // bounding box, in pixels from the top left corner
	Base                     int    // baseline
}

// A Span is a range of bytes of a line.
type Span struct{ Start, End int }

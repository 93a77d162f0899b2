package office

import (
	"context"
	"fmt"
	"slices"

	"github.com/otisk/otisk/document/archive"
	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/lang/phrase"
)

// A Word document may embed whole files in its text (altChunk): web pages, other documents,
// plain text. Word imports them when it opens the document. Programs that merge documents write
// them.

// A chunkReader reads embedded files.
type chunkReader struct {
	ctx       context.Context
	src       *format.Source
	container *archive.Container
	parts     archive.Relations
	read      map[string]bool // members that were read
	missed    []string        // why files are missing in the text
	messages  phrase.Table    // messages of missed
	err       error           // error of a limit, which stops the reader
}

// text returns the text of the file with this relation id, nil if it cannot be read.
func (c *chunkReader) text(id string) *format.Text {
	name := c.parts.Target(id)
	if c.read[name] || c.err != nil {
		return nil // a file may refer to one part any number of times
	}
	c.read[name] = true
	data, err := c.container.Read(name)
	var t *format.Text
	switch {
	case err != nil:
	case c.src.Inner == nil:
		err = fmt.Errorf("%w: %w", format.ErrTooLarge, phrase.Error("cause.embedded-deep", "embedded files are nested too deep"))
	default:
		t, err = c.src.Inner(c.ctx, name, data)
	}
	if ended := format.Ended(c.ctx); ended != nil {
		c.err = ended
		return nil
	}
	if err != nil {
		c.miss(phrase.Error("said.inner-file", "a file in the text is not read: {name}: {cause}", "name", name, "cause", err))
		return nil
	}
	if t != nil {
		for _, n := range t.Notes {
			c.miss(phrase.Error("said.details", "{what}: {details}", "what", name, "details", t.Messages.Of(n)))
		}
		if n := len(t.Attached); n > 0 {
			c.miss(phrase.Error("said.inner-file", "a file in the text is not read: {name}: {cause}", "name", name, "cause", phrase.Counted("said.attached-to-it", "{n} file that is attached to it", "{n} files that are attached to it", n)))
		}
	}
	return t
}

// miss notes why a file is missing in the text.
func (c *chunkReader) miss(p *phrase.Phrase) { c.missed = append(c.missed, c.messages.Add(p)) }

// note adds notes about files that are missing in the text to t.
func (c *chunkReader) note(t *format.Text) {
	slices.Sort(c.missed)
	t.Notes = append(t.Notes, slices.Compact(c.missed)...)
	t.Messages.Merge(c.messages)
}

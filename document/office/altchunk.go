package office

import (
	"context"
	"fmt"
	"slices"

	"github.com/otisk/otisk/document/archive"
	"github.com/otisk/otisk/document/format"
)

// A Word document may have whole files put into its text, which Word reads when it opens
// it: pages, other documents, plain text. Programs that put documents together write them.

// A chunkReader reads them.
type chunkReader struct {
	ctx       context.Context
	src       *format.Source
	container *archive.Container
	parts     archive.Relations
	read      map[string]bool // by member
	missed    []string        // why files are not in the text
	err       error           // a limit, which ends the reading
}

// text returns the text of the file that a relation names, nil where it cannot be read.
func (c *chunkReader) text(id string) *format.Text {
	name := c.parts.Target(id)
	if c.read[name] || c.err != nil {
		return nil // a file may name one part any number of times
	}
	c.read[name] = true
	data, err := c.container.Read(name)
	var t *format.Text
	switch {
	case err != nil:
	case c.src.Inner == nil:
		err = fmt.Errorf("%w: files in files, deeper than is read", format.ErrTooLarge)
	default:
		t, err = c.src.Inner(c.ctx, name, data)
	}
	if ended := format.Ended(c.ctx); ended != nil {
		c.err = ended
		return nil
	}
	if err != nil {
		c.missed = append(c.missed, fmt.Sprintf("a file in the text is not read: %s: %v", name, err))
		return nil
	}
	if t != nil {
		for _, n := range t.Notes {
			c.missed = append(c.missed, fmt.Sprintf("%s: %s", name, n))
		}
		if n := len(t.Attached); n > 0 {
			c.missed = append(c.missed, fmt.Sprintf("a file in the text is not read: %s: %d files that are attached to it", name, n))
		}
	}
	return t
}

// notes say which files are not in the text.
func (c *chunkReader) notes() []string {
	slices.Sort(c.missed)
	return slices.Compact(c.missed)
}

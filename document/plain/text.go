// Package plain reads text that has no markup of its own, or only the columns of a
// vertical file.
package plain

import (
	"bytes"
	"context"
	"fmt"

	"github.com/otisk/otisk/document/charset"
	"github.com/otisk/otisk/document/flow"
	"github.com/otisk/otisk/document/format"
)

// Text takes plain text as it is, in UTF-8.
func Text(ctx context.Context, src *format.Source) (*format.Text, error) {
	data, encoding, err := charset.Decode(ctx, src, "")
	if err != nil {
		return nil, err
	}
	t := &format.Text{Text: flow.AsString(data), Encoding: encoding}
	if count := bytes.Count(data, []byte{0}); count > 0 {
		t.Notes = append(t.Notes, nulNote(count, bytes.IndexByte(data, 0)))
	}
	return t, t.Check()
}

func nulNote(count, first int) string {
	if count == 1 {
		return fmt.Sprintf("%d NUL character, at byte %d, separates words", count, first)
	}
	return fmt.Sprintf("%d NUL characters, the first at byte %d, separate words", count, first)
}

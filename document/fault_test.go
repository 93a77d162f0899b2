package document

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/internal/fault"
	"github.com/otisk/otisk/internal/testing/zipped"
)

// A reader that panics fails at one document; what else is in the file is read.
func TestReaderPanics(t *testing.T) {
	var none map[string]int
	before := formats
	t.Cleanup(func() { formats = before })
	formats = append([]row{{name: "broken", exts: []string{"broken"}, read: func(context.Context, *format.Source) (*format.Text, error) {
		none["a"]++
		return nil, nil
	}}}, before...)

	var read []string
	var failed error
	err := Each(t.Context(), write(t, "a.zip", string(zipped.Of("a.txt", "one", "b.broken", "two", "c.txt", "three"))), Options{}, func(doc *Document, err error) error {
		if err != nil {
			failed = err
			return nil
		}
		read = append(read, doc.Text)
		return nil
	})
	if err != nil || !slices.Equal(read, []string{"one", "three"}) {
		t.Errorf("read %q, %v; want what is beside the document that failed", read, err)
	}
	var f *fault.Error
	if !errors.As(failed, &f) {
		t.Errorf("error %v, want a fault", failed)
	}
}

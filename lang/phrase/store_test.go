package phrase

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"reflect"
	"testing"
)

// TestStore: phrases and errors of the system that an error wraps are stored by their names, the text around them as it is.
func TestStore(t *testing.T) {
	system := Stored{Name: "system.cut-off"}
	for _, tt := range []struct {
		err  error
		want Stored
	}{
		{errors.New("no message"), verbatim("no message")},
		{Error("a.x", "x {n}", "n", int64(2)), Stored{"a.x", map[string]any{"n": 2}}},
		{fmt.Errorf("%w: %w", Error("a.x", "x"), io.ErrUnexpectedEOF), chain(verbatim(""), Stored{Name: "a.x"}, verbatim(": "), system, verbatim(""))},
		{&fs.PathError{Op: "open", Path: "a.txt", Err: io.ErrUnexpectedEOF}, chain(verbatim("a.txt: "), system)},
		{Error("a.y", "{why}", "why", Fixed("white on white")), Stored{"a.y", map[string]any{"why": Stored{"fixed", map[string]any{"text": "white on white"}}}}},
		{Error("a.y", "{why}", "why", Told{"x", system}), Stored{"a.y", map[string]any{"why": system}}},
	} {
		got := Store(tt.err)
		if !reflect.DeepEqual(got, tt.want) {
			t.Errorf("Store(%v) = %+v, want %+v", tt.err, got, tt.want)
		}
	}
}

// TestTable: a text has its message, or is its own.
func TestTable(t *testing.T) {
	var table, other Table
	other.Add(Error("a.z", "z"))
	table.Merge(nil)
	table.Merge(other)
	if got := table.Add(Error("a.x", "x {n}", "n", 1)); got != "x 1" || len(table) != 2 {
		t.Errorf("Add returned %q, the table has %d texts, want “x 1” and 2", got, len(table))
	}
	for text, want := range map[string]Stored{"x 1": {"a.x", map[string]any{"n": 1}}, "y": {"fixed", map[string]any{"text": "y"}}} {
		if got := table.Of(text); got.Error() != text || !reflect.DeepEqual(got.Message, want) {
			t.Errorf("Of(%q) = %+v, want %+v", text, got, want)
		}
	}
}

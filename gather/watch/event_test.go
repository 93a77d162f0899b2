package watch

import (
	"errors"
	"testing"

	"github.com/otisk/otisk/indexer/ledger"
)

// TestEventText: an event with neither a remark nor a problem has no text.
func TestEventText(t *testing.T) {
	for _, tt := range []struct {
		e    Event
		want string
	}{
		{Event{Summary: &ledger.Summary{}}, ""},
		{Event{Note: errors.New("is there again")}, "is there again"},
		{Event{Err: errors.New("gone")}, "gone"},
	} {
		if got := tt.e.String(); got != tt.want {
			t.Errorf("%+v has the text %q, want %q", tt.e, got, tt.want)
		}
	}
}

package lang

import (
	"errors"
	"fmt"
	"io"
	"testing"
)

// TestMessageIsSaid in each language, with the messages that are its arguments, and
// within the errors that wrap it.
func TestMessageIsSaid(t *testing.T) {
	m := NewMessage("usage.want", "what", "-a 120", "wanted", NewMessage("usage.percentage"))
	for tag, want := range map[string]string{
		"en": "-a 120: want a percentage, 0 to 100", "cs": "-a 120: zadejte procenta, 0 až 100",
		"sk": "-a 120: zadajte percentá, 0 až 100", "de": "-a 120: erwartet wird ein Prozentsatz, 0 bis 100",
	} {
		if got := Of(tag).Err(m); got != want {
			t.Errorf("%s: %q, want %q", tag, got, want)
		}
		if got := Of(tag).Err(fmt.Errorf("a.txt: %w", m)); got != "a.txt: "+want {
			t.Errorf("%s, wrapped: %q, want %q", tag, got, "a.txt: "+want)
		}
	}
	if m.Error() != Of("en").Message(m) {
		t.Errorf("as an error: %q", m.Error())
	}
	if err := NewMessage("usage.want", "what", "--ocr", "wanted", io.EOF); !errors.Is(err, io.EOF) {
		t.Error("an argument that is an error is not wrapped")
	}
}

package offset

import (
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"
)

func TestAt(t *testing.T) {
	text := strings.Repeat("ač😀 ", 500)
	runes, units := Runes(text), UTF16(text)
	for at := range text + " " {
		at = min(at, len(text))
		if got, want := runes.At(at), utf8.RuneCountInString(text[:at]); got != want {
			t.Fatalf("code points before byte %d = %d, want %d", at, got, want)
		}
		if got, want := units.At(at), len(utf16.Encode([]rune(text[:at]))); got != want {
			t.Fatalf("UTF-16 units before byte %d = %d, want %d", at, got, want)
		}
	}
	if got, want := units.At(len(text)+5), units.At(len(text)); got != want {
		t.Errorf("units past the end = %d, want %d as at the end", got, want)
	}
	if empty := Runes(""); empty.At(0) != 0 {
		t.Errorf("code points of an empty text = %d, want 0", empty.At(0))
	}
}

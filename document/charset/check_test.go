package charset

import (
	"bytes"
	"testing"
	"unicode/utf8"
)

// Where UTF-8 breaks is where the standard library meets the first such byte.
func FuzzInvalidUTF8(f *testing.F) {
	for _, s := range []string{"", "ascii only, and long", "Příliš žluťoučký kůň", "„quoted“ – €", "\xc0\x80", "abc\xc3", "abcdefg\xc5\x99x", "abcdef\xc5\x99", "ab\xe2\x80", "\xed\xa0\x80", "\xf0\x9f\x98\x80\xff", "ž\xbf", "cut\xc5xyzabcdefgh"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		want := 0
		for want < len(data) {
			r, size := utf8.DecodeRune(data[want:])
			if r == utf8.RuneError && size == 1 {
				break
			}
			want += size
		}
		if got := invalidUTF8(data); got != want {
			t.Fatalf("invalidUTF8(%q) = %d, want %d", data, got, want)
		}
	})
}

// TestASCII: one byte over 0x7F is found wherever it is.
func TestASCII(t *testing.T) {
	for size := range 20 {
		data := bytes.Repeat([]byte("\x7f"), size)
		if !isASCII(data) {
			t.Errorf("%q is ASCII", data)
		}
		for i := range data {
			data[i] = 0x80
			if isASCII(data) {
				t.Errorf("%q is not ASCII", data)
			}
			data[i] = 0
		}
	}
}

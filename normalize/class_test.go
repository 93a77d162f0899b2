package normalize

import (
	"testing"
	"unicode"
)

// others are characters that Unicode lets programs ignore and that are none of the
// invisible ones here: fillers, which are letters, vowels of Khmer, notes between
// lines, and signs of hieroglyphs, shorthand and music.
var others = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x115F, Hi: 0x1160, Stride: 1},
		{Lo: 0x17B4, Hi: 0x17B5, Stride: 1},
		{Lo: 0x3164, Hi: 0x3164, Stride: 1},
		{Lo: 0xFFA0, Hi: 0xFFA0, Stride: 1},
		{Lo: 0xFFF0, Hi: 0xFFFB, Stride: 1},
	},
	R32: []unicode.Range32{
		{Lo: 0x13430, Hi: 0x1343F, Stride: 1},
		{Lo: 0x1BCA0, Hi: 0x1BCA3, Stride: 1},
		{Lo: 0x1D173, Hi: 0x1D17A, Stride: 1},
	},
}

// TestInvisibleIsWhatUnicodeIgnores: the default ignorable characters, as Unicode
// derives them, but for the others.
func TestInvisibleIsWhatUnicodeIgnores(t *testing.T) {
	look := func(from, to rune) {
		for r := from; r <= to; r++ {
			want := unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Cf, unicode.Variation_Selector) &&
				!unicode.In(r, unicode.White_Space, unicode.Prepended_Concatenation_Mark, others)
			if got := Invisible(r); got != want {
				t.Errorf("%U is invisible: %v, want %v", r, got, want)
			}
		}
	}
	look(0, 0x1FFFF)
	look(0xDF000, 0xE2000)
}

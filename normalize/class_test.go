package normalize

import (
	"testing"
	"unicode"
	"unicode/utf8"
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

// TestMostCharactersAreFast: what most texts consist of is taken from the tables, with
// its lower-case form, and what a rule may concern is not. The words are the same either
// way; a text takes ten times as long the other way.
func TestMostCharactersAreFast(t *testing.T) {
	const letters = "abcxyzABCXYZ0189áčďéžÁČĎÉŽßøæłŁαωΑΩабяАБЯєЄאבשابيى"
	fast := func(n *Normalizer, r rune) rune {
		switch low := n.table.ascii; {
		case r < utf8.RuneSelf:
			return rune(low[r])
		case n.table.two[r] == 0:
			return 0
		default:
			low, _ := utf8.DecodeRune([]byte{byte(n.table.two[r]), byte(n.table.two[r] >> 8)})
			return low
		}
	}
	n := mustNew(t, DefaultRules())
	for _, r := range letters {
		if got := fast(n, r); got != unicode.ToLower(r) {
			t.Errorf("the fast form of %c is %q, want %q", r, got, unicode.ToLower(r))
		}
	}
	for b, want := range map[byte]class{' ': space, '\t': space, ',': split, '.': split, '<': split, '@': split, '~': split, 0: split, '\n': keep, '\r': keep, '-': keep, 'a': keep, 'Z': keep} {
		if got := n.table.parts[b]; got != want {
			t.Errorf("%q between words is %d, want %d", b, got, want)
		}
		if want == keep && b == '\n' {
			want = breaks
		}
		if got := n.table.between[b]; got != want {
			t.Errorf("%q between words of a stretch is %d, want %d", b, got, want)
		}
	}
	if !n.table.letters {
		t.Error("eight letters at once are not fast")
	}
	for _, tt := range []struct {
		rules   Rules
		slow    rune
		letters bool
	}{
		{Rules{DeleteChars: "e"}, 'e', false}, {Rules{DeleteChars: "E"}, 'E', false}, {Rules{DeleteChars: "Z"}, 'Z', false}, {Rules{DeleteChars: "a"}, 'a', false},
		{Rules{DeleteTags: []string{"Ab"}}, 'a', false}, {Rules{DeleteTags: []string{"žx"}}, 'Ž', true}, {Rules{DeleteChars: "я1"}, '1', true},
		{Rules{DeleteTags: []string{"<p>"}, NewLineTags: []string{",,"}, DeleteChars: "."}, '.', true},
		{Rules{DeleteTags: []string{"\nx"}}, '\n', true},
	} {
		n := mustNew(t, tt.rules)
		if fast(n, tt.slow) != 0 || n.table.letters != tt.letters {
			t.Errorf("with %+v: %c is %c, letters are fast: %v, want none and %v", tt.rules, tt.slow, fast(n, tt.slow), n.table.letters, tt.letters)
		}
		for _, tags := range [][]string{tt.rules.DeleteTags, tt.rules.NewLineTags} {
			for _, tag := range tags {
				if b := tag[0]; n.table.parts[b] != keep || n.table.between[b] != keep {
					t.Errorf("with %+v: %q passes by, though a tag begins so", tt.rules, b)
				}
			}
		}
	}
}

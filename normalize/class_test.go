package normalize

import (
	"testing"
	"unicode"
	"unicode/utf8"
)

// TestInvisibleIsWhatUnicodeIgnores: the default ignorable characters, as Unicode derives
// them, and the characters without advance that it excludes from them: annotations of
// lines, controls of hieroglyphs, and the placeholder of an object.
func TestInvisibleIsWhatUnicodeIgnores(t *testing.T) {
	for r := range rune(unicode.MaxRune + 1) {
		want := unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Cf, unicode.Variation_Selector) &&
			!unicode.In(r, unicode.White_Space, unicode.Prepended_Concatenation_Mark) || r == 0xFFFC
		if got := Invisible(r); got != want {
			t.Errorf("%U is invisible: %v, want %v", r, got, want)
		}
	}
}

// TestMostCharactersAreFast: frequent characters are taken from the tables, with their
// lower-case forms, and characters that a rule may concern are not. The words are the same
// either way, but without the tables a text takes ten times as long.
func TestMostCharactersAreFast(t *testing.T) {
	const letters = "abcxyzABCXYZ0189áčďéžÁČĎÉŽßøæłŁαωΑΩабяАБЯєЄאבשابيي"
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

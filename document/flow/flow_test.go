package flow

import "testing"

// TestFlowSpaces checks that white space becomes one space, but for the wider
// one between words whose letters are separated.
func TestFlowSpaces(t *testing.T) {
	tests := []struct {
		pieces []string
		want   string
	}{
		{[]string{"one  two \n  three"}, "one two three"},
		{[]string{"t h i s   i s"}, "t h i s  i s"},
		{[]string{"t", " ", "h", " ", " ", " ", "i", " ", "s"}, "t h  i s"},
		{[]string{"v\n   lese a \n b"}, "v lese a b"},
	}
	for _, tt := range tests {
		var f Builder
		for _, p := range tt.pieces {
			f.Text([]byte(p))
		}
		if got := f.String(); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.pieces, got, tt.want)
		}
	}
}

// TestSpacesBetweenSpacedWords: the spaces between words with spaced letters are kept,
// whatever their kind, since the words could not be separated without them.
func TestSpacesBetweenSpacedWords(t *testing.T) {
	for text, want := range map[string]string{
		"T h i s   i s":             "T h i s  i s",
		"T h i s\u2006 \u2006 i s":  "T h i s\u2006 \u2006 i s",
		"T h i s \u2003i s":         "T h i s  i s",
		"T\u2009h\u2009i\u2009s":    "T\u2009h\u2009i\u2009s",
		"This   is":                 "This is",
		"T h i s \n i s":            "T h i s i s",
		"T h i s\u00a0\u00a0\u00a0": "T h i s\u00a0\u00a0\u00a0",
	} {
		b := new(Builder)
		b.Text([]byte(text))
		if got := b.String(); got != want {
			t.Errorf("text of %q = %q, want %q", text, got, want)
		}
	}
}

// TestDividedWords keeps the line end after a hyphen that may divide a word, in every format that breaks lines itself.
func TestDividedWords(t *testing.T) {
	for text, want := range map[string]string{"aff-\nected by": "aff-\nected by", "1-\n2": "1- 2", "aff- \nected": "aff- ected", "so --\nit": "so -- it", "aff\nected": "aff ected"} {
		var f Builder
		f.Text([]byte(text))
		if got := f.String(); got != want {
			t.Errorf("%q: text %q, want %q", text, got, want)
		}
	}
}

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

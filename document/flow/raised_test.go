package flow

import (
	"reflect"
	"testing"

	"github.com/otisk/otisk/document/format"
)

// TestRaise: a raised number after a word is left out, one in a formula or of a unit is not.
func TestRaise(t *testing.T) {
	for _, tt := range []struct{ before, raised, after, want string }{
		{"According", "1", " to it", "According to it"},
		{"resources.", "12", " The", "resources. The"},
		{"in 1999.", "3", " The", "in 1999. The"},
		{"slovo", "1, 2", ".", "slovo."},
		{"slovo", "[12]", ".", "slovo."},
		{"slovo", "*", " a", "slovo a"},
		{"(Novák 1999)", "4", " a", "(Novák 1999) a"},
		{"jen", "4", " a", "jen a"},
		{"řekl: „Ano!“", "4", " a", "řekl: „Ano!“ a"},
		{"10 cm", "2", " a", "10 cm2 a"},
		{"10 ab", "2", " a", "10 ab2 a"},
		{"x", "2", " + y", "x2 + y"},
		{"(a + b)", "2", " = c", "(a + b)2 = c"},
		{"10", "6", " a", "106 a"},
		{"19", "th", " a", "19th a"},
		{"cell", "a", " a", "cell a"},
		{"value", "b,c", " a", "value a"},
		{"primer", "o", " a", "primero a"},
		{"Sr", "a", " a", "Sra a"},
		{"M", "d", " a", "Md a"},
		{"Pb", "20", " a", "Pb20 a"},
		{"cosh", "2", " a", "cosh2 a"},
		{"slovo", "1999", " a", "slovo1999 a"},
		{"Ca", "2+", " a", "Ca2+ a"},
		{"", "1", " See", "1 See"},
		{"one ", "14", "C", "one 14C"},
	} {
		var b Builder
		b.Text([]byte(tt.before))
		b.Raise(true)
		b.Text([]byte(tt.raised))
		b.Raise(false)
		b.Text([]byte(tt.after))
		if got := b.String(); got != tt.want {
			t.Errorf("%q raised %q %q: text %q, want %q", tt.before, tt.raised, tt.after, got, tt.want)
		}
	}
}

// TestRaiseAtEnd: the number at the end of a paragraph or of the text is left out, too.
func TestRaiseAtEnd(t *testing.T) {
	var b Builder
	for range 2 {
		b.Text([]byte("slovo"))
		b.Raise(true)
		b.Text([]byte("1"))
		b.Gap(Part)
		b.Raise(false)
	}
	b.Text([]byte("konec"))
	b.Raise(true)
	b.Text([]byte("3"))
	text, err := b.Done()
	marks := []format.Mark{{Kind: format.NoteMark, Start: 5, End: 5, Label: "1"}, {Kind: format.NoteMark, Start: 12, End: 12, Label: "1"}, {Kind: format.NoteMark, Start: 19, End: 19, Label: "3"}}
	if !reflect.DeepEqual(text.Marks, marks) {
		t.Errorf("marks %v, want %v", text.Marks, marks)
	}
	if want := "slovo\n\nslovo\n\nkonec"; err != nil || text.Text != want {
		t.Errorf("text %q, %v, want %q", text.Text, err, want)
	}
}

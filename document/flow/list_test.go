package flow

import (
	"reflect"
	"testing"

	"github.com/otisk/otisk/document/format"
)

// TestLists: items of nested lists are marked with their levels and labels, even if an item or list has no end.
func TestLists(t *testing.T) {
	var b Builder
	var l Lists
	say := func(s string) { b.Gap(Part); b.Text([]byte(s)) }
	l.Item(&b)
	say("Before.")
	l.Begin("1.", 3)
	l.Item(&b)
	say("Three")
	l.Begin("", 1)
	l.Item(&b)
	say("bullet")
	l.End(&b)
	l.Item(&b)
	l.Number(9)
	say("Nine")
	l.EndItem(&b)
	l.Item(&b)
	say("Ten")
	l.End(&b)
	l.End(&b)
	done, err := b.Done()
	if err != nil {
		t.Fatal(err)
	}
	want := []format.Mark{{Kind: format.Item, Start: 16, End: 22, Level: 2}, {Kind: format.Item, Start: 9, End: 22, Level: 1, Label: "3."},
		{Kind: format.Item, Start: 24, End: 28, Level: 1, Label: "9."}, {Kind: format.Item, Start: 30, End: 33, Level: 1, Label: "10."}}
	if !reflect.DeepEqual(done.Marks, want) {
		t.Errorf("marks of %q:\n%+v\nwant\n%+v", done.Text, done.Marks, want)
	}
}

func TestLabel(t *testing.T) {
	for _, c := range []struct {
		pattern string
		n       int
		want    string
	}{{"", 1, ""}, {"1.", 12, "12."}, {"(a)", 1, "(a)"}, {"A.", 27, "AA."}, {"i)", 14, "xiv)"}, {"I", 1990, "MCMXC"}, {"i", 4000, "4000"}, {"a", 0, "0"}, {"§ 1", 2, "§ 2"}} {
		if got := Label(c.pattern, c.n); got != c.want {
			t.Errorf("Label(%q, %d) = %q, want %q", c.pattern, c.n, got, c.want)
		}
	}
}

package format

import (
	"fmt"
	"reflect"
	"testing"
)

func TestUnread(t *testing.T) {
	var u, v Unread
	var text Text
	if u.Words(`\none`, 0); len(u.Notes()) > 0 {
		t.Errorf("no words: notes %v, want none", u.Notes())
	}
	u.Words(`\shp`, 7)
	v.Words(`\shp`, 2)
	v.Words("<x>", 1)
	v.Part("notes2.xml")
	u.Merge(v)
	u.Note(&text)
	want := []string{`10 words that may be shown are not read: <x>, \shp`, "not read, although it may be shown: notes2.xml"}
	if !reflect.DeepEqual(text.Notes, want) {
		t.Errorf("notes %q, want %q", text.Notes, want)
	}
	if u.Sum() != 10 {
		t.Errorf("Sum() = %d, want 10", u.Sum())
	}
}

// TestUnreadIsLimited: a file with very many kinds takes little memory, and no word is lost.
func TestUnreadIsLimited(t *testing.T) {
	var u Unread
	for i := range 10_000 {
		u.Words(fmt.Sprint("<x", i, ">"), 1)
	}
	if u.Sum() != 10_000 || len(u.words) > maxKinds+1 {
		t.Errorf("%d words of %d kinds, want 10000 of at most %d", u.Sum(), len(u.words), maxKinds+1)
	}
}

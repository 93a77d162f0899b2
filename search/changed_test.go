package search

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/store"
)

// TestFilesThatChanged: where the index keeps no text and the file has another one by
// now, only what that has is shown and counted. It is read a few times at most, however
// long the run is that it no longer has.
func TestFilesThatChanged(t *testing.T) {
	set := normSet(t, normalize.Line)
	const n = 5
	before, copied, after := numbered("before", 50), numbered("copied", 30), numbered("after", 50)
	indexed := strings.Join([]string{before, copied, after}, " ")
	words := strings.Fields(copied)
	s := index(t, set, n, map[string]string{"/file": indexed})
	for _, tt := range []struct {
		name, text   string
		matched, run int
	}{
		{"as it was", indexed, 26, 30},
		{"longer", indexed + " " + numbered("new", 20), 26, 30},
		{"cut in the copied part", before + " " + strings.Join(words[:17], " "), 13, 17},
		{"cut before it", before, 0, 0},
		{"empty", "", 0, 0},
		{"a word replaced", strings.Replace(indexed, "copied14", "other", 1), 21, 15},
		{"a paragraph more", strings.Replace(indexed, "copied20", "\ncopied20", 1), 16, 20}, // the n-grams after it have other places
	} {
		for _, exact := range []bool{true, false} {
			read := 0
			r := search(t, textless{s}, set, numbered("own", 20)+" "+copied, Options{N: n, Exact: exact, Reread: func(context.Context, store.Document) (string, error) {
				read++
				return tt.text, nil
			}})
			got := fmt.Sprint(r.Match.Matched, " ", r.Match.Run)
			for _, src := range r.Sources {
				got += fmt.Sprint(" ", src.Match.Matched, " ", src.Match.Run)
			}
			want := fmt.Sprintf("%d %d %d %d", tt.matched, tt.run, tt.matched, tt.run)
			if tt.matched == 0 {
				want = "0 0"
			}
			if got != want || read > 3 {
				t.Errorf("%s, exact %v: n-grams and run of the text and of its source %s, want %s; the file was read %d times", tt.name, exact, got, want, read)
			}
		}
	}
}

package grams

import (
	"strings"
	"testing"

	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/store"
)

// FuzzMarks holds the marks that indexing makes, of many words at once, to those
// words counted one by one.
func FuzzMarks(f *testing.F) {
	f.Add("one two three four five six", 3, byte(0), false)
	f.Add("harbour lights, seldom seen\n\n", 7, byte(1), true)
	f.Add("<p>Děkuji&nbsp;vám\r\n\r\n", 2, byte(2), true)
	f.Add("x", 1, byte(0), true)
	norm, err := normalize.New(normalize.DefaultRules())
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string, n int, mode byte, pairs bool) {
		n = 1 + n&15
		text = strings.Repeat(text, 1+20_000/(len(text)+1)) // some blocks
		g := New(norm, text, normalize.Mode(mode&3).Resolve(text), []int{n}, 0, pairs)
		marks, err := store.DecodeMarks(g.Marks.Encode(), int64(len(text)))
		if err != nil {
			t.Fatal(err)
		}
		if wrong := g.WrongMarks(marks, pairs); wrong != nil {
			t.Fatal(wrong)
		}
	})
}

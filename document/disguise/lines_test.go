package disguise

import (
	"strings"
	"testing"
)

// spacedLines separates all characters of a text by spaces, and breaks it into lines at
// any of these.
func spacedLines(text string, width int) string {
	var b strings.Builder
	line := 0
	for _, r := range text {
		if line >= width {
			b.WriteByte('\n')
			line = 0
		} else if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
		line++
	}
	return b.String()
}

// TestSpacedLines joins the words of spaced sentences that lines break, and no others.
func TestSpacedLines(t *testing.T) {
	const text = "the words of the document tell where a line ends within the words of a document and where a line ends where the words do "
	for width := 21; width < 60; width++ {
		// Two lines in a row are broken elsewhere, so that each word is whole somewhere.
		spaced := spacedLines(strings.Repeat(text, 3), width)
		got, want := undoing(t, spaced).Text, strings.Fields(strings.Repeat(text, 3))
		wrong := 0
		for i, w := range strings.Fields(got) {
			if i >= len(want) || w != want[i] {
				wrong++
			}
		}
		if wrong > 0 {
			t.Errorf("lines of %d letters: %d words differ: %q", width, wrong, got)
		}
	}
}

// TestSpacedNumbers joins the digits of numbers where words beside them are spaced, and
// only there.
func TestSpacedNumbers(t *testing.T) {
	for text, want := range map[string]string{
		"c o p i e d   f r o m   p a g e s   1 2 - 1 4 ,   i n   1 9 9 9 :   a l l": "copied   from   pages   12-14 ,   in   1999 :   all",
		"all is c o p i e d 1 2 3 and w r i t t e n 4 5 6 by o t h e r s 7 8 9":     "all is copied 1 2 3 and written 4 5 6 by others 7 8 9",
	} {
		if got := undoing(t, text).Text; got != want {
			t.Errorf("Undo(%q) = %q, want %q", text, got, want)
		}
	}
}

// TestSpacedShort does not cut short words off spaced words that are no sentences.
func TestSpacedShort(t *testing.T) {
	const text = "with in and look ing, not ing and be ing: " + "in and ing, be, not; "
	spaced := strings.Repeat(text, 20) + "so it is w i t h i n us, and l o o k i n g at b e i n g s and p r i n t s with what it is b e i n g"
	want := strings.Repeat(text, 20) + "so it is within us, and looking at beings and prints with what it is being"
	if got := undoing(t, spaced).Text; got != want {
		t.Errorf("got %q", got[len(got)-100:])
	}
}

// A row of signs is gone through once, however long.
func TestManySigns(t *testing.T) {
	text := strings.Repeat("s p a c e d ", 100) + strings.Repeat("- ", 1<<20) + "a " + strings.Repeat("1 - ", 1<<18)
	if got := undoing(t, text); len(got.Text) < 1<<20 {
		t.Errorf("%d bytes are left", len(got.Text))
	}
}

package pdf_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/document/internal/readtest"
	"github.com/otisk/otisk/document/internal/sample"
)

// TestPDFRepeated reads text that a page draws at the same place again once, and counts no hidden copy of
// visible letters as hidden.
func TestPDFRepeated(t *testing.T) {
	clipped := func(y, height int, text string) string {
		return fmt.Sprintf("q 40 %d 500 %d re W n\n%s Q\n", y, height, text)
	}
	table := func(at func(x, y int, text string) string) string {
		var b strings.Builder
		for y := 700; y > 500; y -= 20 {
			for x := 50; x < 350; x += 80 {
				b.WriteString(at(x, y, "some words"))
			}
		}
		return b.String()
	}
	row := strings.Repeat("some words ", 4)
	rows := strings.TrimSpace(strings.Repeat(row, 10))
	tests := []struct {
		name, page, want string
		notes            bool
	}{
		{"rows whose upper edge is drawn before", table(func(x, y int, text string) string {
			return clipped(y+12, 2, sample.At(x, y, text)) + clipped(y-4, 16, sample.At(x, y, text))
		}), rows, false},
		{"rows in two halves", table(func(x, y int, text string) string {
			return clipped(y+3, 12, sample.At(x, y, text)) + clipped(y-4, 7, sample.At(x, y, text))
		}), rows, false},
		{"rows of which only edges are drawn", table(func(x, y int, text string) string {
			return sample.At(x, y, "seen") + clipped(y+12, 2, sample.At(x+28, y, "words"))
		}), strings.TrimSpace(strings.Repeat("seen ", 40)), true},
		{"shadows below a paragraph", ".7 g 1 0 0 1 .8 -.8 cm\n" + table(sample.At) + "0 g 1 0 0 1 -.8 .8 cm\n" + table(sample.At), rows, false},
		{"white below a paragraph", "1 g\n" + table(sample.At) + "0 g\n" + table(sample.At), rows, false},
		{"texts one over the other", sample.At(50, 600, "aeiou and more of it") + sample.At(50, 560, "seen") + sample.At(50, 600, "a other letters at that place"), "aeiou and more of it seen a other letters at that place", false},
		{"letters that are doubled in words", sample.At(50, 600, "al") + sample.At(59, 600, "l seen"), "all seen", false},
	}
	for _, tt := range tests {
		doc := &document.Document{}
		if err := readtest.Read(t.Context(), doc, sample.PDF(tt.page), document.Options{}); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		} else if got := strings.Join(strings.Fields(doc.Text), " "); got != tt.want || (len(doc.Flags)+len(doc.Notes) > 0) != tt.notes {
			t.Errorf("%s: text %q, flags %+v, notes %q, want %q, notes %v", tt.name, got, doc.Flags, doc.Notes, tt.want, tt.notes)
		}
	}
}

// TestPDFCutLine reads lines of which a clip path leaves the upper part, as at the end of a form field.
func TestPDFCutLine(t *testing.T) {
	const line = "all that has been left out at the foot of this field"
	cut := func(edge int) string {
		var b strings.Builder
		for y := 700; y > 500; y -= 30 {
			fmt.Fprintf(&b, "q 40 %d 500 12 re W n\n%s Q\n", y+edge, sample.At(50, y, line))
		}
		return b.String()
	}
	tests := []struct {
		name string
		edge int
		want string
	}{
		{"tall letters", 7, strings.TrimSpace(strings.Repeat(line+" ", 7))},
		{"no letters", 12, "seen"},
	}
	for _, tt := range tests {
		doc := &document.Document{}
		page := cut(tt.edge)
		if tt.want == "seen" {
			page += sample.At(50, 400, tt.want)
		}
		err := readtest.Read(t.Context(), doc, sample.PDF(page), document.Options{})
		if got := strings.Join(strings.Fields(doc.Text), " "); err != nil || got != tt.want || len(doc.Flags) > 0 {
			t.Errorf("%s: text %q, flags %+v, notes %q, %v, want %q", tt.name, got, doc.Flags, doc.Notes, err, tt.want)
		}
	}
}

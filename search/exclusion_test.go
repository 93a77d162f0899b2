package search

import (
	"testing"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/normalize"
)

func TestExclusions(t *testing.T) {
	norms, err := normalize.NewSet(normalize.DefaultRules(), nil)
	if err != nil {
		t.Fatal(err)
	}
	doc := &document.Document{Ext: "txt", Text: "Řekl: „Příliš žluťoučký kůň.“ A šel „…“ dál."}
	got := newSuspect(doc, norms, nil).exclusions()
	if len(got) != 1 {
		t.Fatalf("exclusions = %+v, want the one quotation that has words", got)
	}
	want := Exclusion{Kind: "quotation", Place: Span{Start: 7, End: 43, RuneStart: 6, RuneEnd: 29}, Word: 1, Words: 3}
	if got[0] != want {
		t.Errorf("exclusions = %+v, want %+v", got[0], want)
	}
	if text := doc.Text[want.Place.Start:want.Place.End]; text != "„Příliš žluťoučký kůň.“" {
		t.Errorf("the place of the quotation holds %q", text)
	}
}

// TestQuoteFromAWordOn has a block quote that begins with a word, without a
// mark before it.
func TestQuoteFromAWordOn(t *testing.T) {
	norms, err := normalize.NewSet(normalize.DefaultRules(), nil)
	if err != nil {
		t.Fatal(err)
	}
	doc := &document.Document{Ext: "txt", Text: "my own words and theirs", Marks: []document.Mark{{Kind: document.Quote, Start: 7, End: 16}}}
	got := newSuspect(doc, norms, nil).exclusions()
	if len(got) != 1 || got[0].Word != 2 || got[0].Words != 2 {
		t.Errorf("exclusions = %+v, want the words 2 and 3", got)
	}
}

// TestQuoteWithoutWords is a block quote of signs alone: none.
func TestQuoteWithoutWords(t *testing.T) {
	doc := &document.Document{Ext: "txt", Text: "my words … and more", Marks: []document.Mark{{Kind: document.Quote, Start: 9, End: 12}}}
	if got := newSuspect(doc, normSet(t, normalize.Blank), nil).exclusions(); len(got) != 0 {
		t.Errorf("exclusions = %+v, want none", got)
	}
}

// TestGramsInWords: an n-gram is in a stretch of words if all of its words are.
func TestGramsInWords(t *testing.T) {
	sus := newSuspect(plain("one two three four five\n\nsix seven eight nine"), normSet(t, normalize.Blank), nil)
	g := gramsOf(sus.paragraphs, 3)
	for _, tt := range []struct {
		from, to   int
		first, end int32
	}{
		{0, 9, 0, 5}, {0, 5, 0, 3}, {1, 4, 1, 2}, {1, 5, 1, 3}, {2, 7, 2, 3}, {3, 8, 3, 4}, {5, 9, 3, 5},
	} {
		if first, end := g.in(tt.from, tt.to); first != tt.first || end != tt.end {
			t.Errorf("n-grams in words %d to %d: %d to %d, want %d to %d", tt.from, tt.to, first, end, tt.first, tt.end)
		}
	}
}

// TestQuotationsEndWithParagraphs: if each line is a paragraph, no quotation continues in the next line.
func TestQuotationsEndWithParagraphs(t *testing.T) {
	doc := &document.Document{Ext: "txt", Text: "Řekl: „Příliš žluťoučký\nkůň úpěl.“ A šel."}
	for mode, want := range map[normalize.Mode]int{normalize.Line: 0, normalize.Blank: 1, normalize.Whole: 1} {
		if got := newSuspect(doc, normSet(t, mode), nil).exclusions(); len(got) != want {
			t.Errorf("mode %v: exclusions %+v, want %d", mode, got, want)
		}
	}
}

package search

import (
	"reflect"
	"strings"
	"testing"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/internal/offset"
	"github.com/otisk/otisk/normalize"
)

func TestPages(t *testing.T) {
	text := "žluťoučký kůň pěl ódy"
	with := &suspect{doc: &document.Document{Text: text, Pages: []int{0, 13, 13, 19}}, runes: offset.Runes(text)}
	without := &suspect{doc: &document.Document{Text: text}, runes: offset.Runes(text)}
	tests := []struct {
		name        string
		s           *suspect
		start, end  int
		first, last int
	}{
		{"on one page", with, 0, 12, 1, 1},
		{"to the end of a page", with, 0, 13, 1, 1},
		{"over pages, one of them empty", with, 5, 15, 1, 3},
		{"on the last", with, 19, len(text), 4, 4},
		{"of no length", with, 13, 13, 3, 3},
		{"no pages", without, 0, 12, 0, 0},
	}
	for _, tt := range tests {
		if first, last := tt.s.pages(spanOf(&tt.s.runes, tt.start, tt.end)); first != tt.first || last != tt.last {
			t.Errorf("%s: pages %d to %d, want %d to %d", tt.name, first, last, tt.first, tt.last)
		}
	}
}

func TestRecognized(t *testing.T) {
	text := "vlastní text, rozpoznaný text, jistý"
	mark := func(kind document.MarkKind, word string) document.Mark {
		at := strings.Index(text, word)
		return document.Mark{Kind: kind, Start: at, End: at + len(word)}
	}
	s := &suspect{runes: offset.Runes(text), doc: &document.Document{Text: text, Pages: []int{0, 15, 32}, Marks: []document.Mark{
		mark(document.Recognized, "jistý"), mark(document.Doubtful, "jistý"), mark(document.Doubtful, "rozpoznaný"), mark(document.Recognized, "rozpoznaný text,"), mark(document.Heading, "vlastní"),
	}}}
	for _, w := range []string{"vlastní", "text", "rozpoznaný", "text,", "jistý"} {
		s.words = append(s.words, normalize.Word{Start: strings.Index(text, w), End: strings.Index(text, w) + len(w)})
	}
	s.words[3].Start = strings.LastIndex(text, "text")
	want := []Recognized{
		{Place: spanOf(&s.runes, 15, 32), Page: 2, Words: 2, Doubtful: []Span{spanOf(&s.runes, 15, 26)}},
		{Place: spanOf(&s.runes, 33, 39), Page: 3, Words: 1, Doubtful: []Span{spanOf(&s.runes, 33, 39)}},
	}
	if got := s.recognized(); !reflect.DeepEqual(got, want) {
		t.Errorf("recognized = %+v, want %+v", got, want)
	}
}

func TestFlags(t *testing.T) {
	text := "žluťoučký kůň"
	s := &suspect{runes: offset.Runes(text), doc: &document.Document{Text: text, Pages: []int{0},
		Flags: []document.Flag{{Kind: document.HiddenText, Start: 13, End: 13, Count: 8, Detail: "white on white"}}}}
	want := []Flag{{Kind: "hidden text", Place: Span{13, 13, 9, 9}, Page: 1, Count: 8, Detail: "white on white"}}
	if got := s.flags(); !reflect.DeepEqual(got, want) {
		t.Errorf("flags = %+v, want %+v", got, want)
	}
}

package search

import (
	"reflect"
	"testing"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/internal/offset"
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

func TestFlags(t *testing.T) {
	text := "žluťoučký kůň"
	s := &suspect{runes: offset.Runes(text), doc: &document.Document{Text: text, Pages: []int{0},
		Flags: []document.Flag{{Kind: document.HiddenText, Start: 13, End: 13, Count: 8, Detail: "white on white"}}}}
	want := []Flag{{Kind: "hidden text", Place: Span{13, 13, 9, 9}, Page: 1, Count: 8, Detail: "white on white"}}
	if got := s.flags(); !reflect.DeepEqual(got, want) {
		t.Errorf("flags = %+v, want %+v", got, want)
	}
}

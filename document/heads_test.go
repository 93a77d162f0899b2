package document

import (
	"reflect"
	"testing"

	"otisk/document/pdf"
)

func TestRunningHeads(t *testing.T) {
	page := func(head string, y float64, more ...pdf.Line) pdf.Page {
		return pdf.Page{Height: 800, Lines: append([]pdf.Line{{Text: head, Base: y}, {Text: "body", Base: 400}}, more...)}
	}
	tests := []struct {
		name  string
		pages []pdf.Page
		want  bool // the first line of the first page is a running head
	}{
		{"three alike", []pdf.Page{page("Head 1", 780), page("Head 2", 780), page("Head 3", 780)}, true},
		{"two alike", []pdf.Page{page("Head 1", 780), page("Head 2", 780), page("Other", 780)}, false},
		{"page numbers", []pdf.Page{page("1", 20), page("- 2 -", 21), page("3", 20)}, true},
		{"Roman numbers", []pdf.Page{page("i", 20), page("ii", 20), page("iii", 20)}, true},
		{"at other heights", []pdf.Page{page("Head", 780), page("Head", 760), page("Head", 740)}, false},
		{"in the middle", []pdf.Page{page("same", 500), page("same", 500), page("same", 500)}, false},
		{"every other page", []pdf.Page{page("Left", 780), page("Right", 780), page("Left", 780), page("Right", 780), page("Left", 780)}, true},
	}
	for _, tt := range tests {
		if got := runningHeads(tt.pages)[0]; !reflect.DeepEqual(got, []bool{tt.want, false}) {
			t.Errorf("%s: runningHeads = %v, want %v, false", tt.name, got, tt.want)
		}
	}
}

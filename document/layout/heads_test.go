package layout

import (
	"reflect"
	"strings"
	"testing"

	"github.com/otisk/otisk/document/pdf"
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
		{"notes with numbers of their own", []pdf.Page{page("1 Ibid., p. 5", 20), page("4 Ibid., p. 7", 20), page("9 Ibid., p. 8", 20)}, false},
		{"numbers of chapter and page", []pdf.Page{page("2. Methods 7", 780), page("2. Methods 8", 780), page("2. Methods 9", 780)}, true},
		{"page number of all", []pdf.Page{page("page 1 of 3", 20), page("page 2 of 3", 20), page("page 3 of 3", 20)}, true},
		{"thrice on one page", []pdf.Page{page("LSTM", 780, pdf.Line{Text: "LSTM", Base: 781}, pdf.Line{Text: "LSTM", Base: 779}), page("Other", 780), page("Third", 780)}, false},
		{"short chapters", []pdf.Page{page("Aims 7", 780), page("Tools 8", 780), page("Methods 9", 780), page("Results 10", 780), page("End 11", 780)}, true},
		{"headings with numbers", []pdf.Page{page("1 Aims", 780), page("2 Tools", 780), page("3 Methods", 780)}, false},
		{"page numbers high above the foot", []pdf.Page{page("1", 140), page("2", 140), page("3", 140)}, true},
		{"a number as high", []pdf.Page{page("17", 140), page("17", 140), page("17", 140)}, false},
		{"a sentence at the foot", []pdf.Page{page(strings.Repeat("long ", 50), 20), page(strings.Repeat("long ", 50), 20), page(strings.Repeat("long ", 50), 20)}, false},
		{"every other page", []pdf.Page{page("Left", 780), page("Right", 780), page("Left", 780), page("Right", 780), page("Left", 780)}, true},
	}
	for _, tt := range tests {
		if got := runningHeads(tt.pages)[0][:2]; !reflect.DeepEqual(got, []bool{tt.want, false}) {
			t.Errorf("%s: runningHeads = %v, want %v, false", tt.name, got, tt.want)
		}
	}
}

// TestHeadsOutermost keeps lines that repeat with text between them and the edge. Texts side
// by side count as one line.
func TestHeadsOutermost(t *testing.T) {
	var pages []pdf.Page
	for _, s := range []string{"one", "two", "three"} {
		pages = append(pages, pdf.Page{Height: 800, Lines: []pdf.Line{
			{Text: "Journal", Base: 790}, {Text: s + " left", Base: 790.5}, {Text: "Volume", Base: 780},
			{Text: s, Base: 760}, {Text: "Question", Base: 750}, {Text: s + " body", Base: 400}, {Text: "Footer", Base: 20},
		}})
	}
	if got, want := runningHeads(pages)[1], []bool{true, false, true, false, false, false, true}; !reflect.DeepEqual(got, want) {
		t.Errorf("runningHeads = %v, want %v", got, want)
	}
}

// TestHeadsBuiltUp keeps the title of a slide that is built up in steps once, and drops that of other pages.
func TestHeadsBuiltUp(t *testing.T) {
	for shared, want := range map[int][]bool{1: {true, true, true}, 4: {false, true, true}} {
		var pages []pdf.Page
		for step := range 3 {
			p := pdf.Page{Height: 800, Lines: []pdf.Line{{Text: "What is a standard?", Base: 780}}}
			for i := range 4 {
				text := "point"
				if i >= shared {
					text = strings.Repeat("point ", step+1)
				}
				p.Lines = append(p.Lines, pdf.Line{Text: text, Base: float64(600 - 40*i)})
			}
			pages = append(pages, p)
		}
		for step, heads := range runningHeads(pages) {
			if heads[0] != want[step] {
				t.Errorf("%d equal lines, step %d: the title is a running head: %v, want %v", shared, step, heads[0], want[step])
			}
		}
	}
}

package layout_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/document/internal/readtest"
	"github.com/otisk/otisk/document/internal/sample"
)

const helvetica = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>"

// readPDF returns a PDF as it is read.
func readPDF(t *testing.T, data []byte) *document.Document {
	t.Helper()
	doc := &document.Document{}
	if err := readtest.Read(t.Context(), doc, data, document.Options{}); err != nil {
		t.Fatal(err)
	}
	return doc
}

// TestPDFNoteMarks omits raised numbers after words, and keeps exponents and other numbers.
func TestPDFNoteMarks(t *testing.T) {
	raised := func(before, mark, after string) string {
		return fmt.Sprintf("BT /F 12 Tf 50 600 Td (%s) Tj 5 Ts /F 7 Tf (%s) Tj 0 Ts /F 12 Tf (%s) Tj ET\n", before, mark, after)
	}
	lowered := "BT /F 12 Tf 50 600 Td (water) Tj -3 Ts /F 7 Tf (12) Tj 0 Ts /F 12 Tf ( flows) Tj ET\n"
	apart := sample.At(50, 600, "According") + "BT /F 7 Tf 106 604.5 Td (1) Tj ET\n" + sample.At(113, 600, "to them it ended.")
	for page, want := range map[string]string{
		raised("According", "1", " to them"):                                 "According to them",
		raised("The feast of", "6", " the patron"):                           "The feast of the patron",
		raised("They said so.", "12", " And so on"):                          "They said so. And so on",
		raised("The survey\\(2001\\), which", "3,4", ", as said"):            "The survey(2001), which, as said",
		raised("It was so", "1", " and small"):                               "It was so1 and small",
		raised("an area of 5 km", "2", " of land"):                           "an area of 5 km2 of land",
		raised("the word", "", "2 of it"):                                    "the word2 of it",
		raised("version 10.", "5", " of it"):                                 "version 10.5 of it",
		raised("since the 19", "th", " century"):                             "since the 19th century",
		lowered:                                                              "water12 flows",
		apart:                                                                "According to them it ended.",
		"BT 5 Ts /F 7 Tf 50 60 Td (1) Tj 0 Ts /F 9 Tf ( See Novak.) Tj ET\n": "1 See Novak.",
	} {
		if got := readPDF(t, sample.PDF(page)).Text; got != want {
			t.Errorf("text %q, want %q", got, want)
		}
	}
	doc := readPDF(t, sample.PDF(raised("They said so.", "12", " And so on"), apart))
	want := []document.Mark{{Kind: document.NoteMark, Start: 13, End: 13, Label: "12"}, {Kind: document.NoteMark, Start: 33, End: 33, Label: "1"}}
	if !reflect.DeepEqual(doc.Marks, want) {
		t.Errorf("marks of %q: %v, want %v", doc.Text, doc.Marks, want)
	}
}

// TestPDFLineNumbers omits the numbers of lines in a margin, and keeps those of lists and tables.
func TestPDFLineNumbers(t *testing.T) {
	words := []string{"The harbour commission met in the second week of spring", "and decided that no vessel with an open hearth would be", "admitted to the inner basin before the wardens had read",
		"their names in the ledger kept by the toll keeper at the", "eastern gate of the lower town where it was to be read", "aloud on every market day until the feast of the patron", "of the boatmen after which the council could repeal it", "without a vote and the wardens would be free to leave it"}
	text := strings.Join(words, " ")
	page := func(x, first, step, every int) string {
		var b strings.Builder
		for i, w := range words {
			if (first+i)%every == 0 {
				fmt.Fprintf(&b, "BT /F 8 Tf %d %d Td (%d) Tj ET\n", x, 760-14*i, (first+i)*step)
			}
			b.WriteString(sample.At(72, 760-14*i, w))
		}
		return b.String()
	}
	for name, pages := range map[string][]string{"left": {page(45, 1, 1, 1)}, "right": {page(560, 1, 1, 1)}, "on": {page(45, 1, 1, 1), page(45, 9, 1, 1)}} {
		doc := readPDF(t, sample.PDF(pages...))
		if want := strings.TrimSpace(strings.Repeat(text+" ", len(pages))); doc.Text != want {
			t.Errorf("%s: text %q, want %q", name, doc.Text, want)
		}
		if !strings.Contains(strings.Join(doc.Notes, "\n"), "numbers of lines") {
			t.Errorf("%s: notes %q", name, doc.Notes)
		}
	}
	var table, list strings.Builder
	for i, w := range words {
		table.WriteString(sample.At(72, 760-14*i, w) + sample.At(480, 760-14*i, fmt.Sprint(7*i%11+1)))
		list.WriteString(sample.At(72, 760-42*i, fmt.Sprint(i+1)) + sample.At(95, 760-42*i, w) + sample.At(95, 746-42*i, w) + sample.At(95, 732-42*i, w))
	}
	for name, page := range map[string]string{"table": table.String(), "list": list.String()} {
		if doc := readPDF(t, sample.PDF(page)); strings.Count(doc.Text, "8")+strings.Count(doc.Text, "5") == 0 || len(doc.Notes) > 0 {
			t.Errorf("%s: text %q, notes %q", name, doc.Text, doc.Notes)
		}
	}
}

// TestPDFTurned reads lines in their order however the text and the page are turned.
func TestPDFTurned(t *testing.T) {
	lines := []string{"The harbour commission met in the second week", "of that year and decided that no vessel with an", "open hearth would be admitted to the inner basin", "before the wardens had written their names."}
	matrices := map[string]func(i int) string{
		"right": func(i int) string { return fmt.Sprintf("1 0 0 1 72 %d Tm", 700-14*i) },
		"up":    func(i int) string { return fmt.Sprintf("0 1 -1 0 %d 72 Tm", 100+14*i) },
		"left":  func(i int) string { return fmt.Sprintf("-1 0 0 -1 500 %d Tm", 100+14*i) },
		"down":  func(i int) string { return fmt.Sprintf("0 -1 1 0 %d 700 Tm", 500-14*i) },
	}
	for name, matrix := range matrices {
		var page strings.Builder
		for i, l := range lines {
			fmt.Fprintf(&page, "BT /F 12 Tf %s (%s) Tj ET\n", matrix(i), l)
		}
		for _, turn := range []int{0, 90, 180, 270} {
			doc := readPDF(t, sample.PDFOf(fmt.Sprintf("/MediaBox[0 0 600 800]/Rotate %d", turn), helvetica, nil, page.String()))
			if got := strings.Join(strings.Fields(doc.Text), " "); got != strings.Join(lines, " ") || len(doc.Flags) > 0 {
				t.Errorf("text to the %s on a page turned by %d: %q, flags %v", name, turn, doc.Text, doc.Flags)
			}
		}
	}
}

// TestPDFSkippedNumbers omits page numbers of which some are skipped.
func TestPDFSkippedNumbers(t *testing.T) {
	var pages []string
	for i, n := range []string{"ii", "iii", "v", "vi", "ix", "xi", "xiv", "1", "3", "4"} {
		pages = append(pages, sample.At(50, 600, fmt.Sprintf("This is what page %c says.", 'A'+i))+sample.At(290, 30, n))
	}
	doc := readPDF(t, sample.PDF(pages...))
	if strings.ContainsAny(doc.Text, "0123456789") || strings.Contains(doc.Text, "i ") || len(strings.Fields(doc.Text)) != 6*len(pages) {
		t.Errorf("text %q, want no page numbers", doc.Text)
	}
}

// TestPDFDropCap joins a large first letter to its word, unless it is a word.
func TestPDFDropCap(t *testing.T) {
	page := func(letter, first string) string {
		return fmt.Sprintf("BT /F 40 Tf 50 574 Td (%s) Tj ET\n", letter) + sample.At(82, 600, first) + sample.At(82, 586, "of another year the commission met and the other") + sample.At(50, 572, "lords decided that no vessel would be admitted. house")
	}
	for _, tt := range []struct{ letter, first, want string }{
		{"T", "he spring was late and in the second week of it", "The spring"},
		{"A", "ll was quiet in the town and in the second week", "All was"},
		{"A", "house of the town was burnt and in the second week", "A house"},
	} {
		if got := readPDF(t, sample.PDF(page(tt.letter, tt.first))).Text; !strings.HasPrefix(got, tt.want) {
			t.Errorf("text %q, want %q first", got, tt.want)
		}
	}
}

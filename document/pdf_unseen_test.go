package document

import (
	"fmt"
	"testing"
)

// TestPDFUnseen checks what of a page is seen, and that letters which take room
// without being seen part words.
func TestPDFUnseen(t *testing.T) {
	one, two := at(50, 600, "copied"), at(93, 600, "from")
	between := func(state string) string { return one + "q " + state + " " + at(86, 600, "x") + " Q\n" + two }
	fill := "0 0 .5 rg 40 590 200 30 re f\n"
	tests := []struct{ name, page, want, why string }{
		{"white", between("1 g"), "copied from", "white on white"},
		{"nearly white", between(".99 .98 .99 rg"), "copied from", "white on white"},
		{"drawn invisibly", between("3 Tr"), "copied from", "drawn invisibly"},
		{"only a clip", one + "q BT 7 Tr /F 12 Tf 86 600 Td (x) Tj ET Q\n" + two, "copied from", "drawn invisibly"},
		{"invisible on a page with a picture elsewhere", "q 20 0 0 20 0 0 cm /I Do Q\n" + between("3 Tr"), "copied from", "drawn invisibly"},
		{"invisible over a picture", picture + between("3 Tr"), "copiedxfrom", ""},
		{"tiny", one + "BT /F 1 Tf 86 600 Td (x) Tj ET\n" + at(87, 600, "from"), "copiedfrom", "too small to see"},
		{"beside the page", one + at(-300, 600, "this is not on it"), "copied", "outside of the page"},
		{"white on blue", fill + "1 g " + one, "copied", ""},
		{"white on white paint", "1 g 40 590 200 30 re f\n" + one + "0 g " + at(50, 560, "seen"), "seen", "white on white"},
		{"white on hardly grey paint", ".95 g 40 590 200 30 re f 1 g\n" + one + "0 g " + at(50, 560, "seen"), "seen", "white on white"},
	}
	for _, tt := range tests {
		doc := &Document{}
		if err := read(t.Context(), doc, makePDF(tt.page), Options{}); err != nil || doc.Text != tt.want {
			t.Errorf("%s: text %q, %v, want %q", tt.name, doc.Text, err, tt.want)
		}
		why := ""
		if len(doc.Flags) > 0 {
			why = doc.Flags[0].Detail
		}
		if why != tt.why || len(doc.Flags) > 1 {
			t.Errorf("%s: flags %s, want one: %q", tt.name, fmt.Sprintf("%+v", doc.Flags), tt.why)
		}
	}
}

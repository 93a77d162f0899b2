package document

import (
	"strings"
	"testing"
)

// stating makes what is drawn one that states another text.
func stating(text, drawn string) string {
	return "/Span <</ActualText (" + text + ")>> BDC\n" + drawn + "EMC\n"
}

// TestPDFActualText reads what is drawn where a PDF states other words for it, and says so;
// what is honestly stated for a glyph, a hyphen or a formula stays.
func TestPDFActualText(t *testing.T) {
	const drawn = "the copied words of the source"
	var letters strings.Builder
	for _, c := range "the copy of it" {
		letters.WriteString(stating("z", "("+string(c)+") Tj "))
	}
	tests := []struct {
		name, page, want, said string
	}{
		{"a line", stating("some innocent words of mine", at(50, 600, drawn)), drawn, "drawn"},
		{"two lines", stating("some innocent words of mine", at(50, 600, drawn)+at(50, 586, drawn)), drawn + " " + drawn, "drawn"},
		{"one mark in another", stating("some innocent words", stating("and others", at(50, 600, drawn))), drawn, "drawn"},
		{"words by themselves", stating("my", at(50, 600, "the")) + stating("own", at(70, 600, "copy")) + stating("words", at(104, 600, "of")), "the copy of", "drawn"},
		{"letters by themselves", "BT /F 12 Tf 50 600 Td " + letters.String() + "ET\n", "the copy of it", "drawn"},
		{"no language", stating("some innocent words of mine", at(50, 600, "uif dpqjfe xpset pg uif tpvsdf xjui npsf")), "some innocent words of mine", "stated"},
		{"the same", stating("The copied words of the source", at(50, 600, drawn)), "The copied words of the source", ""},
		{"the same in UTF-16", stating(`\376\377\000c\000a\000f\000\351\000 \000a\000n\000d\000 \000t\000h\000e\000 \000p\000u\000b`, at(50, 600, `caf\351 and the pub`)) + stating(`\376\377\001\015`, at(150, 600, "c")), "café and the pub č", ""},
		{"one in UTF-16 beside others", stating(`\376\377\001\015`, at(50, 600, "-")) + stating("some innocent words", at(50, 586, drawn)), "č " + drawn, "drawn"},
		{"a hyphen", at(50, 600, "one") + stating("-", at(68, 600, "*")) + at(75, 600, "two"), "one-two", ""},
		{"a formula", at(50, 600, "It is ") + stating("a over b", at(80, 600, "a/b")), "It is a over b", ""},
		{"a first letter", stating("The", at(50, 600, "T")) + at(58, 600, "he"), "Thehe", ""},
		{"nothing", stating("", at(50, 600, drawn)), drawn, ""},
	}
	for _, tt := range tests {
		doc := &Document{}
		if err := read(t.Context(), doc, makePDF(at(50, 700, "one page"), tt.page), Options{}); err != nil || doc.Text != "one page "+tt.want && doc.Text != "one page\n\n"+tt.want {
			t.Errorf("%s: text %q, %v, want %q", tt.name, doc.Text, err, tt.want)
		}
		said := strings.Join(doc.Notes, "; ")
		if tt.said == "" {
			if len(doc.Flags) > 0 || said != "" {
				t.Errorf("%s: flags %+v, notes %q, want none", tt.name, doc.Flags, said)
			}
			continue
		}
		if want := "on 1 of 2 pages, the first is page 2: the " + tt.said + " ones are read"; !strings.Contains(said, want) {
			t.Errorf("%s: notes %q, want %q", tt.name, said, want)
		}
		if len(doc.Flags) != 1 || doc.Flags[0].Kind != HiddenText || doc.Flags[0].Count == 0 || doc.Flags[0].End != len(doc.Text) {
			t.Errorf("%s: flags %+v, want the second page", tt.name, doc.Flags)
		}
	}
}

package document

import (
	"testing"
	"unicode/utf8"

	"github.com/otisk/otisk/document/internal/sample"
	"github.com/otisk/otisk/document/ole"
)

// FuzzBinary reads formats of numbers and offsets: the streams of old office files in a
// container that is whole, such a container that is not, and books of Mobipocket.
func FuzzBinary(f *testing.F) {
	kinds := []struct{ first, second string }{
		{"PowerPoint Document", "Current User"}, {"WordDocument", "0Table"}, {"Workbook", "\x05SummaryInformation"}, {"Book", "\x05SummaryInformation"},
	}
	slides, words := sample.OldSlides("Title", "one\vtwo", "notes", false), sample.OldWord([]sample.Piece{{Text: "one \x02two\r"}}, "note\r")
	book := sample.OldBook([]string{"shared"}, sample.XLSRecord(0x00FD, sample.Shorts(0, 0, 0), sample.Numbers(0)), sample.XLSRecord(0x027E, sample.Shorts(1, 0, 0), sample.Numbers(7)))
	for _, whole := range [][]byte{slides, words, book} {
		file, err := ole.Open(whole)
		if err != nil {
			f.Fatal(err)
		}
		for i, k := range kinds {
			if first, err := file.Stream(k.first); err == nil {
				second, _ := file.Stream(k.second) // some have none
				f.Add(byte(i), first, second)
			}
		}
		f.Add(byte(len(kinds)), whole, []byte(nil))
	}
	f.Add(byte(len(kinds)), sample.Mobi(2, "<p>abc\xf8abc\x80\x1b\x02\xc5\xaf</p>"), []byte(nil))
	f.Fuzz(func(t *testing.T, kind byte, first, second []byte) {
		data := first
		if k := int(kind) % (len(kinds) + 1); k < len(kinds) {
			data = sample.Compound(kinds[k].first, string(first), kinds[k].second, string(second))
		}
		doc := &Document{}
		if err := read(t.Context(), doc, data, Options{MaxBytes: 1 << 20}); err != nil {
			return
		}
		if !utf8.ValidString(doc.Text) || doc.Text == "" {
			t.Fatalf("%s: text %q, want valid UTF-8", doc.Format, doc.Text)
		}
		checkPlaces(t, doc)
	})
}

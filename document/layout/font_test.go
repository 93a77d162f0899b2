package layout_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/document/internal/readtest"
	"github.com/otisk/otisk/document/internal/sample"
)

// TestPDFSwappedFont checks that a font that draws other letters than it states is found beside
// honest text, on a page and in pieces on several pages.
func TestPDFSwappedFont(t *testing.T) {
	const honest = "it was the best of times and it was the worst of times for all who live in the city of that age"
	const sentence = "the quick brown fox jumps over the lazy dog and is seen by a man of the village with his hazel box"
	page := func(times int) string {
		var b strings.Builder
		for i := range 20 {
			b.WriteString(sample.At(50, 760-14*i, honest))
		}
		for i := range times {
			b.WriteString(strings.ReplaceAll(sample.At(50, 400-14*i, sentence), "/F 12", "/X 12"))
		}
		return b.String()
	}
	white := strings.ReplaceAll("1 g\n"+sample.At(50, 460, sentence)+sample.At(50, 446, sentence)+"0 g\n", "/F 12", "/X 12")
	tests := []struct {
		name  string
		by    byte
		pages []string
		want  bool
	}{
		{"two sentences", 7, []string{page(2)}, true},
		{"a sentence on each page", 7, []string{page(1), page(1), page(1)}, true},
		{"after letters in white", 7, []string{white + page(2)}, true},
		{"an honest font", 0, []string{page(2)}, false},
	}
	for _, tt := range tests {
		var table strings.Builder
		for c := byte(' '); c < 0x7F; c++ {
			to := c
			if 'a' <= c && c <= 'z' {
				to = 'a' + (c-'a'+tt.by)%26
			}
			fmt.Fprintf(&table, "1 beginbfchar <%02x> <%04x> endbfchar\n", c, to)
		}
		cmap := "/CIDInit /ProcSet findresource begin 12 dict begin begincmap 1 begincodespacerange <00> <ff> endcodespacerange\n" + table.String() + "endcmap end end"
		data := bytes.Replace(sample.PDF(tt.pages...), []byte("/Font<<"), []byte("/Font<</X 40 0 R"), 1)
		data = bytes.Replace(data, []byte("xref\n0 "), fmt.Appendf(nil, "40 0 obj\n<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding/ToUnicode 41 0 R>>\nendobj\n41 0 obj\n<</Length %d>>\nstream\n%s\nendstream\nendobj\nxref\n0 ", len(cmap), cmap), 1)
		doc := &document.Document{}
		if err := readtest.Read(t.Context(), doc, data, document.Options{}); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(strings.Join(doc.Notes, "; "), "fonts draw other letters"); got != tt.want || len(doc.Flags) > 0 != tt.want {
			t.Errorf("%s: notes %q, flags %+v, want a flag: %t", tt.name, doc.Notes, doc.Flags, tt.want)
		}
	}
}

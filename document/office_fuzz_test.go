package document

import (
	"testing"
	"unicode/utf8"

	"github.com/otisk/otisk/document/internal/sample"
)

// FuzzOffice reads documents whose XML was damaged.
func FuzzOffice(f *testing.F) {
	f.Add(`<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>a</w:t></w:r><w:txbxContent><w:p/></w:txbxContent></w:p><w:tbl><w:tr><w:tc><w:p/></w:tc></w:tr></w:tbl>`,
		`<text:h>a</text:h><text:p>b<text:note><text:note-body><text:p>c</text:p></text:note-body></text:note><text:s text:c="3"/></text:p><table:table-cell><text:p/></table:table-cell>`)
	f.Fuzz(func(t *testing.T, word, odf string) {
		for _, data := range [][]byte{sample.DOCX(word), sample.ODT("", odf), sample.EPUB(odf, word), sample.PPTX(word, word), sample.XLSX(word)} {
			doc := &Document{}
			if err := read(t.Context(), doc, data, Options{MaxBytes: 1 << 20}); err != nil {
				continue
			}
			if !utf8.ValidString(doc.Text) || doc.Text == "" {
				t.Fatalf("%s: text %q, want valid UTF-8", doc.Format, doc.Text)
			}
			checkPlaces(t, doc)
		}
	})
}

package pdf_test

import (
	"bytes"
	"testing"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/document/internal/readtest"
	"github.com/otisk/otisk/document/internal/sample"
)

// TestPDFMissingSpaces separates words that are apart by the spacing of characters, for which the engine adds
// no space, and keeps words together all of whose letters are apart.
func TestPDFMissingSpaces(t *testing.T) {
	tests := []struct{ name, drawn, want string }{
		{"spacing after a letter", "(access improve) Tj 6 Tc (st) Tj 0 Tc [500 (he text)] TJ", "access improves the text"},
		{"spacing of all letters", "2.4 Tc (improves) Tj", "improves"},
		{"spacing of all letters and words", "2.4 Tc (improves the text) Tj", "improves the text"},
		{"small spacing", "(access improve) Tj 1.2 Tc (st) Tj 0 Tc [100 (he text)] TJ", "access improvesthe text"},
	}
	for _, tt := range tests {
		data := sample.NamedPDF([]string{"x"}, func(c byte) byte { return c })
		data = bytes.Replace(data, []byte("(x) Tj"), []byte(tt.drawn), 1)
		doc := &document.Document{}
		if err := readtest.Read(t.Context(), doc, data, document.Options{}); err != nil || doc.Text != tt.want {
			t.Errorf("%s: text %q, %v, want %q", tt.name, doc.Text, err, tt.want)
		}
	}
}

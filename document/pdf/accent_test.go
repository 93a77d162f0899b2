package pdf_test

import (
	"testing"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/document/internal/readtest"
	"github.com/otisk/otisk/document/internal/sample"
)

// TestPDFLooseAccents reads accents that are drawn by themselves, over letters
// anywhere in the line.
func TestPDFLooseAccents(t *testing.T) {
	tests := []struct{ name, page, want string }{
		{"after the line", sample.At(50, 600, "prace je") + sample.At(62, 600, `\264`), "práce je"},
		{"before the word", sample.At(62, 600, `\264`) + sample.At(50, 600, "prace je"), "práce je"},
		{"two", sample.At(50, 600, "prace") + sample.At(62, 600, `\264`) + sample.At(100, 600, "prace") + sample.At(112, 600, `\264`) + sample.At(140, 600, "dne"), "práce práce dne"},
		{"over a capital", sample.At(50, 600, "Az") + sample.At(52, 603, `\264`), "Áz"},
		{"the bar of a Croatian letter", sample.At(50, 600, "izmedu njih") + sample.At(75, 600, `\257`), "između njih"},
		{"over nothing", sample.At(50, 600, "prace") + sample.At(100, 600, `\264`), "prace ´"},
		{"within a word", sample.At(50, 600, "pra") + sample.At(62, 600, `\264`) + sample.At(68, 600, "ce je"), "práce je"},
		{"over a tall letter", sample.At(50, 600, "sp") + sample.At(62, 603, `\264`) + sample.At(63, 600, "lna sa"), "spĺna sa"},
		{"over a tall letter that starts a word", sample.At(50, 600, "sp") + sample.At(66, 603, `\264`) + sample.At(67, 600, "lna sa"), "sp ĺna sa"},
	}
	for _, tt := range tests {
		doc := &document.Document{}
		if err := readtest.Read(t.Context(), doc, sample.PDF(tt.page), document.Options{}); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		} else if doc.Text != tt.want {
			t.Errorf("%s: text %q, want %q", tt.name, doc.Text, tt.want)
		}
	}
}

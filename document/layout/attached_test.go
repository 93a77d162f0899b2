package layout_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/document/internal/readtest"
	"github.com/otisk/otisk/document/internal/sample"
)

func TestPDFAttached(t *testing.T) {
	const files = "/Names<</EmbeddedFiles<</Names[(a.txt) 30 0 R (b.html) 31 0 R]>>>>"
	const objects = "30 0 obj\n<</Type/Filespec/F(a.txt)/UF(a.txt)/EF<</F 32 0 R>>>>\nendobj\n31 0 obj\n<</Type/Filespec/F(b.html)/UF(b.html)/EF<</F 33 0 R>>>>\nendobj\n" +
		"32 0 obj\n<</Type/EmbeddedFile/Length 3>>\nstream\none\nendstream\nendobj\n33 0 obj\n<</Type/EmbeddedFile/Length 10>>\nstream\n<p>two</p>\nendstream\nendobj\n"
	with := func(catalog string) []byte {
		data := bytes.Replace(sample.PDF(sample.At(50, 600, "the text")), []byte("/Type/Catalog"), []byte("/Type/Catalog"+catalog), 1)
		return bytes.Replace(data, []byte("xref\n0 "), []byte(objects+"xref\n0 "), 1)
	}
	attached := []string{`!/a.txt text txt: "one"`, `!/b.html html html: "two"`}
	tests := []struct {
		name, catalog string
		want          []string
	}{
		{"with attached files", files, append([]string{` pdf pdf: "the text"`}, attached...)},
		{"a portfolio", files + "/Collection<</View/D>>", attached},
		{"neither", "", []string{` pdf pdf: "the text"`}},
	}
	for _, tt := range tests {
		got, err := readtest.All(t, "thesis.pdf", with(tt.catalog), document.Options{})
		if err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, %v, want %q", tt.name, got, err, tt.want)
		}
	}
}

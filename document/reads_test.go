package document

import (
	"testing"

	"github.com/otisk/otisk/document/ocr"
)

// TestReads says when an index has a file read again.
func TestReads(t *testing.T) {
	with, without := Options{OCR: ocr.New([]string{"ces"}, "")}, Options{}
	recognized := with.reader("pdf")
	for _, tt := range []struct {
		name   string
		opts   Options
		reader int
		format string
		want   bool
	}{
		{"same", without, Version, "pdf", true},
		{"older", without, Version - 1, "pdf", false},
		{"now with OCR", with, Version, "pdf", false},
		{"with OCR, no PDF", with, Version, "docx", true},
		{"both with OCR", with, recognized, "pdf", true},
		{"recognised before", without, recognized, "pdf", true},
	} {
		if got := tt.opts.Reads(tt.reader, tt.format); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

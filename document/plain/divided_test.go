package plain_test

import (
	"testing"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/document/internal/readtest"
)

// TestDivided joins words that are divided in quoted mail, and at the ends of paragraphs and pages.
func TestDivided(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"quoted mail", "> an exam-\n> ple of\n> it", "> an exam-ple\n> of\n> it"},
		{"each line", "> an exam-\n> ple of divi-\n> ded\n", "> an exam-ple\n> of divi-ded\n> \n"},
		{"quoted twice, as Windows writes it", ">> an exam-\r\n>> ple.\r\nno", ">> an exam-ple.\r\n>> \r\nno"},
		{"the last line", "> exam-\n> ple", "> exam-ple\n> "},
		{"another quotation", ">> exam-\n> ple", ">> exam-\n> ple"},
		{"an answer", "> exam-\nple", "> exam-\nple"},
		{"a conjunction", "> pre-\n> and postwar", "> pre-\n> and postwar"},
		{"a dash", "> exam --\n> ple", "> exam --\n> ple"},
		{"a name", "> Jean-\n> Luc", "> Jean-\n> Luc"},
		{"paragraphs", "an exam-\n\nple of it", "an exam-\nple of it"},
		{"pages", "an exam-\n\n\fple of it", "an exam-\nple of it"},
		{"pages without a blank line", "an exam-\n\fple of it", "an exam-\nple of it"},
		{"a paragraph with a capital", "an exam-\n\nPle", "an exam-\n\nPle"},
		{"a sign", "x-\n\nple", "x-\n\nple"},
		{"the end", "an exam-\n\n", "an exam-\n\n"},
		{"lines", "an exam-\nple", "an exam-\nple"},
	}
	for _, tt := range tests {
		doc := &document.Document{Ext: "txt"}
		if err := readtest.Read(t.Context(), doc, []byte(tt.text), document.Options{}); err != nil || doc.Text != tt.want {
			t.Errorf("%s: text %q, %v, want %q", tt.name, doc.Text, err, tt.want)
		}
	}
}

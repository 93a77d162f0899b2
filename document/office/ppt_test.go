package office_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/document/internal/readtest"
	"github.com/otisk/otisk/document/internal/sample"
)

func TestOldSlides(t *testing.T) {
	doc := &document.Document{}
	if err := readtest.Read(t.Context(), doc, sample.OldSlides("Kůň", "one\vtwo\rthree", "notes", false), document.Options{}); err != nil {
		t.Fatal(err)
	}
	if want := "one\ntwo\n\nthree\n\nKůň\n\nnotes\n\nnaïve"; doc.Text != want || doc.Format != "ppt" {
		t.Errorf("%s %q, want %q", doc.Format, doc.Text, want)
	}
	if got := fmt.Sprint(doc.Notes); got != "[hidden slides are read, too: 2]" {
		t.Errorf("notes %s", got)
	}
	if len(doc.Marks) != 1 || doc.Text[doc.Marks[0].Start:doc.Marks[0].End] != "Kůň" {
		t.Errorf("marks %v", doc.Marks)
	}
	if err := readtest.Read(t.Context(), &document.Document{}, sample.OldSlides("a", "b", "c", true), document.Options{}); err != document.ErrEncrypted {
		t.Errorf("encrypted: error %v, want %v", err, document.ErrEncrypted)
	}
	damaged := strings.Replace(string(sample.OldSlides("a", "b", "c", false)), "\xee\x03", "\xff\xff", 2)
	if err := readtest.Read(t.Context(), &document.Document{}, []byte(damaged), document.Options{}); !errors.Is(err, document.ErrDamaged) {
		t.Errorf("slides that are none: error %v, want %v", err, document.ErrDamaged)
	}
}

package document_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/document/internal/readtest"
	"github.com/otisk/otisk/document/internal/sample"
	"github.com/otisk/otisk/document/ocr"
)

func TestDjVu(t *testing.T) {
	doc := &document.Document{}
	if err := readtest.Read(t.Context(), doc, sample.DjVu("a line of the first page, which plagi-\narises.\n", "", "the third"), document.Options{OCR: ocr.New([]string{"ces"}, t.TempDir())}); err != nil {
		t.Fatal(err)
	}
	if want := "a line of the first page, which plagiarises. the third"; doc.Text != want || doc.Format != "djvu" || len(doc.Pages) != 3 {
		t.Errorf("%s of %d pages: %q, want djvu of 3: %q", doc.Format, len(doc.Pages), doc.Text, want)
	}
	notes := []string{"only pictures without text on 1 of 3 pages: 2", "1 of 3 pages were not recognised: 2: pictures of DjVu are not read: convert it to PDF"}
	if !reflect.DeepEqual(doc.Notes, notes) || len(doc.Flags) != 1 || doc.Flags[0].Kind != document.NoTextLayer {
		t.Errorf("notes %q, flags %v, want %q and the flag", doc.Notes, doc.Flags, notes)
	}
	if err := readtest.Read(t.Context(), &document.Document{}, sample.DjVu("", ""), document.Options{}); !errors.Is(err, document.ErrNoLayer) || !strings.Contains(err.Error(), "2 of 2 pages") {
		t.Errorf("without text: %v, want %v", err, document.ErrNoLayer)
	}
	data := sample.DjVu("page")
	if err := readtest.Read(t.Context(), &document.Document{}, []byte(strings.Replace(string(data), "\x81", "\x01", 1)), document.Options{}); !errors.Is(err, document.ErrBinary) || !strings.Contains(fmt.Sprint(err), "djvmcvt -b") {
		t.Errorf("pages in other files: %v, want what to do", err)
	}
}

// TestDjVuUnread notes the words of annotations, and flags a page without a text layer beside others unless hardly
// anything is drawn on it.
func TestDjVuUnread(t *testing.T) {
	prose := strings.Repeat("many copied words stand here ", 8)
	page := func(chunks ...string) []byte {
		return []byte("AT&T" + sample.DjVuChunk("FORM", append([]string{"DJVU", sample.DjVuChunk("TXTa", "\x00\x00\x04text\x01")}, chunks...)...))
	}
	for name, tt := range map[string]struct {
		data       []byte
		note, flag string
	}{
		"annotations":  {page(sample.DjVuChunk("ANTa", `(maparea "" "`+prose+`" (rect 1 2 3 4))`)), "40 words that may be shown are not read: ANTa", ""},
		"a link":       {page(sample.DjVuChunk("ANTa", `(maparea "http://example.org" "" (rect 1 2 3 4))`)), "", ""},
		"a page":       {sample.DjVu("text", ""), "only pictures without text on 1 of 2 pages: 2", "no text layer 1 pages that are pictures"},
		"a blank page": {[]byte(strings.ReplaceAll(string(sample.DjVu("text", "")), "Sjbz", "TH44")), "only pictures without text on 1 of 2 pages: 2", ""},
	} {
		doc := &document.Document{}
		err := readtest.Read(t.Context(), doc, tt.data, document.Options{})
		if got := strings.Join(doc.Notes, "; "); err != nil || got != tt.note || readtest.Flagged(doc) != tt.flag {
			t.Errorf("%s: notes %q, flags %q, %v, want %q and %q", name, got, readtest.Flagged(doc), err, tt.note, tt.flag)
		}
	}
}

package djvu_test

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

package ocr_test

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/document/internal/readtest"
	"github.com/otisk/otisk/document/internal/sample"
	"github.com/otisk/otisk/document/ocr"
	"github.com/otisk/otisk/internal/testing/need"
	"github.com/otisk/otisk/internal/testing/tesseract"
)

// scanned draws a page without text: a small picture, and bars that stand for lines.
func scanned(bars int) string {
	page := "q 9 0 0 9 500 20 cm 0 0 m h W n /I Do Q\n"
	for i := range bars {
		page += fmt.Sprintf("50 %d 400 12 re f\n", 700-20*i)
	}
	return page
}

// recognizer is one of a language with a cache of its own.
func recognizer(t *testing.T, language string) *ocr.Recognizer {
	return ocr.New([]string{language}, t.TempDir())
}

func TestOCR(t *testing.T) {
	tesseract.Install(t)
	const text = "A page that has text of its own, which stays as it is"
	data := sample.PDF(sample.At(50, 600, text), scanned(1), "", scanned(2))
	doc := &document.Document{}
	if err := readtest.Read(t.Context(), doc, data, document.Options{OCR: recognizer(t, "ces")}); err != nil {
		t.Fatal(err)
	}
	want := text + " line 1 of 1 on a page that was read in ces with doubts" +
		" line 1 of 2 on a page that was read in ces with doubts line 2 of 2 on a page that was read in ces with doubts"
	if doc.Text != want {
		t.Errorf("text\n%q, want\n%q", doc.Text, want)
	}
	wantNote := "the text of 2 of 4 pages was recognised in pictures by tesseract 0.1 (ces), which is not sure of 3 of its 42 words: 2, 4"
	if !reflect.DeepEqual(doc.Notes, []string{wantNote}) || len(doc.Flags) != 0 {
		t.Errorf("notes %q, flags %v, want %q", doc.Notes, doc.Flags, wantNote)
	}
	var recognized []string
	doubtful := 0
	for _, m := range doc.Marks {
		switch m.Kind {
		case document.Recognized:
			recognized = append(recognized, doc.Text[m.Start:m.End])
		case document.Doubtful:
			doubtful++
			if got := doc.Text[m.Start:m.End]; got != "doubts" {
				t.Errorf("doubtful word %q, want doubts", got)
			}
		}
	}
	if len(recognized) != 2 || !strings.HasPrefix(recognized[0], "line 1 of 1") || !strings.HasPrefix(recognized[1], "line 1 of 2") || doubtful != 3 {
		t.Errorf("recognised %q with %d doubtful words, want two pages with 3", recognized, doubtful)
	}
}

// TestWithoutOCR checks that pages without text are named where nobody asks for it.
func TestWithoutOCR(t *testing.T) {
	doc := &document.Document{}
	if err := readtest.Read(t.Context(), doc, sample.PDF(sample.At(50, 600, "text"), scanned(1), scanned(1), sample.At(50, 600, "text"), scanned(1)), document.Options{}); err != nil {
		t.Fatal(err)
	}
	if want := []string{"only pictures without text on 3 of 5 pages: 2–3, 5"}; !reflect.DeepEqual(doc.Notes, want) {
		t.Errorf("notes %q, want %q", doc.Notes, want)
	}
}

func TestOCRFails(t *testing.T) {
	tesseract.Install(t)
	some, all := sample.PDF(sample.At(50, 600, "text"), scanned(1), scanned(2)), sample.PDF(scanned(1))
	const broken = "2 of 3 pages were not recognised: 2–3: tesseract: exit status 1: Error: it is broken"
	missing := ocr.ErrMissing.Error() + ": tesseract is not installed"
	for _, tt := range []struct {
		name, language, path, note, why string
	}{
		{"program that fails", "broken", os.Getenv("PATH"), broken, "tesseract: exit status 1: Error: it is broken"},
		{"no program", "ces", t.TempDir(), "2 of 3 pages were not recognised: 2–3: " + missing, missing},
	} {
		t.Setenv("PATH", tt.path)
		opts := document.Options{OCR: recognizer(t, tt.language)}
		doc := &document.Document{}
		if err := readtest.Read(t.Context(), doc, some, opts); err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		named := slices.ContainsFunc(doc.Notes, func(n string) bool { return strings.HasPrefix(n, tt.note) })
		if doc.Text != "text" || !named {
			t.Errorf("%s: text %q, notes %q, flags %v, want the pages named and %q", tt.name, doc.Text, doc.Notes, doc.Flags, tt.note)
		}
		if doc.Reader != document.Version {
			t.Errorf("%s: reader %d, want %d, so that it is read again", tt.name, doc.Reader, document.Version)
		}
		err := readtest.Read(t.Context(), &document.Document{}, all, opts)
		if !errors.Is(err, document.ErrNoLayer) || !strings.Contains(err.Error(), tt.why) {
			t.Errorf("%s: error %v, want %v with %q", tt.name, err, document.ErrNoLayer, tt.why)
		}
	}
}

// TestOCRTakesNoTime checks that a document may take longer to be recognised than to
// be read: each page has the whole time.
func TestOCRTakesNoTime(t *testing.T) {
	tesseract.Install(t)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2)) // pages are read at once
	t.Setenv("OTISK_TESSERACT_SLEEP", "350ms")
	begin := time.Now()
	if err := readtest.Read(t.Context(), new(document.Document), sample.PDF(scanned(1)), document.Options{OCR: recognizer(t, "ces")}); err != nil {
		t.Fatal(err)
	}
	limit := max(3*time.Second, 6*time.Since(begin)) // a page has to do with it on a busy machine, too
	doc := &document.Document{}
	opts := document.Options{OCR: recognizer(t, "ces"), Time: limit}
	count := need.Rounds(20) // all of which take longer
	var pages []string
	for i := range count {
		pages = append(pages, fmt.Sprintf("1 0 0 1 0 %d cm ", -13*i)+scanned(1)) // at one height they would be running heads
	}
	if err := readtest.Read(t.Context(), doc, sample.PDF(pages...), opts); err != nil {
		t.Fatal(err)
	}
	if len(doc.Notes) != 1 || !strings.HasPrefix(doc.Notes[0], fmt.Sprintf("the text of %d of %[1]d pages", count)) {
		t.Errorf("notes %q, want all pages recognised", doc.Notes)
	}
	t.Setenv("OTISK_TESSERACT_SLEEP", "1m")
	opts = document.Options{OCR: recognizer(t, "ces"), Time: time.Second}
	err := readtest.Read(t.Context(), doc, sample.PDF(scanned(1)), opts)
	if !errors.Is(err, document.ErrNoLayer) || !strings.Contains(err.Error(), "reading takes longer than 1s") {
		t.Errorf("a page that takes too long: %v, want %v with the limit", err, document.ErrNoLayer)
	}
}

package paper_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/internal/testing/need"
	"github.com/otisk/otisk/report"
	"github.com/otisk/otisk/report/paper"
)

// TestPrint prints a report with Chromium, reads it back, and finds each passage with its source,
// and no trace of scripts in the texts.
func TestPrint(t *testing.T) {
	print := paper.Printer(t.Context())
	if print == nil {
		need.Skip(t, "no Chromium to print reports with (package chromium, or name one in OTISK_CHROMIUM)")
	}
	data, err := os.Open("../testdata/sample.json")
	if err != nil {
		t.Fatal(err)
	}
	defer data.Close()
	r, err := report.ReadJSON(data)
	if err != nil {
		t.Fatal(err)
	}
	hostile := `<script>document.body.textContent = "broken"</script><img src="file:///etc/passwd" onerror="document.body.textContent = 'broken'">`
	r.Sources[0].Name, r.Sources[0].Title, r.Suspect.Author = hostile, "", hostile
	var pdf bytes.Buffer
	if err := report.Write(&pdf, report.PDF, r, report.Options{Print: print}); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "report.pdf")
	if err := os.WriteFile(file, pdf.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	doc, err := document.Open(t.Context(), file, document.Options{})
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(doc.Text), " ")
	for _, want := range []string{"Passage 1", "<script>document.body.textContent"} {
		if !strings.Contains(text, want) {
			t.Errorf("the PDF lacks %q:\n%s", want, text)
		}
	}
	for i, p := range r.Passages {
		words := strings.Fields(r.Suspect.Text[p.Suspect.Start:p.Suspect.End])
		if p.Counted > 0 && !strings.Contains(text, words[0]) {
			t.Errorf("the PDF lacks passage %d, %q", i+1, words)
		}
	}
	if text == "broken" {
		t.Error("a script in the text ran")
	}
}

// TestPrintEnds: a page that is too long, and a request that ends, are errors at once, and no file is left behind.
func TestPrintEnds(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	ctx, cancel := context.WithCancel(t.Context())
	print := paper.Printer(ctx)
	if print == nil {
		need.Skip(t, "no Chromium to print reports with")
	}
	var pdf bytes.Buffer
	if err := print(&pdf, make([]byte, 65<<20)); err == nil || !strings.Contains(err.Error(), "longer than 64 MB") {
		t.Errorf("a long page: %v", err)
	}
	time.AfterFunc(300*time.Millisecond, cancel)
	endless := []byte(`<!doctype html><script>for (;;);</script>`)
	if err := print(&pdf, endless); !errors.Is(err, context.Canceled) || pdf.Len() > 0 {
		t.Errorf("a page that never ends: %v, %d bytes", err, pdf.Len())
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

// TestPrinterMissing: without Chromium, there is no printer.
func TestPrinterMissing(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Setenv("OTISK_CHROMIUM", "")
	if paper.Printer(t.Context()) != nil {
		t.Error("a printer without Chromium")
	}
}

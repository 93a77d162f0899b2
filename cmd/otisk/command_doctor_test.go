package main

import (
	"strings"
	"testing"

	"github.com/otisk/otisk/internal/testing/files"
)

// TestDoctorMissing: missing programs are listed with their purpose and how to install them, and
// are no failure.
func TestDoctorMissing(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("PATH", t.TempDir())
	files.Write(t, "config.xml", "<config><ocr>ces+chi_sim</ocr></config>")
	status, out, errs := typed(t, "doctor")
	if status != 0 || errs != "" {
		t.Errorf("status %d, %q", status, errs)
	}
	for _, want := range []string{"(--open)", "(--ocr)", "(--pages)"} {
		if !strings.Contains(out, want+"\n  ") {
			t.Errorf("no line for a program used by %s, with a way to get it below:\n%s", want, out)
		}
	}
	if strings.Contains(out, "apt install tesseract") && !strings.Contains(out, "tesseract-ocr-ces tesseract-ocr-chi-sim\n") {
		t.Errorf("the line to install Tesseract lacks the languages of the settings:\n%s", out)
	}
}

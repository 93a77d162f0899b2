package document

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestOwnReports: a report beside the texts of a collection is none of them. It
// quotes the text that it is on, which would be found in it from then on.
func TestOwnReports(t *testing.T) {
	files, err := filepath.Glob("../report/testdata/*.*")
	if err != nil {
		t.Fatal(err)
	}
	known := 0
	for _, file := range files {
		base := filepath.Base(file)
		kind, _, _ := strings.Cut(strings.TrimSuffix(base, filepath.Ext(base)), "-")
		switch kind {
		case "sample", "reviewed", "hostile", "compared", "overview", "empty":
		default:
			continue // lists
		}
		if base == "sample-color.txt" {
			continue // for a terminal
		}
		known++
		if _, err := Open(t.Context(), file, Options{}); !errors.Is(err, ErrBinary) || !strings.Contains(err.Error(), "a report of Otisk") {
			t.Errorf("%s: error %v, want one that calls it a report", file, err)
		}
	}
	if known < 15 {
		t.Errorf("%d reports were looked at, want all", known)
	}
}

// TestOwnReportsWithoutPassages: a report in text is known by its head, in each language.
func TestOwnReportsWithoutPassages(t *testing.T) {
	files, err := filepath.Glob("../report/testdata/reviewed-*.txt")
	if err != nil || len(files) != 4 {
		t.Fatalf("reports in %d languages, want 4: %v", len(files), err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		head, _, found := strings.Cut(string(data), "\n      | ")
		head = head[:strings.LastIndex(head, "\n\n")]
		if kind := ownKind([]byte(head)); !found || kind == "" {
			t.Errorf("%s: not known without its passages:\n%s", file, head)
		}
	}
}

// TestNoReport: what only talks of reports is a text.
func TestNoReport(t *testing.T) {
	for _, data := range []string{
		"<!doctype html>\n<html lang=\"en\">\n<head><title>A page about Otisk</title></head><body>The words of the page are here.</body></html>",
		"<?xml version=\"1.0\"?>\n<report>An <otisk-report format=\"1\"/> would be here.</report>",
		"{\"format\": 1, \"version\": \"2\", \"text\": \"Some words.\"}",
		"Results\nof the test\nin May\n\nScore: 80%\n\nn-grams: of many sizes; longest: 7\n",
		"    1  First of all, a list\n       with a second line\n    2  and a table\n      a | b\n",
	} {
		if kind := ownKind([]byte(data)); kind != "" {
			t.Errorf("%q: taken for %s", data, kind)
		}
	}
}

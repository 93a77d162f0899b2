package document

import (
	"errors"
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
		case "sample", "reviewed", "hostile", "compared", "overview":
		default:
			continue // lists, and reports without a passage
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

// TestNoReport: what only talks of reports is a text.
func TestNoReport(t *testing.T) {
	for _, data := range []string{
		"<!doctype html>\n<html lang=\"en\">\n<head><title>A page about Otisk</title></head><body>The words of the page are here.</body></html>",
		"<?xml version=\"1.0\"?>\n<report>An <otisk-report format=\"1\"/> would be here.</report>",
		"{\"format\": 1, \"version\": \"2\", \"text\": \"Some words.\"}",
		"    1  First of all, a list\n       with a second line\n    2  and a table\n      a | b\n",
	} {
		if kind := ownKind([]byte(data)); kind != "" {
			t.Errorf("%q: taken for %s", data, kind)
		}
	}
}

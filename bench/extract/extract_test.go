package main

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const (
	text = "The old mill by the river was sold for a crown to a man who meant to grind nothing in it but time, and the water has gone round it ever since, summer and winter."
	site = "<!DOCTYPE html><title>A mill</title><div class=menu><a href=/>Home</a> <a href=/s>Sport</a></div><article><p>" + text + "</p><p>" + text + "</p></article><div class=end>All rights reserved</div>"
)

// write makes the files of a set.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, data := range files {
		if strings.HasSuffix(name, ".gz") {
			var b bytes.Buffer
			z := gzip.NewWriter(&b)
			if _, err := z.Write([]byte(data)); err != nil {
				t.Fatal(err)
			}
			if err := z.Close(); err != nil {
				t.Fatal(err)
			}
			data = b.String()
		}
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestRun measures a page in each form of set.
func TestRun(t *testing.T) {
	for name, files := range map[string]map[string]string{
		"pairs":     {"a.html": site, "a.txt": text + "\n\n" + text},
		"benchmark": {"html/1.html.gz": site, "ground-truth.json": `{"1":{"articleBody":"` + text + " " + text + `"}}`},
		"fundus": {"P_2026.html.gz": site, "Q_2026.html.gz": "<p>another page", "meta.info": "{}", "Q.json": "{}",
			"P.json": `{"V1":{"body":{"sections":[{"paragraphs":["something that is not on it at all"]}]}},"V2":{"body":{"summary":["` + text + `"],"sections":[{"headline":[],"paragraphs":["` + text + `"]}]}}}`},
	} {
		var out bytes.Buffer
		if err := run(t.Context(), &out, []string{write(t, files)}, true); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for method, want := range map[string]string{
			"whole page": `0\.9\d+ +1\.000`, "--boilerplate strip": `0\.9\d+ +1\.000`, "library alone": `1\.000 +1\.000 +1\.000 +0`, "otisk crawl": `1\.000 +1\.000 +1\.000 +0`,
		} {
			if !regexp.MustCompile(` 1 +` + method + ` +` + want).Match(out.Bytes()) {
				t.Errorf("%s: %s is not %s:\n%s", name, method, want, out.String())
			}
		}
	}
	if err := run(t.Context(), new(bytes.Buffer), []string{t.TempDir()}, false); err == nil || !strings.Contains(err.Error(), "no pages") {
		t.Errorf("an empty set: %v", err)
	}
}

// TestScore counts words as often as they occur on both sides.
func TestScore(t *testing.T) {
	var s score
	if _, recall := s.add("a a b, c!", "A b b d"); recall != 0.5 || s.hit != 2 || s.found != 4 || s.want != 4 || s.f != 0.5 {
		t.Errorf("recall %v, %+v", recall, s)
	}
	if s.add("", "a"); s.lost != 1 || s.pages != 2 {
		t.Errorf("a page of which nothing is found: %+v", s)
	}
}

package main

import (
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestSecurityDocumented: the tests exist that docs/SECURITY-SERVER.md names.
func TestSecurityDocumented(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/SECURITY-SERVER.md")
	if err != nil {
		t.Fatal(err)
	}
	var code strings.Builder
	for _, folder := range []string{"serve", "cmd/otisk", "document"} {
		err := fs.WalkDir(os.DirFS("../../"+folder), ".", func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, "_test.go") {
				return err
			}
			data, err := os.ReadFile("../../" + folder + "/" + path)
			code.Write(data)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	names := regexp.MustCompile(`\bTest[A-Z]\w+`).FindAllString(string(page), -1)
	if len(names) < 40 {
		t.Fatalf("the page names %d tests, want at least 40", len(names))
	}
	for _, name := range names {
		if !strings.Contains(code.String(), "\nfunc "+name+"(") {
			t.Errorf("the page names %s, which does not exist", name)
		}
	}
}

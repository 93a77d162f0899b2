package project

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestHome: each file that names a repository called otisk names that of Home.
func TestHome(t *testing.T) {
	t.Parallel()
	address := regexp.MustCompile(`https?://[a-z0-9.-]+/[A-Za-z0-9_-]+/otisk\b`)
	found := 0
	for _, folder := range []string{".github", "docs", "lang", "packaging", "site", "*.md"} {
		roots, err := filepath.Glob(filepath.Join("../..", folder))
		if err != nil {
			t.Fatal(err)
		}
		for _, root := range roots {
			err := filepath.WalkDir(root, func(path string, e os.DirEntry, err error) error {
				if err != nil || e.IsDir() || strings.HasSuffix(path, ".png") {
					return err
				}
				text, err := os.ReadFile(path)
				for _, m := range address.FindAllString(string(text), -1) {
					if found++; m != Home && !strings.HasPrefix(m, "https://otisk.example.org") {
						t.Errorf("%s names %s, but Home is %s", path, m, Home)
					}
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	if found < 10 {
		t.Errorf("only %d addresses were found", found)
	}
}

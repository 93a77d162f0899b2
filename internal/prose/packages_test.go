package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// TestPackagesHaveComments: go doc shows no introduction if a blank line separates the comment from its package.
func TestPackagesHaveComments(t *testing.T) {
	comments := map[string]string{} // by package and folder, the last one
	err := filepath.WalkDir("../..", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return skip(file, "../..", d, err)
		}
		if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.PackageClauseOnly|parser.ParseComments)
		if err != nil {
			return err
		}
		if key := f.Name.Name + " in " + filepath.Dir(file); f.Name.Name != "main" && comments[key] == "" {
			comments[key] = f.Doc.Text()
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for key, text := range comments {
		name, _, _ := strings.Cut(key, " ")
		if !strings.HasPrefix(text, "Package "+name+" ") {
			t.Errorf("package %s has the comment %.40q, want one that begins with its name", key, text)
		}
	}
}

package indexer_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestPromisedPackages: the exported declarations of the packages in docs/LIBRARY.md have no types of internal packages, which
// other modules cannot name.
func TestPromisedPackages(t *testing.T) {
	page, err := os.ReadFile("../docs/LIBRARY.md")
	if err != nil {
		t.Fatal(err)
	}
	packages := 0
	for _, row := range regexp.MustCompile("(?m)^\\| (`.*?) \\|").FindAllStringSubmatch(string(page), -1) {
		for _, name := range strings.Split(row[1], ", ") {
			packages++
			checkPromised(t, strings.Trim(name, "`"))
		}
	}
	if packages < 9 {
		t.Errorf("%d packages in LIBRARY.md, want at least 9", packages)
	}
}

// checkPromised reports the types of internal packages in the exported declarations of a package.
func checkPromised(t *testing.T, name string) {
	list, err := filepath.Glob(filepath.Join("..", name, "*.go"))
	if err != nil || len(list) == 0 {
		t.Errorf("package %s in LIBRARY.md: %v", name, err)
	}
	for _, file := range list {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		positions := token.NewFileSet()
		f, err := parser.ParseFile(positions, file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		internal := map[string]bool{} // names of internal packages in the file
		for _, i := range f.Imports {
			if from, err := strconv.Unquote(i.Path.Value); err == nil && strings.Contains(from, "/internal/") {
				internal[path.Base(from)] = true
			}
		}
		ast.FileExports(f)
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BlockStmt: // of a function
				return false
			case *ast.ValueSpec:
				n.Values = nil
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok && internal[x.Name] {
					t.Errorf("%s: an exported declaration has %s.%s of an internal package", positions.Position(n.Pos()), x.Name, n.Sel.Name)
				}
			}
			return true
		})
	}
}

package pages

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
)

// embedding are the types of this package with embedded types, which templates read.
var embedding = []any{accountPage{}, checkPage{}, checksPage{}, collectionPage{}, coursePage{}, coursesPage{}, documentPage{}, linkForm{}, pairRow{}, pairsPage{}, recordPage{}, selectPage{}, sharedPage{}, studentPage{}, submissionPage{}, userPage{}, view{}, visit{}, site{}}

// TestFields expects that each field of a template has one meaning. A page that has a field of the same
// name as a type that it embeds, or embeds two types with it, would show one in place of the other.
func TestFields(t *testing.T) {
	t.Parallel()
	var listed []string
	for _, v := range embedding {
		typ := reflect.TypeOf(v)
		listed = append(listed, typ.Name())
		owners := map[string]string{}
		if typ == reflect.TypeFor[visit]() || typ == reflect.TypeFor[site]() || typ == reflect.TypeFor[view]() {
			continue // their methods and fields are those of a request, and of no record
		}
		collectFields(t, typ.Name(), typ, owners)
	}
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	check := func(n ast.Node) bool {
		spec, ok := n.(*ast.TypeSpec)
		if !ok {
			return true
		}
		s, ok := spec.Type.(*ast.StructType)
		if !ok || !slices.ContainsFunc(s.Fields.List, func(f *ast.Field) bool { return len(f.Names) == 0 }) {
			return true
		}
		if !slices.Contains([]string{"testSite", "campus"}, spec.Name.Name) && !slices.Contains(listed, spec.Name.Name) {
			t.Errorf("%s embeds a type and is not tested: add it to embedding", spec.Name.Name)
		}
		return true
	}
	for _, name := range names {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, check)
	}
}

// collectFields adds the exported fields of a struct and those that it embeds to owners.
func collectFields(t *testing.T, page string, typ reflect.Type, owners map[string]string) {
	t.Helper()
	for i := range typ.NumField() {
		f := typ.Field(i)
		if f.Anonymous {
			inner := f.Type
			if inner.Kind() == reflect.Pointer {
				inner = inner.Elem()
			}
			collectFields(t, page, inner, owners)
			if !f.IsExported() {
				continue
			}
		}
		if f.IsExported() {
			if owner := owners[f.Name]; owner != "" {
				t.Errorf("%s: %s and %s both have the field %s", page, owner, typ, f.Name)
			}
			owners[f.Name] = typ.String()
		}
	}
}

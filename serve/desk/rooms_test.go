package desk

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// mostMethods is the limit of methods of one type.
const mostMethods = 40

// areas are the tables by what people do. Only the rooms and files of an area write to its tables. Queries of an area join those of the
// areas that it reads.
var areas = map[string]struct{ rooms, files, tables, reads string }{
	"checks":       {"uploads checks presets reports results deletions", "texts.go", "submissions submission_collections checks jobs idempotency presets given_texts decisions check_scores", "cases collections courses people"},
	"courses":      {"courses", "", "courses course_students looks", "cases checks collections people"},
	"cases":        {"cases", "", "case_steps shares remarks", "checks courses people"},
	"collections":  {"collections sources removals", "move.go", "collections deleted_indexes additions sources removals forgotten document_times private_checks", "checks integrations people"},
	"people":       {"people sessions passwords", "", "users groups sessions links tokens recovery_codes", "cases checks collections courses integrations"},
	"integrations": {"platforms assets integrations webhooks", "", "platforms platform_keys launches assets integrations integration_texts integration_terms webhooks deliveries", "cases checks collections courses people"},
	"keeping":      {"Desk room rounds mails remains exports keeper", "free_unix.go free_other.go", "audit mails remains", "cases checks collections courses integrations people"},
}

// movesGroups is the one file that writes to the tables of other areas: everything of a group that is deleted moves to another group.
const movesGroups = "groups.go"

// A sourceFile is a file of the package.
type sourceFile struct {
	name  string
	tree  *ast.File
	rooms []string // types of the methods in it
}

// sourceFiles returns the files of the package without tests, the number of methods by type, and the types of the fields.
func sourceFiles(t *testing.T) (files []sourceFile, methods map[string]int, fields map[string][]string) {
	t.Helper()
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	methods, fields = map[string]int{}, map[string][]string{}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		tree, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		f := sourceFile{name: name, tree: tree}
		for _, decl := range tree.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				if decl.Recv != nil {
					receiver := nameOf(decl.Recv.List[0].Type)
					methods[receiver]++
					f.rooms = append(f.rooms, receiver)
				}
			case *ast.GenDecl:
				for _, spec := range decl.Specs {
					spec, ok := spec.(*ast.TypeSpec)
					if !ok {
						continue
					}
					if s, ok := spec.Type.(*ast.StructType); ok {
						for _, field := range s.Fields.List {
							fields[spec.Name.Name] = append(fields[spec.Name.Name], nameOf(field.Type))
						}
					}
				}
			}
		}
		files = append(files, f)
	}
	return files, methods, fields
}

// nameOf returns the name of a type of the package, "" for another one.
func nameOf(e ast.Expr) string {
	if s, ok := e.(*ast.StarExpr); ok {
		e = s.X
	}
	if id, ok := e.(*ast.Ident); ok {
		return id.Name
	}
	return ""
}

// areaOf returns the area of a file: that of the rooms with methods in it.
func areaOf(t *testing.T, f sourceFile) (found string) {
	t.Helper()
	for area, a := range areas {
		rooms := strings.Fields(a.rooms)
		if !slices.ContainsFunc(f.rooms, func(r string) bool { return slices.Contains(rooms, r) }) && !slices.Contains(strings.Fields(a.files), f.name) {
			continue
		}
		if found != "" {
			t.Errorf("%s has methods of rooms of the areas %s and %s, want one area", f.name, found, area)
		}
		found = area
	}
	return found
}

// TestRooms: no type has many methods, each room has only the rooms that were made before it, and a file is of one area.
func TestRooms(t *testing.T) {
	t.Parallel()
	files, methods, fields := sourceFiles(t)
	for receiver, n := range methods {
		if n > mostMethods {
			t.Errorf("%s has %d methods, want at most %d: divide it", receiver, n, mostMethods)
		}
	}
	var visit func(room string, path []string)
	visit = func(room string, path []string) {
		if slices.Contains(path, room) {
			t.Errorf("rooms have each other: %v", append(path, room))
			return
		}
		for _, other := range fields[room] {
			visit(other, append(slices.Clone(path), room))
		}
	}
	visit("Desk", nil)
	for _, room := range fields["Desk"] {
		if slices.Contains(fields[room], "Desk") {
			t.Errorf("%s has the whole desk", room)
		}
	}
	if len(fields["Desk"]) < 20 {
		t.Errorf("the desk has %v, want all rooms: the test does not find them", fields["Desk"])
	}
	for _, f := range files {
		areaOf(t, f)
	}
}

// withNames are the files with statements to which the program adds the name of the table.
var withNames = []string{"people.go", "external.go"}

// writes finds the table of a statement that changes it. The name is empty if the program adds it.
var writes = regexp.MustCompile(`\b(?:INSERT INTO|UPDATE|DELETE FROM) ([a-z_]*)`)

// queries finds the tables that a statement reads.
var queries = regexp.MustCompile(`\b(?:FROM|JOIN) ([a-z_]+)`)

// TestTables: each table is written by the files of one area, and read only by those that say so.
func TestTables(t *testing.T) {
	t.Parallel()
	files, _, _ := sourceFiles(t)
	owner, written, read := map[string]string{}, map[string]bool{}, map[string]bool{}
	for area, a := range areas {
		for table := range strings.FieldsSeq(a.tables) {
			if owner[table] != "" {
				t.Errorf("the table %s is of %s and of %s", table, owner[table], area)
			}
			owner[table] = area
		}
	}
	for _, f := range files {
		area := areaOf(t, f)
		ast.Inspect(f.tree, func(n ast.Node) bool {
			var tables []string
			switch n := n.(type) {
			case *ast.BasicLit:
				for _, m := range writes.FindAllStringSubmatch(strings.ReplaceAll(n.Value, "DO UPDATE", ""), -1) {
					tables = append(tables, m[1])
				}
				for _, m := range queries.FindAllStringSubmatch(n.Value, -1) {
					other := owner[m[1]]
					read[area+" "+other] = true
					if other != "" && other != area && !slices.Contains(strings.Fields(areas[area].reads), other) {
						t.Errorf("%s of %s reads the table %s of %s", f.name, area, m[1], other)
					}
				}
			case *ast.CallExpr:
				if nameOf(n.Fun) == "deleteOf" {
					for _, arg := range n.Args[3:] {
						tables = append(tables, strings.Trim(arg.(*ast.BasicLit).Value, `"`))
					}
				}
			}
			for _, table := range tables {
				written[table] = true
				if f.name != movesGroups && owner[table] != area && !(table == "" && slices.Contains(withNames, f.name)) {
					t.Errorf("%s of %s writes to the table %q of %s: call a function of that area", f.name, area, table, owner[table])
				}
			}
			return true
		})
	}
	for area, a := range areas {
		for other := range strings.FieldsSeq(a.reads) {
			if !read[area+" "+other] {
				t.Errorf("%s no longer reads tables of %s: take it out of the test", area, other)
			}
		}
	}
	_, f := open(t, t.TempDir())
	if f.Shared() {
		t.Skip("asks SQLite for its schema")
	}
	tables, err := list(t.Context(), f.Read, scanString, `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT IN ('servers', 'version', 'bucket')`)
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range tables {
		if owner[table] == "" || !written[table] {
			t.Errorf("the table %s is of area %q, written %t: want both", table, owner[table], written[table])
		}
	}
}

package indexer

import (
	"bytes"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/internal/testing/files"
)

// TestParquetDescriptions reads the same table as text and as Parquet.
func TestParquetDescriptions(t *testing.T) {
	type row struct {
		Path    string   `parquet:"path"`
		Title   *string  `parquet:"Název,optional"`
		Year    int32    `parquet:"rok"`
		Tags    []string `parquet:"tags,list"` // several values: left out
		Faculty string   `parquet:"faculty"`
	}
	title := "O mostech"
	var b bytes.Buffer
	if err := parquet.Write(&b, []row{{"a.txt", &title, 2001, []string{"x", "y"}, "law"}, {"b.txt", nil, 2002, nil, ""}}); err != nil {
		t.Fatal(err)
	}
	dir := files.Folder(t, map[string]string{"a.parquet": b.String(), "a.csv": "path,Název,rok,faculty\na.txt,O mostech,2001,law\nb.txt,,2002,\n", "cut.parquet": b.String()[:b.Len()-20]})
	text, err := ReadDescriptions(t.Context(), filepath.Join(dir, "a.csv"))
	if err != nil {
		t.Fatal(err)
	}
	table, err := ReadDescriptions(t.Context(), filepath.Join(dir, "a.parquet"))
	if err != nil || table.Len() != 2 {
		t.Fatalf("%v, error %v", table, err)
	}
	for name, want := range text.rows {
		got := table.rows[name]
		if got == nil || strings.Join(got.says.List(), "; ") != strings.Join(want.says.List(), "; ") || len(want.says.List()) == 0 {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
	if _, err := ReadDescriptions(t.Context(), filepath.Join(dir, "cut.parquet")); !errors.Is(err, document.ErrDamaged) {
		t.Errorf("a truncated file: %v", err)
	}
}

// TestRowKeys: paths with backslashes, as tables made on Windows have them, and with decomposed
// accents name the same documents.
func TestRowKeys(t *testing.T) {
	dir := files.Folder(t, map[string]string{"a.csv": "path,title\n2001\\mly\u0301n.txt,Mlýn\n.\\b.txt,Řeka\n"})
	table, err := ReadDescriptions(t.Context(), filepath.Join(dir, "a.csv"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"2001/mlýn.txt", "b.txt"} {
		if says, ok := table.of(name); !ok || says.Title == "" {
			t.Errorf("no row describes %s", name)
		}
	}
}

package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/otisk/otisk/internal/testing/files"
)

// TestUnusedRows: rows of a table that match no document end the command with status 5, also if
// none of them does, since the documents are in the index.
func TestUnusedRows(t *testing.T) {
	dir := files.Folder(t, map[string]string{"theses/a.txt": textNumber(1, 0), "table.csv": "name,title\nnowhere.txt,One\n"})
	index, table := filepath.Join(dir, "idx"), filepath.Join(dir, "table.csv")
	for _, args := range [][]string{{"index", filepath.Join(dir, "theses")}, {"label", "-r", "theses"}} {
		status, _, errs := typed(t, append(args, "--index", index, "--metadata", table)...)
		if status != statusSome || !strings.Contains(errs, "1 of 1 rows matches no document: nowhere.txt") {
			t.Errorf("otisk %s: status %d, want %d\n%s", args[0], status, statusSome, errs)
		}
	}
}

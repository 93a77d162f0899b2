package main

import (
	"testing"

	"github.com/otisk/otisk/internal/testing/files"
)

// TestExclusiveFlags: flags that exclude one another are a command line misused, and
// nothing is done.
func TestExclusiveFlags(t *testing.T) {
	t.Chdir(t.TempDir())
	files.Write(t, "a.txt", "the quick brown fox jumps over the lazy dog")
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"index", "--dedup", "--sync", "a.txt"}, "otisk: error: --dedup and --sync exclude one another\n"},
		{[]string{"index", "--skip", "--overwrite", "a.txt"}, "otisk: error: --overwrite and --skip exclude one another\n"},
		{[]string{"corpus", "near", "--keep", "longest", "--groups", "a.txt"}, "otisk: error: --groups and --keep exclude one another\n"},
	} {
		if status, out, errs := typed(t, tt.args...); status != 2 || out != "" || errs != tt.want {
			t.Errorf("otisk %q: status %d, %q and %q, want 2, nothing and %q", tt.args, status, out, errs, tt.want)
		}
	}
}

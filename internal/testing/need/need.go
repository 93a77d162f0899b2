// Package need is where a test says that it lacks something it cannot run
// without: a server, a corpus, a tool.
//
// On a person's machine that skips the test aloud. Where the environment
// variable OTISK_NO_SKIP is 1, as in continuous integration, it fails instead:
// there, a test that quietly stopped running would be worth nothing.
package need

import (
	"os"
	"testing"
)

// Skip skips the test with reason, or fails it where nothing may be skipped.
func Skip(t testing.TB, reason string) {
	t.Helper()
	if Strict() {
		t.Fatalf("OTISK_NO_SKIP is set, and this test cannot run: %s", reason)
	}
	t.Skip(reason)
}

// Long skips a test that takes minutes, and runs where those are asked for: make
// test-long.
func Long(t testing.TB) {
	t.Helper()
	if !All() {
		t.Skip("takes minutes: set OTISK_TEST_LONG=1, or make test-long")
	}
}

// All reports whether tests that take minutes are asked for.
func All() bool { return os.Getenv("OTISK_TEST_LONG") != "" }

// Rounds returns how many random cases a test tries, or how many of what it makes:
// all, or a tenth of them with -short.
func Rounds(all int) int {
	if testing.Short() {
		return (all + 9) / 10
	}
	return all
}

// MemoryTemp makes temporary folders of tests lie in memory, where the system has room for
// that: each sync costs milliseconds on a disk, and nothing there. It is called by TestMain.
func MemoryTemp() {
	if dir, err := os.MkdirTemp("/dev/shm", "otisk"); err == nil && os.Getenv("TMPDIR") == "" {
		_ = os.Remove(dir)
		_ = os.Setenv("TMPDIR", "/dev/shm")
	}
}

// Strict says whether nothing may be skipped.
func Strict() bool { return os.Getenv("OTISK_NO_SKIP") == "1" }

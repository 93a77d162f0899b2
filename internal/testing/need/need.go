// Package need skips tests that lack a server, a corpus or a tool.
//
// If the environment variable OTISK_NO_SKIP is 1, as in continuous integration, such a test
// fails instead, so that no test silently stops running.
package need

import (
	"os"
	"testing"
)

// Skip skips the test with reason, or fails it if OTISK_NO_SKIP is 1.
func Skip(t testing.TB, reason string) {
	t.Helper()
	if Strict() {
		t.Fatalf("OTISK_NO_SKIP is set, and this test cannot run: %s", reason)
	}
	t.Skip(reason)
}

// Long skips a test that takes minutes, unless OTISK_TEST_LONG is set, as in make
// test-long.
func Long(t testing.TB) {
	t.Helper()
	if !All() {
		t.Skip("takes minutes: set OTISK_TEST_LONG=1, or make test-long")
	}
}

// All reports whether tests that take minutes are to run.
func All() bool { return os.Getenv("OTISK_TEST_LONG") != "" }

// Servers reports whether tests are to run on servers other than the one that most share: starting one
// takes half a minute of CPU.
func Servers() bool { return Strict() || All() }

// Rounds returns the number of random cases or items of a test: all, or a tenth of them
// with -short.
func Rounds(all int) int {
	if testing.Short() {
		return (all + 9) / 10
	}
	return all
}

// Seeds returns the number of random cases of a test, of which any proves as much as another: all with OTISK_TEST_LONG,
// otherwise a third of them, or a tenth with -short.
func Seeds(all int) int {
	if All() || testing.Short() {
		return Rounds(all)
	}
	return (all + 2) / 3
}

// MemoryTemp puts temporary folders of tests in memory, if there is room, since each sync
// takes milliseconds on a disk. TestMain calls it.
func MemoryTemp() {
	if dir, err := os.MkdirTemp("/dev/shm", "otisk"); err == nil && os.Getenv("TMPDIR") == "" {
		_ = os.Remove(dir)
		_ = os.Setenv("TMPDIR", "/dev/shm")
	}
}

// Strict reports whether a test that cannot run must fail.
func Strict() bool { return os.Getenv("OTISK_NO_SKIP") == "1" }

// OneGoroutine skips a test under the race detector, which finds nothing in code that runs in
// one goroutine and makes it ten times slower.
func OneGoroutine(t testing.TB) {
	t.Helper()
	if Race {
		t.Skip("runs in one goroutine, in which there are no races")
	}
}

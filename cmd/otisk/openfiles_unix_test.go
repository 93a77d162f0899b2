//go:build unix

package main

import (
	"os/exec"
	"strings"
	"testing"
)

// TestFewOpenFiles: a limit of open files that is too low is named. The runtime of Go
// ended the program with a trace.
func TestFewOpenFiles(t *testing.T) {
	binary := program(t)
	for _, limit := range []string{"5", "6", "7", "12"} {
		out, err := exec.Command("sh", "-c", `ulimit -n `+limit+` && exec "$0" index x`, binary).CombinedOutput()
		if err == nil || !strings.Contains(string(out), "otisk: error: the limit of open files (ulimit -n) is "+limit) {
			t.Errorf("with %s open files: %v, %s", limit, err, out)
		}
	}
}

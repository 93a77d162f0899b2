//go:build unix

package main

import (
	"os/exec"
	"testing"
)

// TestFewOpenFiles: a limit of open files that is too low is named. The Go runtime ended the
// program with a trace. It starts with a limit of 4; with 3, the system cannot load the program.
func TestFewOpenFiles(t *testing.T) {
	binary := program(t)
	for _, limit := range []string{"4", "5", "6", "7", "8", "12", "15", "16", "31"} {
		out, err := exec.Command("sh", "-c", `ulimit -n `+limit+` && exec "$0" index x`, binary).CombinedOutput()
		if err == nil || string(out) != "otisk: error: the limit of open files (ulimit -n) is "+limit+", and 32 are needed\n" {
			t.Errorf("with %s open files: %v, %s", limit, err, out)
		}
	}
}

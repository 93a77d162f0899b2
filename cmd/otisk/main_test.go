package main

import (
	"os"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/otisk/otisk/internal/testing/tesseract"
)

func TestMain(m *testing.M) {
	if strings.HasSuffix(strings.TrimSuffix(os.Args[0], ".exe"), ".test") { // the tests themselves, not a command of a script
		os.Setenv("LC_ALL", "C") // they read English, whatever the machine speaks
	}
	testscript.Main(served{m}, map[string]func(){
		"tesseract": func() { os.Exit(tesseract.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }, // stands in for it
		"otisk":     main,
	})
}

// TestScript runs testdata/script: each command as a user types it.
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{Dir: "testdata/script", Cmds: hostile, Setup: func(e *testscript.Env) error {
		if dir, err := os.UserCacheDir(); err == nil {
			e.Setenv("CACHE", dir) // for scripts with PDFs: without it their engine is compiled each time
		}
		e.Setenv("GOGC", "400")              // a fourth of the CPU time of a short command is garbage collection
		e.Setenv(dateVariable, "1795262400") // reports on one text are the same, today and tomorrow
		return nil
	}})
}

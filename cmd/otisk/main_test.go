package main

import (
	"context"
	"flag"
	"io"
	"log"
	"os"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/otisk/otisk/internal/session"
	"github.com/otisk/otisk/internal/testing/tesseract"
	"github.com/otisk/otisk/serve/accounts"
)

func TestMain(m *testing.M) {
	if strings.HasSuffix(strings.TrimSuffix(os.Args[0], ".exe"), ".test") { // the tests themselves, not a command of a script
		os.Setenv("LC_ALL", "C") // they read English, whatever the machine speaks
		os.Setenv("GOGC", "400") // of the programs that they start: a fourth of the CPU time of a short command is garbage collection
		debug.SetGCPercent(400)
		if err := flag.Set("test.parallel", "8"); err != nil { // tests of servers wait more than they compute, one of them for half a minute
			panic(err)
		}
	}
	testscript.Main(served{m}, map[string]func(){
		"tesseract": func() { os.Exit(tesseract.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }, // stands in for it
		"otisk":     func() { os.Exit(start(context.WithValue(context.Background(), paceKey{}, quickPace))) },
	})
}

// quickPace is the pace of servers in tests: hashing a password takes microseconds instead of 0.2 s, and waits are a
// tenth of the defaults.
var quickPace = pace{accounts.Cost{Time: 1, Memory: 8}, 1500 * time.Millisecond}

// TestNoLog: what libraries log, such as bytes of a foreign server, is not among the messages of a command.
func TestNoLog(t *testing.T) {
	log.SetOutput(os.Stderr)
	if status := run(t.Context(), []string{"completion", "bash"}, nil, io.Discard, io.Discard); status != 0 || log.Writer() != io.Discard {
		t.Errorf("status %d, log to %v, want 0 and none", status, log.Writer())
	}
}

// TestScript runs testdata/script: each command as a user types it.
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{Dir: "testdata/script", Cmds: hostile, Setup: func(e *testscript.Env) error {
		if dir, err := os.UserCacheDir(); err == nil {
			e.Setenv("CACHE", dir) // for scripts with PDFs: without it their engine is compiled each time
		}
		e.Setenv("GOGC", os.Getenv("GOGC"))          // scripts begin without variables
		e.Setenv(session.DateVariable, "1795262400") // reports on one text are the same, today and tomorrow
		return nil
	}})
}

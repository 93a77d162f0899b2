// Package paper prints HTML reports as PDF by Chromium, if it is installed.
//
// The page of a report is filled by its own script when it is printed, so scripts are on; the policy of the page allows
// that script only, by its hash, and no requests. In addition, Chromium resolves no names, reaches no network and has a
// profile that is deleted. Time and memory are limited, and a process prints one report at a time.
package paper

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"github.com/otisk/otisk/internal/host"
	"github.com/otisk/otisk/lang/phrase"
)

// names are the usual names of the program, first that of Chromium without windows, which takes less time to start and to
// draw. The environment variable OTISK_CHROMIUM overrides them.
var names = []string{"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "chrome"}

// Program returns the path of Chromium, "" if it is not installed.
func Program() string {
	for _, name := range append([]string{os.Getenv("OTISK_CHROMIUM")}, names...) {
		if program, err := exec.LookPath(name); err == nil {
			return program
		}
	}
	return ""
}

// Limits of one report.
const (
	longest  = time.Minute
	mostPage = 64 << 20 // bytes of HTML
	memory   = 2 << 20  // KB of data in each process of Chromium
)

// printing is taken by the report that is being printed.
var printing = make(chan struct{}, 1)

// Printer returns the function for the options of package report, nil without Chromium.
func Printer(ctx context.Context) func(io.Writer, []byte) error {
	program := Program()
	if program == "" {
		return nil
	}
	return func(w io.Writer, page []byte) error {
		select {
		case printing <- struct{}{}:
			defer func() { <-printing }()
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		pdf, err := printed(ctx, program, page)
		if err == nil {
			_, err = w.Write(pdf)
		}
		return err
	}
}

// printed returns the PDF of a page.
func printed(ctx context.Context, program string, page []byte) (pdf []byte, err error) {
	if len(page) > mostPage {
		return nil, phrase.Error("cause.print-longer", "print the report: its page is longer than {most} MB", "most", mostPage>>20)
	}
	dir, err := os.MkdirTemp("", "otisk")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, removed(dir)) }()
	in, out := filepath.Join(dir, "report.html"), filepath.Join(dir, "report.pdf")
	if err := os.WriteFile(in, page, 0o600); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, longest, phrase.Error("cause.print-slow", "print the report: Chromium takes longer than {time}", "time", longest))
	defer cancel()
	line, err := host.Run(ctx, command(ctx, program, dir, in, out))
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err == nil {
		pdf, err = os.ReadFile(out)
	}
	if err != nil || !bytes.HasPrefix(pdf, []byte("%PDF")) {
		return nil, phrase.Error("cause.print", "print the report by {program}: {cause}", "program", program, "cause", fmt.Sprint(err, line))
	}
	return pdf, nil
}

// withoutSandbox is the environment variable with which Chromium prints without its sandbox, as in a service that is
// confined itself. It always does for root, for whom Chromium refuses to use it.
const withoutSandbox = "OTISK_CHROMIUM_NO_SANDBOX"

// command returns the command that prints a page.
func command(ctx context.Context, program, dir, in, out string) *exec.Cmd {
	args := []string{
		"--headless", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-extensions", "--disable-sync", "--disable-component-update", "--disable-background-networking",
		"--host-resolver-rules=MAP * ~NOTFOUND", "--proxy-server=127.0.0.1:9", "--user-data-dir=" + filepath.Join(dir, "profile"),
		"--no-pdf-header-footer", "--print-to-pdf=" + out, "file://" + filepath.ToSlash(in),
	}
	if os.Geteuid() == 0 || os.Getenv(withoutSandbox) != "" {
		args = append([]string{"--no-sandbox"}, args...)
	}
	if runtime.GOOS == "linux" { // elsewhere, no limit counts memory in use
		args = append([]string{"-c", fmt.Sprintf(`ulimit -d %d; exec "$0" "$@"`, memory), program}, args...)
		program = "/bin/sh"
	}
	cmd := exec.CommandContext(ctx, program, args...)
	host.OwnGroup(cmd)
	cmd.Env = []string{"HOME=" + dir, "TMPDIR=" + dir, "TMP=" + dir, "PATH=" + os.Getenv("PATH"), "SystemRoot=" + os.Getenv("SystemRoot")}
	return cmd
}

// removed deletes the folder, in which a process of Chromium that ends last may still write.
func removed(dir string) (err error) {
	for range 20 {
		if err = os.RemoveAll(dir); err == nil {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	return err
}

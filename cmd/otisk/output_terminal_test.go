package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/otisk/otisk/indexer"
	"github.com/otisk/otisk/store"
)

// asking returns a question whose answers come from in.
func asking(in io.Reader) (*question, *strings.Builder) {
	said := &strings.Builder{}
	cmd := &cobra.Command{}
	cmd.SetIn(in)
	cmd.SetErr(said)
	return newQuestion(cmd, newProgress(cmd, true, false)), said
}

func TestQuestion(t *testing.T) {
	q, said := asking(strings.NewReader("y\nwhat\nn\na\n"))
	for i, want := range []indexer.Decision{indexer.Overwrite, indexer.Skip, indexer.Overwrite, indexer.Overwrite} {
		if got, err := q.ask(t.Context(), store.Document{Path: "/a\n.txt"}); got != want || err != nil {
			t.Errorf("answer %d is %v, %v, want %v", i, got, err, want)
		}
	}
	if got := strings.Count(said.String(), `/a\n.txt is in the index and has changed`); got != 4 {
		t.Errorf("asked %d times, want 4: the second time again, and no more after all:\n%s", got, said)
	}
}

// TestQuestionWithoutAnswer: several workers ask, one after another; once there
// is no answer, the others must not wait for one.
func TestQuestionWithoutAnswer(t *testing.T) {
	q, said := asking(strings.NewReader("y\n"))
	for i, want := range []error{nil, io.EOF, io.EOF} {
		if _, err := q.ask(t.Context(), store.Document{Path: "/a"}); !errors.Is(err, want) {
			t.Errorf("question %d: %v, want %v", i, err, want)
		}
	}
	if got := strings.Count(said.String(), "Overwrite?"); got != 2 {
		t.Errorf("asked %d times, want 2", got)
	}
}

func TestInterruptEndsQuestion(t *testing.T) {
	in, _ := io.Pipe() // nobody types
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	q, _ := asking(in)
	if _, err := q.ask(ctx, store.Document{Path: "/a"}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("ask = %v, want the error of its context", err)
	}
}

func TestLostResultsAreAnError(t *testing.T) {
	full := errors.New("no space left on device")
	in, out := io.Pipe()
	in.CloseWithError(full)
	for _, args := range [][]string{{"version"}, {"--help"}, {"index", "--index", t.TempDir(), "main.go"}} {
		var errs strings.Builder
		if got := run(t.Context(), args, strings.NewReader(""), out, &errs); got != statusFailed || !strings.Contains(errs.String(), full.Error()) {
			t.Errorf("otisk %v: status %d, %q, want %d and the error of writing", args, got, errs.String(), statusFailed)
		}
	}
}

func TestPrintable(t *testing.T) {
	for name, want := range map[string]string{
		"/a b/příliš.txt":     "/a b/příliš.txt",
		`/a"b'c.txt`:          `/a"b'c.txt`,
		"/a\nb":               `/a\nb`,
		"/a\x1b[2J\"\xff.txt": `/a\x1b[2J"\xff.txt`,
	} {
		if got := printable(name); got != want {
			t.Errorf("printable(%q) = %s, want %s", name, got, want)
		}
	}
}

// TestManyWarnings: each file is named, however many there are, and few names wait.
func TestManyWarnings(t *testing.T) {
	var out bytes.Buffer
	p := &progress{err: &out}
	const files = 2*mostWaiting + 5
	for i := range files {
		p.warn(fmt.Sprintf("f%d.txt", i), errors.New("no text in it"))
		if len(p.again) > mostWaiting {
			t.Fatalf("%d warnings wait", len(p.again))
		}
	}
	p.end()
	if got := strings.Count(out.String(), ".txt"); got != files {
		t.Errorf("%d files are named, want %d", got, files)
	}
	if got := strings.Count(out.String(), "\n"); got != 4 {
		t.Errorf("they are named in %d lines, want 4", got)
	}
}

// TestManyNotes: notes on many files that differ only in numbers are printed in two lines.
func TestManyNotes(t *testing.T) {
	var out bytes.Buffer
	p := &progress{err: &out}
	for i := range 50 {
		p.note(fmt.Sprintf("page%d", i), fmt.Sprintf("%d bytes are left out", i))
	}
	p.note("a", "something else")
	p.end()
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 3 || !strings.Contains(lines[0], "page0: 0 bytes") || !strings.Contains(lines[2], "49 more: … bytes are left out: page1, page2,") ||
		!strings.HasSuffix(lines[2], "page20, …") {
		t.Errorf("notes are told as\n%s", out.String())
	}
}

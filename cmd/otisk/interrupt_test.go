package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestInterruptKeepsWhatIsDone: the reports that were written stay, the page
// about all has them, and says that it is not complete.
func TestInterruptKeepsWhatIsDone(t *testing.T) {
	dir := t.TempDir()
	const texts = 150 // all are found in each
	for i := range texts {
		text := strings.Repeat(fmt.Sprintf("text %d was made for a test that ends before its time, and more such words follow\n\n", i), 10)
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.txt", i)), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	index, out := filepath.Join(t.TempDir(), "index"), filepath.Join(t.TempDir(), "out")
	var said strings.Builder
	if got := run(t.Context(), []string{"index", "--index", index, dir}, nil, &said, &said); got != 0 {
		t.Fatalf("index: status %d: %s", got, said.String())
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		for ctx.Err() == nil {
			if written, _ := filepath.Glob(filepath.Join(out, "*.out.html")); len(written) > 0 {
				cancel()
			}
			time.Sleep(time.Millisecond)
		}
	}()
	said.Reset()
	got := run(ctx, []string{"search", "--index", index, "--format", "html", "-o", out, dir}, nil, &said, &said)
	if got != statusInterrupted || !strings.Contains(said.String(), fmt.Sprintf("of %d texts were checked", texts)) {
		t.Errorf("status %d, want %d and how many texts were checked:\n%s", got, statusInterrupted, said.String())
	}
	page, err := os.ReadFile(filepath.Join(out, "index.html"))
	if err != nil {
		t.Fatal(err)
	}
	written, _ := filepath.Glob(filepath.Join(out, "*.out.html"))
	if want := fmt.Sprintf("%d of %d texts have no report", texts-len(written), texts); !strings.Contains(string(page), want) {
		t.Errorf("the page about all texts does not say %q", want)
	}
	for _, file := range written {
		if !strings.Contains(string(page), filepath.Base(file)) {
			t.Errorf("the page about all texts does not have %s", filepath.Base(file))
		}
	}
}

// TestInterruptedIsSaidPlainly: no error of the language reaches a user.
func TestInterruptedIsSaidPlainly(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, args := range [][]string{{"search", "main.go"}, {"compare", "main.go", "root.go"}, {"text", "main.go", "root.go"}} {
		var said strings.Builder
		index := filepath.Join(t.TempDir(), "index")
		if got := run(t.Context(), []string{"index", "-q", "--index", index, "command_index.go"}, nil, &said, &said); got != 0 {
			t.Fatal(said.String())
		}
		said.Reset()
		if got := run(ctx, append(args, "--index", index), nil, &said, &said); got != statusInterrupted || said.String() != "otisk: error: interrupted\n" {
			t.Errorf("otisk %v, interrupted: status %d, %q", args, got, said.String())
		}
	}
}

// TestInterruptedIndexCountsItsRun: an interrupted run counts only the documents that it added
// itself.
func TestInterruptedIndexCountsItsRun(t *testing.T) {
	dir, index := t.TempDir(), filepath.Join(t.TempDir(), "index")
	if err := os.WriteFile(filepath.Join(dir, "first.txt"), []byte("a text that is in the index before the run that ends early"), 0o666); err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	if got := run(t.Context(), []string{"index", "--index", index, dir}, nil, &said, &said); got != 0 {
		t.Fatalf("index: status %d: %s", got, said.String())
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	said.Reset()
	got := run(ctx, []string{"index", "--index", index, "--overwrite", dir}, nil, &said, &said)
	if want := "interrupted: 0 documents of this run are in the index"; got != statusInterrupted || !strings.Contains(said.String(), want) {
		t.Errorf("status %d, %q, want %d and %q", got, said.String(), statusInterrupted, want)
	}
}

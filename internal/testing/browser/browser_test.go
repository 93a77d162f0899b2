package browser

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// page writes a page whose body is as given.
func page(t *testing.T, body string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(file, []byte("<!doctype html><meta charset=utf-8><body>"+body), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestPage checks the driver on which the tests of reports rely: if it saw no errors, requests
// or keys, all of them would pass.
func TestPage(t *testing.T) {
	p := Start(t)
	for _, tt := range []struct {
		name string
		fn   func(t *testing.T, p *Page)
	}{
		{"errors", testErrors},
		{"requests", testRequests},
		{"keys", testKeys},
		{"looks", testLooks},
		{"download", testDownload},
		{"violations", testViolations},
	} {
		t.Run(tt.name, func(t *testing.T) { tt.fn(t, p.In(t)) })
	}
}

func testErrors(t *testing.T, p *Page) {
	p.Open(page(t, `<script>console.log("fine"); console.error("bad", {a: 1}); console.warn("odd"); undefined.x</script>`))
	for i, want := range []string{"error: [\"bad\" Object]", "warning: [\"odd\"]", "TypeError"} {
		if len(p.Errors) != 3 || !strings.Contains(p.Errors[i], want) {
			t.Fatalf("errors %q: number %d is not %q", p.Errors, i, want)
		}
	}
	p.Eval(`console.error("later")`, nil)
	if len(p.Errors) != 4 {
		t.Errorf("errors %q: want one more after script", p.Errors)
	}
	p.Open(page(t, "<p>fine"))
	if len(p.Errors)+len(p.Requests) != 0 {
		t.Errorf("errors %q, requests %q on a page without", p.Errors, p.Requests)
	}
}

func testViolations(t *testing.T, p *Page) {
	p.Open(page(t, `<main><h1>Heading</h1><img src="data:,"><p style="color: #eee; background: #fff">Some words`))
	want := []string{"color-contrast: <p style=", "document-title: <html>", "html-has-lang: <html>", `image-alt: <img src="data:,">`}
	if got := p.Violations(); !slices.EqualFunc(got, want, strings.HasPrefix) {
		t.Errorf("violations %q, want %q", got, want)
	}
	if got := p.Violations("image-alt", "list"); !slices.EqualFunc(got, want[3:], strings.HasPrefix) {
		t.Errorf("violations of two rules %q, want %q", got, want[3:])
	}
}

func testRequests(t *testing.T, p *Page) {
	p.Open(page(t, `<img src="http://otisk.invalid/a.png"><script>fetch("https://otisk.invalid/b").catch(() => {})</script>`))
	for _, want := range []string{"http://otisk.invalid/a.png", "https://otisk.invalid/b"} {
		if !slices.Contains(p.Requests, want) {
			t.Errorf("requests %q: want %s", p.Requests, want)
		}
	}
}

func testKeys(t *testing.T, p *Page) {
	p.Open(page(t, `<input><button>next</button><script>keys = []; onkeydown = (e) => { keys.push(e.key) }; document.querySelector("input").focus()</script>`))
	p.Press("x", "X", "?", "ArrowLeft", "ArrowRight", "ArrowDown", "č", "Escape", "Enter", "Tab")
	var keys []string
	p.Eval("keys", &keys)
	want := []string{"x", "X", "?", "ArrowLeft", "ArrowRight", "ArrowDown", "č", "Escape", "Enter", "Tab"}
	if !slices.Equal(keys, want) {
		t.Errorf("keys %q, want %q", keys, want)
	}
	if got := p.Text(`document.querySelector("input").value + document.activeElement.tagName`); got != "xX?čBUTTON" {
		t.Errorf("typed, and then left by Tab: %q, want %q", got, "xX?čBUTTON")
	}
}

func testLooks(t *testing.T, p *Page) {
	p.Open(page(t, "<p>text"))
	looks := func() string {
		return p.Text(`innerWidth + " " + matchMedia("print").matches + " " + matchMedia("(prefers-color-scheme: dark)").matches`)
	}
	p.Size(1234, 500)
	p.Dark(true)
	if got := looks(); got != "1234 false true" {
		t.Errorf("looks %q, want 1234 wide, on a screen, dark", got)
	}
	p.Print(true)
	if got := looks(); !strings.HasPrefix(got, "1234 true") {
		t.Errorf("looks %q, want them on paper", got)
	}
	p.Print(false)
	if got := looks(); got != "1234 false false" {
		t.Errorf("looks %q, want 1234 wide, on a screen, light", got)
	}
	if png, pdf := p.Screenshot(), p.PDF(); !bytes.HasPrefix(png, []byte("\x89PNG")) || !bytes.HasPrefix(pdf, []byte("%PDF")) {
		t.Errorf("picture %.8q, print %.8q: want PNG and PDF", png, pdf)
	}
}

func testDownload(t *testing.T, p *Page) {
	dir := t.TempDir()
	p.Download(dir)
	p.Open(page(t, `<a download="a.txt" href="data:text/plain,saved">save</a>`))
	p.Eval(`document.querySelector("a").click()`, nil)
	var got []byte
	for end := time.Now().Add(20 * time.Second); len(got) == 0 && time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		got, _ = os.ReadFile(filepath.Join(dir, "a.txt"))
	}
	if string(got) != "saved" {
		t.Errorf("downloaded %q, want %q", got, "saved")
	}
	if len(p.Errors) > 0 {
		t.Errorf("errors %q", p.Errors)
	}
}

// TestLeak holds that a browser leaves neither files nor processes.
func TestLeak(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	t.Run("run", func(t *testing.T) { Start(t).Open(page(t, "<p>text")) })
	left, err := os.ReadDir(dir)
	if err != nil || len(left) > 0 {
		t.Errorf("left among the temporary files: %v, %v", left, err)
	}
	for end := time.Now().Add(10 * time.Second); len(running(dir)) > 0 && time.Now().Before(end); {
		time.Sleep(50 * time.Millisecond) // what was killed takes a moment to end
	}
	if left := running(dir); len(left) > 0 {
		t.Errorf("left running: %q", left)
	}
}

// running returns the command lines that name dir: none where the system has
// no folder of processes.
func running(dir string) []string {
	var found []string
	names, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, name := range names {
		if line, err := os.ReadFile(name); err == nil && bytes.Contains(line, []byte(dir)) {
			found = append(found, string(line))
		}
	}
	return found
}

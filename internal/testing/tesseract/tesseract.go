// Package tesseract is a fake of the text recognition program, so that tests run on
// machines without it.
//
// TestMain calls [Run] first, and a test calls [Install]; the test program itself is then
// found as tesseract. It recognizes each dark bar of a picture as a line of text.
package tesseract

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// Install installs this test program as tesseract. It returns a function that counts the
// pictures processed.
func Install(t testing.TB) (runs func() int) {
	t.Helper()
	dir := t.TempDir()
	self, err := os.Executable()
	if err == nil {
		err = install(self, filepath.Join(dir, "tesseract"))
	}
	if err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(dir, "log")
	t.Setenv("PATH", dir)
	t.Setenv("OTISK_TESSERACT_LOG", log)
	return func() int {
		data, _ := os.ReadFile(log)
		return len(data)
	}
}

// install links a program to a path; on Windows, it copies it.
func install(program, path string) error {
	if runtime.GOOS != "windows" {
		return os.Symlink(program, path)
	}
	data, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	return os.WriteFile(path+".exe", data, 0o700)
}

// Run acts as tesseract and ends the program, if it was started as such.
func Run() {
	name := filepath.Base(os.Args[0])
	if strings.TrimSuffix(name, ".exe") != "tesseract" {
		return
	}
	os.Exit(Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// languages are the installed languages. With the language broken, the program fails.
var languages = []string{"broken", "ces", "eng", "osd"}

// Main does what tesseract does with these arguments and returns its exit status.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	switch {
	case slices.Equal(args, []string{"--version"}):
		fmt.Fprintln(stdout, "tesseract 0.1\n leptonica-1")
	case slices.Equal(args, []string{"--list-langs"}):
		fmt.Fprintf(stdout, "List of available languages in \"x\" (%d):\n%s\n", len(languages), strings.Join(languages, "\n"))
	case len(args) == 10 && strings.Join(args[:3], " ") == "stdin stdout -l" && args[8] == "-c" && args[9] == "tessedit_create_tsv=1":
		return recognize(args[3], stdin, stdout, stderr)
	default:
		fmt.Fprintf(stderr, "unknown arguments %q\n", args)
		return 1
	}
	return 0
}

// recognize reads a picture and prints a line of text for each bar.
func recognize(languages string, stdin io.Reader, stdout, stderr io.Writer) int {
	if log, err := os.OpenFile(os.Getenv("OTISK_TESSERACT_LOG"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600); err == nil {
		_, _ = log.WriteString(".")
		_ = log.Close()
	}
	if pause, err := time.ParseDuration(os.Getenv("OTISK_TESSERACT_SLEEP")); err == nil {
		time.Sleep(pause)
	}
	if strings.Contains(languages, "broken") {
		fmt.Fprintln(stderr, "Warning: something\nError: it is broken")
		return 1
	}
	bars, err := barsOf(stdin)
	if err != nil {
		fmt.Fprintln(stderr, "Error:", err)
		return 1
	}
	fmt.Fprintln(stdout, "level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext")
	for i, b := range bars {
		fmt.Fprintf(stdout, "4\t1\t1\t1\t%d\t0\t%d\t%d\t%d\t%d\t-1\t\n", i+1, b.left, b.top, b.right-b.left, b.bottom-b.top)
		words := strings.Fields(fmt.Sprintf("line %d of %d on a page that was read in %s with doubts", i+1, len(bars), languages))
		width := (b.right - b.left) / len(words)
		for j, w := range words {
			sure := 96.5
			if w == "doubts" {
				sure = 12.25
			}
			fmt.Fprintf(stdout, "5\t1\t1\t1\t%d\t%d\t%d\t%d\t%d\t%d\t%f\t%s\n", i+1, j+1, b.left+j*width, b.top, width, b.bottom-b.top, sure, w)
		}
	}
	return 0
}

// A bar is a dark stretch of a picture.
type bar struct{ left, top, right, bottom int }

// barsOf returns the bars of a picture, from the top.
func barsOf(r io.Reader) ([]bar, error) {
	in := bufio.NewReader(r)
	var width, height, most int
	if _, err := fmt.Fscanf(in, "P5\n%d %d\n%d\n", &width, &height, &most); err != nil || most != 255 {
		return nil, fmt.Errorf("no picture: %v", err)
	}
	dots, err := io.ReadAll(in)
	if err != nil || len(dots) != width*height {
		return nil, fmt.Errorf("%d bytes for %d by %d dots: %v", len(dots), width, height, err)
	}
	var bars []bar
	open := false
	dark := func(d rune) bool { return d < 128 }
	for y := range height {
		row := dots[y*width : (y+1)*width]
		left := bytes.IndexFunc(row, dark)
		if left < 0 {
			open = false
			continue
		}
		if !open {
			bars = append(bars, bar{left: left, top: y, right: bytes.LastIndexFunc(row, dark) + 1})
			open = true
		}
		bars[len(bars)-1].bottom = y + 1
	}
	return bars, nil
}

package ocr

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/internal/testing/need"
	"github.com/otisk/otisk/internal/testing/tesseract"
)

func TestMain(m *testing.M) {
	tesseract.Run()
	os.Exit(m.Run())
}

// bars is a picture with dark bars across it.
func bars(count int) *format.Picture {
	p := &format.Picture{Width: 200, Height: 40 * (count + 1), DPI: 300}
	p.Dots = slices.Repeat([]byte{255}, p.Width*p.Height)
	for i := range count {
		for y := 40*i + 20; y < 40*i+40; y++ {
			clear(p.Dots[y*p.Width+20 : y*p.Width+180])
		}
	}
	return p
}

func TestRead(t *testing.T) {
	runs := tesseract.Install(t)
	var steps [][2]int
	cache := t.TempDir()
	r := New([]string{"ces", "eng"}, cache)
	r.Progress = func(done, total int) { steps = append(steps, [2]int{done, total}) }
	r.Expect(3)
	want := "line 2 of 2 on a page that was read in ces+eng with doubts"
	for range 2 {
		lines, err := r.Read(t.Context(), bars(2), context.WithCancel)
		if err != nil {
			t.Fatal(err)
		}
		if len(lines) != 2 {
			t.Fatalf("lines %+v, want 2", lines)
		}
		l := lines[1]
		if l.Text != want || len(l.Doubts) != 1 || l.Text[l.Doubts[0].Start:l.Doubts[0].End] != "doubts" {
			t.Errorf("line %+v, want %q with its last word doubtful", l, want)
		}
		if l.Left != 20 || l.Top != 60 || l.Bottom != 80 || l.Base != 80 {
			t.Errorf("line at %+v, want one from 20,60 down to 80", l)
		}
	}
	r.Skip()
	if want := [][2]int{{1, 3}, {2, 3}, {3, 3}}; !reflect.DeepEqual(steps, want) {
		t.Errorf("progress %v, want %v", steps, want)
	}
	if runs() != 1 {
		t.Errorf("one picture twice was given to the program %d times, want once", runs())
	}
	if _, err := r.Read(t.Context(), bars(1), context.WithCancel); err != nil || runs() != 2 {
		t.Errorf("another picture: error %v, the program ran %d times, want twice", err, runs())
	}
	if _, err := New([]string{"eng"}, cache).Read(t.Context(), bars(1), context.WithCancel); err != nil || runs() != 3 {
		t.Errorf("another language: error %v, the program ran %d times, want three times", err, runs())
	}
}

// TestReadDamagedCache checks that a truncated cache entry is not used as a page.
func TestReadDamagedCache(t *testing.T) {
	runs := tesseract.Install(t)
	cache := t.TempDir()
	r := New([]string{"eng"}, cache)
	if _, err := r.Read(t.Context(), bars(1), context.WithCancel); err != nil {
		t.Fatal(err)
	}
	kept, err := filepath.Glob(filepath.Join(cache, "*", "*.tsv"))
	if err != nil || len(kept) != 1 {
		t.Fatalf("kept %v, %v, want one file", kept, err)
	}
	if err := os.Truncate(kept[0], 5); err != nil {
		t.Fatal(err)
	}
	lines, err := r.Read(t.Context(), bars(1), context.WithCancel)
	if err != nil || len(lines) != 1 || runs() != 2 {
		t.Errorf("lines %+v, error %v after %d runs, want one line after a second run", lines, err, runs())
	}
}

func TestReadFails(t *testing.T) {
	tesseract.Install(t)
	_, err := New([]string{"broken"}, t.TempDir()).Read(t.Context(), bars(1), context.WithCancel)
	if err == nil || !strings.Contains(err.Error(), "Error: it is broken") {
		t.Errorf("error %v, want what the program says last", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	over := errors.New("over")
	cancel(over)
	if _, err := New([]string{"eng"}, t.TempDir()).Read(ctx, bars(1), context.WithCancel); !errors.Is(err, over) {
		t.Errorf("error %v of a context that ended, want %v", err, over)
	}
}

func TestCheck(t *testing.T) {
	tesseract.Install(t)
	if err := New([]string{"ces"}, "").Check(); err != nil {
		t.Errorf("a language that is there: %v", err)
	}
	err := New([]string{"ces", "slk"}, "").Check()
	if !errors.Is(err, ErrMissing) || !strings.Contains(err.Error(), "tesseract-ocr-slk") || strings.Contains(err.Error(), "tesseract-ocr-ces") {
		t.Errorf("a language that is not there: %v, want its package named", err)
	}
	t.Setenv("PATH", t.TempDir())
	err = New([]string{"chi_sim"}, "").Check()
	if !errors.Is(err, ErrMissing) || !strings.Contains(err.Error(), "apt install tesseract-ocr tesseract-ocr-chi-sim") {
		t.Errorf("without the program: %v, want how to install it", err)
	}
}

func FuzzParse(f *testing.F) {
	const head = "level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext\n"
	f.Add([]byte(head + "5\t1\t1\t1\t1\t1\t240\t242\t143\t34\t93.3\tPříliš\n5\t1\t1\t1\t1\t2\t400\t242\t143\t34\t3\ta  b\r\n"))
	f.Add([]byte(head + "4\t1\n5\t1\t1\t1\t1\t1\tx\t2\t3\t4\t5\t\xff\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		lines, err := parse(data)
		if err != nil {
			return
		}
		for _, l := range lines {
			if l.Text == "" || strings.Join(strings.Fields(l.Text), " ") != l.Text {
				t.Fatalf("line %q, want words with one space between them", l.Text)
			}
			for _, d := range l.Doubts {
				if d.Start < 0 || d.End <= d.Start || d.End > len(l.Text) {
					t.Fatalf("doubts %v of %q", d, l.Text)
				}
			}
		}
	})
}

// TestTesseract has the true program read a word, which is drawn here.
func TestTesseract(t *testing.T) {
	if _, err := exec.LookPath(program); err != nil {
		need.Skip(t, "tesseract is not installed: apt install tesseract-ocr")
	}
	lines, err := New([]string{"eng"}, t.TempDir()).Read(t.Context(), drawn("HILL"), context.WithCancel)
	if err != nil {
		t.Fatal(err)
	}
	if len(lines) != 1 || lines[0].Text != "HILL" {
		t.Errorf("lines %+v, want HILL", lines)
	}
}

// drawn is a picture of a word of the letters H, I and L.
func drawn(word string) *format.Picture {
	const high, stroke, wide, step = 60, 9, 42, 60
	p := &format.Picture{Width: 2*step + step*len(word), Height: 4 * high, DPI: 300}
	p.Dots = slices.Repeat([]byte{255}, p.Width*p.Height)
	fill := func(x, y, width, height int) {
		for row := y; row < y+height; row++ {
			clear(p.Dots[row*p.Width+x : row*p.Width+x+width])
		}
	}
	x, y := step, high
	for _, letter := range word {
		fill(x, y, stroke, high)
		switch letter {
		case 'H':
			fill(x, y+high/2-stroke/2, wide, stroke)
			fill(x+wide-stroke, y, stroke, high)
			x += step
		case 'L':
			fill(x, y+high-stroke, wide, stroke)
			x += step
		default:
			x += step - wide + stroke
		}
	}
	return p
}

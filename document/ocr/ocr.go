// Package ocr has pictures of pages read by Tesseract, a program that recognises
// text and that a user installs.
//
// [New] says in which languages; nothing is started before the first picture.
// [Recognizer.Check] says beforehand whether it will work. What was recognised is
// kept by picture, so that a scan which is read again costs nothing.
package ocr

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/text/language"

	"github.com/otisk/otisk/internal/replace"
)

// ErrMissing says that the program is not there, or lacks a language.
var ErrMissing = errors.New("text in pictures cannot be recognised")

// program is what is started.
const program = "tesseract"

// A Recognizer has pictures read in some languages. It may be used by several
// goroutines.
type Recognizer struct {
	// Progress is called, if it is set, when a page was read: how many were, of those
	// that are known to be read. It is called by one goroutine at a time.
	Progress func(done, total int)

	languages []string
	cache     string // folder, "" for none
	ready     func() (setup, error)
	slots     chan struct{} // one for each program that runs

	mu          sync.Mutex
	done, total int
}

// A setup is how the program is started.
type setup struct {
	path, version string
	mode          string // in which it looks for text on the page
}

// Languages returns what a list of languages, as in "cs,en" or "ces+eng", is called
// by the program.
func Languages(list string) ([]string, error) {
	var names []string
	for _, name := range strings.FieldsFunc(list, func(r rune) bool { return r == '+' || r == ',' || r == ' ' }) {
		if strings.Trim(name, letters) != "" {
			return nil, fmt.Errorf("language %q: want a name such as ces, or several as in ces+eng", name)
		}
		if base, err := language.ParseBase(name); err == nil && len(name) == 2 {
			name = base.ISO3()
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil, errors.New("no language: want one such as ces, or several as in ces+eng")
	}
	return names, nil
}

// letters are those that names of languages have, as in chi_sim or script/Latin.
const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_/"

// New returns a recognizer of languages, as [Languages] returns them. It keeps what it
// finds in a folder; without one, in the user's folder for such things.
func New(languages []string, cache string) *Recognizer {
	if cache == "" {
		if dir, err := os.UserCacheDir(); err == nil {
			cache = filepath.Join(dir, "otisk", "ocr")
		}
	}
	r := &Recognizer{languages: languages, cache: cache, slots: make(chan struct{}, runtime.GOMAXPROCS(0))}
	r.ready = sync.OnceValues(r.find)
	return r
}

// String names the languages as the program does: ces+eng.
func (r *Recognizer) String() string { return strings.Join(r.languages, "+") }

// Check returns why pictures cannot be read, nil if they can.
func (r *Recognizer) Check() error {
	_, err := r.ready()
	return err
}

// Version returns what the program calls itself, "" where it is not there.
func (r *Recognizer) Version() string {
	s, _ := r.ready()
	return s.version
}

// hint says where to get the program, or a language of it.
func hint(languages ...string) string {
	packages := []string{"tesseract-ocr"}
	for _, l := range languages {
		packages = append(packages, "tesseract-ocr-"+strings.ReplaceAll(l, "_", "-"))
	}
	return "install it (Debian and Ubuntu: apt install " + strings.Join(packages, " ") +
		"; macOS: brew install tesseract tesseract-lang; Windows: the installer of UB Mannheim)"
}

// find looks for the program and its languages.
func (r *Recognizer) find() (setup, error) {
	path, err := exec.LookPath(program)
	if err != nil {
		return setup{}, fmt.Errorf("%w: the program tesseract is not there: %s", ErrMissing, hint(r.languages...))
	}
	said, err := ask(path, "--version")
	if err != nil {
		return setup{}, err
	}
	s := setup{path: path, version: strings.Fields(said + " ?")[0], mode: "3"}
	if fields := strings.Fields(said); len(fields) > 1 {
		s.version = fields[0] + " " + fields[1]
	}
	if said, err = ask(path, "--list-langs"); err != nil {
		return setup{}, err
	}
	_, list, _ := strings.Cut(said, "\n") // after a line about them
	known := strings.Fields(list)
	lacks := slices.DeleteFunc(slices.Clone(r.languages), func(l string) bool { return slices.Contains(known, l) })
	if len(lacks) > 0 {
		return setup{}, fmt.Errorf("%w: tesseract has no language %s, only %s: %s", ErrMissing, strings.Join(lacks, ", "), strings.Join(known, ", "), hint(lacks...))
	}
	if slices.Contains(known, "osd") {
		s.mode = "1" // finds out how the page lies
	}
	return s, nil
}

// askTime is how long the program may take to say something about itself.
const askTime = 30 * time.Second

// ask returns what the program says about itself. Older ones say it on the standard error.
func ask(path, option string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), askTime)
	defer cancel()
	out, err := exec.CommandContext(ctx, path, option).CombinedOutput()
	if ctx.Err() != nil {
		return "", fmt.Errorf("%w: %s %s has not ended after %v", ErrMissing, path, option, askTime)
	}
	if err != nil {
		return "", fmt.Errorf("%w: start %s %s: %w", ErrMissing, path, option, err)
	}
	return strings.ReplaceAll(string(out), "\r", ""), nil
}

// A Picture is a page in shades of grey, a byte a dot, row by row.
type Picture struct {
	Dots          []byte
	Width, Height int
	DPI           int
}

// pgm is the picture as a file, in the format that takes no time to write.
func (p *Picture) pgm() []byte {
	return append(fmt.Appendf(nil, "P5\n%d %d\n255\n", p.Width, p.Height), p.Dots...)
}

// Read has a picture read, or finds what it was read as before. limit bounds the time
// that the program may take, which starts when it does.
func (r *Recognizer) Read(ctx context.Context, p *Picture, limit func(context.Context) (context.Context, context.CancelFunc)) (*Page, error) {
	defer r.step()
	s, err := r.ready()
	if err != nil {
		return nil, err
	}
	file := p.pgm()
	kept := r.kept(s, file, p.DPI)
	if data, err := os.ReadFile(kept); err == nil {
		if page, err := parse(data); err == nil {
			return page, nil
		}
	}
	if err := r.wait(ctx); err != nil {
		return nil, err
	}
	timed, cancel := limit(ctx)
	data, err := r.run(timed, s, file, p.DPI)
	cancel()
	<-r.slots
	if err != nil {
		return nil, err
	}
	page, err := parse(data)
	if err != nil {
		return nil, fmt.Errorf("tesseract: %w", err)
	}
	r.keep(kept, data)
	return page, nil
}

// wait waits until one more program may run, and takes its slot.
func (r *Recognizer) wait(ctx context.Context) error {
	select {
	case r.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// run has the program read a picture.
func (r *Recognizer) run(ctx context.Context, s setup, file []byte, dpi int) ([]byte, error) {
	cmd := exec.CommandContext(ctx, s.path, "stdin", "stdout", "-l", r.String(), "--dpi", fmt.Sprint(dpi), "--psm", s.mode, "-c", "tessedit_create_tsv=1")
	cmd.Env = append(os.Environ(), "OMP_THREAD_LIMIT=1") // several pages are read at once in its place
	cmd.WaitDelay = time.Second
	cmd.Stdin = bytes.NewReader(file)
	var out, complaints bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaints
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, fmt.Errorf("tesseract: %w%s", err, lastLine(complaints.String()))
	}
	return out.Bytes(), nil
}

// lastLine returns what a program said last, after a colon.
func lastLine(said string) string {
	lines := strings.Split(strings.TrimSpace(strings.ToValidUTF8(said, "?")), "\n")
	last := strings.TrimSpace(lines[len(lines)-1])
	if last == "" {
		return ""
	}
	return ": " + last[:min(len(last), 200)]
}

// Expect says that so many more pages will be read.
func (r *Recognizer) Expect(pages int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.total += pages
}

// Skip says that one of them need not be read.
func (r *Recognizer) Skip() { r.step() }

// Workers returns how many pictures are read at once.
func (r *Recognizer) Workers() int { return cap(r.slots) }

func (r *Recognizer) step() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done++
	r.total = max(r.total, r.done)
	if r.Progress != nil {
		r.Progress(r.done, r.total)
	}
}

// kept returns the file that has what a picture was read as.
func (r *Recognizer) kept(s setup, file []byte, dpi int) string {
	if r.cache == "" {
		return ""
	}
	sum := sha256.New()
	fmt.Fprintf(sum, "%s\n%s\n%s\n%d\n", s.version, r, s.mode, dpi)
	sum.Write(file)
	name := fmt.Sprintf("%x.tsv", sum.Sum(nil))
	return filepath.Join(r.cache, name[:2], name)
}

// keep keeps what a picture was read as. That it cannot be kept costs time and
// no more.
func (r *Recognizer) keep(name string, data []byte) {
	if name == "" || os.MkdirAll(filepath.Dir(name), 0o700) != nil {
		return
	}
	_ = replace.File(name, 0o600, false, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

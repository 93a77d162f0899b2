// Package ocr recognises text in pictures of pages with Tesseract, a program that users
// install.
//
// [New] sets the languages; no program is started before the first picture. [Recognizer.Check]
// reports whether recognition is possible. Results are cached by picture, so that a scan is
// recognised once.
package ocr

import (
	"bytes"
	"context"
	"crypto/sha256"
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

	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/internal/host"
	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/internal/replace"
	"github.com/otisk/otisk/lang/phrase"
)

// ErrMissing reports that Tesseract or a language is not installed.
var ErrMissing error = phrase.Error("said.cannot-recognise", "text in pictures cannot be recognised")

// program is the name of the executable.
const program = "tesseract"

// A Recognizer recognises text in some languages. Several goroutines may use it.
type Recognizer struct {
	// Progress, if set, is called after each page with the number of pages done and of those
	// known to be needed. Calls do not overlap.
	Progress func(done, total int)

	languages []string
	cache     string // folder, "" for none
	ready     func() (setup, error)
	slots     chan struct{} // one for each running program

	mu          sync.Mutex
	done, total int
}

// A setup is how the program is started.
type setup struct {
	path, version string
	mode          string   // page segmentation mode
	known         []string // installed languages
}

// New returns a recognizer for languages, by the names that Tesseract uses: ces, eng. It caches results in the
// folder cache or, if "", in the user's cache folder.
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

// WithoutCache makes r cache no results, for texts of which no copy may stay. Call it before r is used.
func (r *Recognizer) WithoutCache() { r.cache = "" }

// String returns the languages as Tesseract names them: ces+eng.
func (r *Recognizer) String() string { return strings.Join(r.languages, "+") }

// Check returns why pictures cannot be recognised, nil if they can.
func (r *Recognizer) Check() error {
	_, err := r.ready()
	return err
}

// Version returns the version of Tesseract, "" if it is not installed.
func (r *Recognizer) Version() string {
	s, _ := r.ready()
	return s.version
}

// Installed returns the languages that Tesseract has, nil if it or one of the languages of r is missing.
func (r *Recognizer) Installed() []string {
	s, _ := r.ready()
	return s.known
}

// hint returns how to install Tesseract or a language.
func hint(languages ...string) *phrase.Phrase {
	packages := []string{"tesseract-ocr"}
	packages = append(packages, lists.Map(languages, func(l string) string { return "tesseract-ocr-" + strings.ReplaceAll(l, "_", "-") })...)
	return phrase.Error("cause.ocr-install", "install it (Debian and Ubuntu: apt install {packages}; macOS: brew install tesseract tesseract-lang; Windows: the installer of UB Mannheim)", "packages", strings.Join(packages, " "))
}

// find locates Tesseract and checks its languages.
func (r *Recognizer) find() (setup, error) {
	path, err := exec.LookPath(program)
	if err != nil {
		return setup{}, fmt.Errorf("%w: %w: %w", ErrMissing, phrase.Error("said.no-tesseract", "tesseract is not installed"), hint(r.languages...))
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
	_, list, _ := strings.Cut(said, "\n") // after a header line
	known := strings.Fields(list)
	s.known = known
	lacks := slices.DeleteFunc(slices.Clone(r.languages), func(l string) bool { return slices.Contains(known, l) })
	if len(lacks) > 0 {
		return setup{}, fmt.Errorf("%w: %w: %w", ErrMissing, phrase.Error("cause.ocr-languages", "tesseract has no language {list}, only {known}", "list", strings.Join(lacks, ", "), "known", strings.Join(known, ", ")), hint(lacks...))
	}
	if slices.Contains(known, "osd") {
		s.mode = "1" // detects the orientation of the page
	}
	return s, nil
}

// askTime is the limit of time for a query of version or languages.
const askTime = 30 * time.Second

// ask returns the output for an option. Old versions write it to standard error.
func ask(path, option string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), askTime)
	defer cancel()
	out, err := exec.CommandContext(ctx, path, option).CombinedOutput()
	if ctx.Err() != nil {
		return "", fmt.Errorf("%w: %w", ErrMissing, phrase.Error("cause.ocr-slow", "{program} {option} did not finish within {time}", "program", path, "option", option, "time", askTime))
	}
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrMissing, phrase.Error("cause.ocr-start", "start {program} {option}: {cause}", "program", path, "option", option, "cause", err))
	}
	return strings.ReplaceAll(string(out), "\r", ""), nil
}

// Read recognises a picture or returns the cached result. limit bounds the run time of the
// program, from its start.
func (r *Recognizer) Read(ctx context.Context, p *format.Picture, limit func(context.Context) (context.Context, context.CancelFunc)) ([]format.Line, error) {
	defer r.step()
	s, err := r.ready()
	if err != nil {
		return nil, err
	}
	file := append(fmt.Appendf(nil, "P5\n%d %d\n255\n", p.Width, p.Height), p.Dots...)
	kept := r.kept(s, file, p.DPI)
	if data, err := os.ReadFile(kept); err == nil {
		if lines, err := parse(data); err == nil {
			return lines, nil
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
	lines, err := parse(data)
	if err != nil {
		return nil, fmt.Errorf("tesseract: %w", err)
	}
	r.writeCache(kept, data)
	return lines, nil
}

// wait waits for a free slot and takes it.
func (r *Recognizer) wait(ctx context.Context) error {
	select {
	case r.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// run runs the program on a picture.
func (r *Recognizer) run(ctx context.Context, s setup, file []byte, dpi int) ([]byte, error) {
	cmd := exec.CommandContext(ctx, s.path, "stdin", "stdout", "-l", r.String(), "--dpi", fmt.Sprint(dpi), "--psm", s.mode, "-c", "tessedit_create_tsv=1")
	cmd.Env = append(os.Environ(), "OMP_THREAD_LIMIT=1") // pages run in parallel instead
	var out bytes.Buffer
	cmd.Stdin, cmd.Stdout = bytes.NewReader(file), &out
	line, err := host.Run(ctx, cmd)
	if err != nil && ctx.Err() == nil {
		err = fmt.Errorf("tesseract: %w%s", err, line)
	}
	return out.Bytes(), err
}

// Expect adds to the number of pages known to be needed.
func (r *Recognizer) Expect(pages int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.total += pages
}

// Skip removes one of them.
func (r *Recognizer) Skip() { r.step() }

// Workers returns how many pictures are recognised in parallel.
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

// kept returns the path of the cached result for a picture.
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

// writeCache caches the result for a picture. A failure only costs time.
func (r *Recognizer) writeCache(name string, data []byte) {
	if name == "" || os.MkdirAll(filepath.Dir(name), 0o700) != nil {
		return
	}
	_ = replace.File(name, 0o600, false, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

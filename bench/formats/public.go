package main

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/internal/testing/damage"
	"github.com/otisk/otisk/internal/testing/measure"
	"github.com/otisk/otisk/internal/testing/zipped"
)

// Files from other sources: DIR has a folder with files of each kind, and PEERS has the same
// folders with the texts that another program extracts, named as the file with .txt
// appended. The files come from public repositories and must not be added to this one. The
// texts are made by
//
//	antiword -m UTF-8.txt -w 0 F > PEERS/doc/F.txt
//	soffice --headless --convert-to 'txt:Text (encoded):UTF8' --outdir PEERS/odt F
//	pandoc -t plain --wrap=none F > PEERS/rst/F.txt
//	python-pptx, openpyxl: the text of all shapes and notes; all cells that are text

// A kindResult is the result for the files of one kind.
type kindResult struct {
	files, read int
	flagged     int // files with hidden text
	cpu         time.Duration
	errors      map[string]int
	shared      []float64 // F1 of words shared with the other program, for files with enough words
	damaged, ok int
	worst       time.Duration
	worstErrors map[string]int
}

// leastWords is the minimum number of words of a text that is compared.
const leastWords = 50

// public reads all files below dir and prints a line for each kind.
func public(ctx context.Context, w io.Writer, dir, peers string, copies int) error {
	kinds, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	fmt.Fprintln(w, "| kind | files | read | hidden text | CPU, ms a file | compared | words shared, mean | ≥ 98 % | damaged | read | longest, ms | errors |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|---|---|---|---|---|---|")
	for _, k := range kinds {
		var paths []string
		err := filepath.WalkDir(filepath.Join(dir, k.Name()), func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() {
				paths = append(paths, path)
			}
			return err
		})
		if err != nil {
			return err
		}
		if len(paths) == 0 {
			continue
		}
		r := &kindResult{errors: map[string]int{}, worstErrors: map[string]int{}}
		for _, path := range paths {
			if err := r.file(ctx, path, filepath.Join(peers, k.Name(), filepath.Base(path)+".txt")); err != nil {
				return err
			}
		}
		self, err := os.Executable()
		if err != nil {
			return err
		}
		all, err := measure.Run(ctx, self, append([]string{"-all"}, paths...)...)
		if err != nil {
			return err
		}
		r.cpu = all.CPU
		if err := r.damage(ctx, paths, copies); err != nil {
			return err
		}
		r.print(w, k.Name())
	}
	return nil
}

// readAll reads files without output, so that the process can be measured.
func readAll(ctx context.Context, paths []string) error {
	for _, path := range paths {
		if _, _, err := readText(ctx, path, document.Options{}); err != nil && ctx.Err() != nil {
			return err
		}
	}
	return nil
}

// readText reads a file as a user would, and returns its text and whether any is hidden.
func readText(ctx context.Context, path string, opts document.Options) (text string, hidden bool, err error) {
	var all strings.Builder
	var first error
	err = document.Each(ctx, path, opts, func(d *document.Document, err error) error {
		if err != nil {
			first = err
			return nil
		}
		all.WriteString(d.Text + "\n")
		hidden = hidden || slices.ContainsFunc(d.Flags, func(f document.Flag) bool { return f.Kind == document.HiddenText })
		return nil
	})
	if err == nil && all.Len() == 0 {
		err = first
	}
	return all.String(), hidden, err
}

func (r *kindResult) file(ctx context.Context, path, peer string) error {
	text, hidden, err := readText(ctx, path, document.Options{})
	r.files++
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		r.errors[kindOf(err)]++
		return nil
	}
	r.read++
	if hidden {
		r.flagged++
	}
	other, err := os.ReadFile(peer)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	ours, theirs := wordsOf(text), wordsOf(string(other))
	if sum(theirs) >= leastWords {
		r.shared = append(r.shared, sharedWords(ours, theirs))
	}
	return nil
}

// kindOf returns a short name of an error.
func kindOf(err error) string {
	for _, known := range []error{document.ErrEmpty, document.ErrNoLayer, document.ErrBinary, document.ErrEncoding, document.ErrTooLarge, document.ErrDamaged, document.ErrNested, document.ErrEncrypted} {
		if errors.Is(err, known) {
			return known.Error()
		}
	}
	return "UNKNOWN: " + err.Error()
}

// damage reads copies of the files, each damaged at several places. Each must give a text or
// an error with its cause. In every second copy of a zip archive, a member is damaged and
// compressed again; otherwise the checksums of the archive would keep the damage from the reader.
func (r *kindResult) damage(ctx context.Context, paths []string, copies int) error {
	random := rand.New(rand.NewPCG(15, uint64(copies)))
	temp, err := os.MkdirTemp("", "otisk-damaged")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	for i := range copies {
		path := paths[random.IntN(len(paths))]
		data, err := os.ReadFile(path)
		if err != nil || len(data) == 0 || len(data) > 4<<20 {
			continue
		}
		copied := filepath.Join(temp, fmt.Sprintf("%d%s", i, filepath.Ext(path)))
		if err := os.WriteFile(copied, damaged(random, data), 0o600); err != nil {
			return err
		}
		start := time.Now()
		_, _, err = readText(ctx, copied, document.Options{Time: 10 * time.Second, MaxBytes: 64 << 20})
		took := time.Since(start)
		if r.damaged++; err == nil {
			r.ok++
		} else {
			r.worstErrors[kindOf(err)]++
		}
		r.worst = max(r.worst, took)
		if err := os.Remove(copied); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// damaged returns a damaged copy of a file, or of a zip archive one with a damaged member.
func damaged(random *rand.Rand, data []byte) []byte {
	packed, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil || len(packed.File) == 0 || random.IntN(2) == 0 {
		return damage.Of(random, data)
	}
	bad := random.IntN(len(packed.File))
	var pairs []string
	for i, f := range packed.File {
		if strings.HasSuffix(f.Name, "/") {
			continue
		}
		member, err := f.Open()
		if err != nil {
			return damage.Of(random, data)
		}
		content, err := io.ReadAll(io.LimitReader(member, mostMember))
		if err != nil || len(content) == mostMember {
			return damage.Of(random, data)
		}
		if i == bad {
			content = damage.Of(random, content)
		}
		pairs = append(pairs, f.Name, string(content))
	}
	return zipped.Of(pairs...)
}

// mostMember is the maximum uncompressed size of a member that is damaged, in bytes.
const mostMember = 16 << 20

func (r *kindResult) print(w io.Writer, name string) {
	compared, mean, good := len(r.shared), 0.0, 0
	for _, s := range r.shared {
		mean += s / float64(compared)
		if s >= 0.98 {
			good++
		}
	}
	shares := "| | |"
	if compared > 0 {
		shares = fmt.Sprintf("| %.1f %% | %d |", 100*mean, good)
	}
	var list []string
	for _, e := range slices.Sorted(maps.Keys(r.errors)) {
		list = append(list, fmt.Sprintf("%d %s", r.errors[e], e))
	}
	for _, e := range slices.Sorted(maps.Keys(r.worstErrors)) {
		if strings.HasPrefix(e, "UNKNOWN") {
			list = append(list, "damaged: "+e)
		}
	}
	fmt.Fprintf(w, "| %s | %d | %d | %d | %.1f | %d %s %d | %d | %.0f | %s |\n", name, r.files, r.read, r.flagged, r.cpu.Seconds()*1000/float64(r.files), compared, shares,
		r.damaged, r.ok, r.worst.Seconds()*1000, strings.Join(list, ", "))
}

// wordsOf counts the words of a text, in lower case.
func wordsOf(s string) map[string]int {
	words := map[string]int{}
	for _, f := range strings.FieldsFunc(strings.ToLower(strings.ReplaceAll(s, "\u00ad", "")), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) }) {
		words[f]++
	}
	return words
}

func sum(words map[string]int) (n int) {
	for _, c := range words {
		n += c
	}
	return n
}

// sharedWords returns the F1 of two sets of words.
func sharedWords(a, b map[string]int) float64 {
	common := 0
	for w, n := range a {
		common += min(n, b[w])
	}
	return 2 * float64(common) / float64(max(sum(a)+sum(b), 1))
}

package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/otisk/otisk/document"
)

// A hider hides a copied text, or shows it where programs do not read it, in one way. own is a text that is
// not copied. It returns an error if it needs a program that is not installed.
type hider struct {
	format, name string
	write        func(copied, own []string, thin bool) ([]byte, error)
}

// Sizes of the copied text.
const (
	denseWords = 553
	thinWords  = 60 // if they are shown elsewhere
	thinStep   = 8  // if they are changed: one of so many words
)

// A told is the answer to a hidden copy.
type told struct {
	found  float64 // percent of its 7-grams
	answer string  // "flag", "note", "read", "refused" or "silent"
}

// ways measures all hiders and prints a table. It returns an error if one is silent.
func ways(ctx context.Context, out io.Writer, source string) error {
	dir, err := os.MkdirTemp("", "otisk-ways")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	b, err := newBench(ctx, dir, source, 3000)
	if err != nil {
		return err
	}
	var silent []string
	fmt.Fprint(out, "| format | way | found, dense | told | found, thin | told |\n|---|---|---|---|---|---|\n")
	for _, h := range hiders() {
		fmt.Fprintf(out, "| %s | %s |", h.format, h.name)
		for _, thin := range []bool{false, true} {
			t, err := b.ask(ctx, h, thin)
			if err != nil {
				fmt.Fprintf(out, " not made: %v | |", err)
				continue
			}
			fmt.Fprintf(out, " %.0f %% | %s |", t.found, t.answer)
			if t.answer == "silent" {
				silent = append(silent, h.format+", "+h.name)
			}
		}
		fmt.Fprintln(out)
	}
	if len(silent) > 0 {
		return fmt.Errorf("silent: %s", strings.Join(silent, "; "))
	}
	return nil
}

func hiders() (all []hider) {
	all = append(all, pdfHiders()...)
	all = append(all, wordHiders()...)
	return append(all, pageHiders()...)
}

// ask hides a copy in one way and reads the file.
func (b *bench) ask(ctx context.Context, h hider, thin bool) (told, error) {
	words := letters(b.text)
	n := denseWords
	if thin && !strings.HasSuffix(h.format, ", words") {
		n = thinWords
	}
	copied, own := words[:n], words[denseWords:2*denseWords]
	data, err := h.write(copied, own, thin)
	if err != nil {
		return told{}, err
	}
	path := filepath.Join(b.dir, "way."+strings.ToLower(strings.TrimSuffix(h.format, ", words")))
	if err := os.WriteFile(path, data, 0o666); err != nil {
		return told{}, err
	}
	t := told{answer: "silent"}
	var text strings.Builder
	err = document.Each(ctx, path, document.Options{}, func(doc *document.Document, err error) error {
		if err != nil {
			t.answer = "refused"
			return nil
		}
		text.WriteString(" " + doc.Text)
		switch {
		case len(doc.Flags) > 0:
			t.answer = "flag"
		case len(doc.Notes) > 0 && t.answer == "silent":
			t.answer = "note"
		}
		return nil
	})
	if err != nil {
		t.answer = "refused"
	}
	t.found = shared(strings.Fields(text.String()), copied)
	if t.answer == "silent" && t.found >= 90 {
		t.answer = "read"
	}
	return t, nil
}

// letters returns the words of a text in small ASCII letters.
func letters(paragraphs [][]string) (words []string) {
	for _, p := range paragraphs {
		for _, w := range p {
			w = strings.Map(func(r rune) rune {
				if r < unicode.MaxASCII && unicode.IsLetter(r) {
					return unicode.ToLower(r)
				}
				return -1
			}, w)
			if w != "" {
				words = append(words, w)
			}
		}
	}
	return words
}

// shared returns the percentage of the 7-grams of copied that text has.
func shared(text, copied []string) float64 {
	const n = 7
	known := map[string]bool{}
	for i := 0; i+n <= len(text); i++ {
		known[strings.ToLower(strings.Join(text[i:i+n], " "))] = true
	}
	found := 0
	for i := 0; i+n <= len(copied); i++ {
		if known[strings.Join(copied[i:i+n], " ")] {
			found++
		}
	}
	return 100 * float64(found) / float64(len(copied)-n+1)
}

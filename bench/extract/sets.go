package main

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// readSet returns the pages of a set.
func readSet(dir string) (pages []page, err error) {
	switch {
	case there(dir, "ground-truth.json"):
		pages, err = readBenchmark(dir)
	case there(dir, "evaldata.json"):
		pages, err = readSnippets(dir)
	case there(dir, "test-pages"):
		pages, err = readExpected(filepath.Join(dir, "test-pages"))
	case there(dir, "meta.info"):
		pages, err = readFundus(dir)
	default:
		pages, err = readPairs(dir)
	}
	if err == nil && len(pages) == 0 {
		err = errors.New("no pages with texts of articles")
	}
	return pages, err
}

// readSnippets reads pages with snippets that the article has, and others that it has not.
func readSnippets(dir string) (pages []page, err error) {
	var truth map[string]struct {
		File          string
		With, Without []string
	}
	if err := readJSON(filepath.Join(dir, "evaldata.json"), &truth); err != nil {
		return nil, err
	}
	for _, is := range truth {
		data, err := os.ReadFile(filepath.Join(dir, "eval", is.File))
		if errors.Is(err, fs.ErrNotExist) {
			data, err = os.ReadFile(filepath.Join(dir, "cache", is.File))
		}
		if errors.Is(err, fs.ErrNotExist) {
			continue // left out of the repository
		}
		if err != nil {
			return nil, err
		}
		pages = append(pages, page{name: is.File, data: data, with: is.With, without: is.Without})
	}
	slices.SortFunc(pages, func(a, b page) int { return strings.Compare(a.name, b.name) })
	return pages, nil
}

// readExpected reads the pages of mozilla/readability, with the article as HTML.
func readExpected(dir string) (pages []page, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "*", "source.html"))
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		want, err := os.ReadFile(filepath.Join(filepath.Dir(file), "expected.html"))
		if err != nil {
			return nil, err
		}
		pages = append(pages, page{name: filepath.Base(filepath.Dir(file)), data: data, want: read(context.Background(), append([]byte("<!DOCTYPE html><body>"), want...), false)})
	}
	return pages, nil
}

func there(dir, name string) bool {
	_, err := os.Stat(filepath.Join(dir, name))
	return err == nil
}

func readPairs(dir string) (pages []page, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.html"))
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		want, err := os.ReadFile(strings.TrimSuffix(file, "html") + "txt")
		if err != nil {
			return nil, err
		}
		pages = append(pages, page{name: filepath.Base(file), data: data, want: string(want)})
	}
	return pages, nil
}

func readBenchmark(dir string) (pages []page, err error) {
	var truth map[string]struct {
		Body string `json:"articleBody"`
	}
	if err := readJSON(filepath.Join(dir, "ground-truth.json"), &truth); err != nil {
		return nil, err
	}
	for name, is := range truth {
		data, err := unpacked(filepath.Join(dir, "html", name+".html.gz"))
		if err != nil {
			return nil, err
		}
		pages = append(pages, page{name: name, data: data, want: is.Body})
	}
	slices.SortFunc(pages, func(a, b page) int { return strings.Compare(a.name, b.name) })
	return pages, nil
}

// A parsed is the article that fundus expects for a page.
type parsed struct {
	Body struct {
		Summary  []string
		Sections []struct{ Headline, Paragraphs []string }
	}
}

// parts returns the headings and paragraphs.
func (p parsed) parts() []string {
	all := slices.Clone(p.Body.Summary)
	for _, s := range p.Body.Sections {
		all = append(append(all, s.Headline...), s.Paragraphs...)
	}
	return all
}

func readFundus(dir string) (pages []page, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.html.gz"))
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		data, err := unpacked(file)
		if err != nil {
			return nil, err
		}
		name := strings.TrimSuffix(filepath.Base(file), ".html.gz")
		publisher, _, _ := strings.Cut(name, "_")
		var versions map[string]parsed
		if err := readJSON(filepath.Join(dir, publisher+".json"), &versions); err != nil {
			return nil, err
		}
		if want := versionOf(versions, string(data)); want != "" {
			pages = append(pages, page{name: name, data: data, want: want})
		}
	}
	return pages, nil
}

// versionOf returns the text of the version with the largest share of its paragraphs on the
// page; "" if no version has half of them.
func versionOf(versions map[string]parsed, page string) (text string) {
	page = html.UnescapeString(page)
	best := 0.5
	for _, v := range versions {
		parts, found := v.parts(), 0
		for _, part := range parts {
			if strings.Contains(page, string([]rune(part)[:min(25, len([]rune(part)))])) {
				found++
			}
		}
		if s := share(found, len(parts)); s > best {
			best, text = s, strings.Join(parts, "\n\n")
		}
	}
	return text
}

func readJSON(path string, v any) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, v); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

func unpacked(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return io.ReadAll(z)
}

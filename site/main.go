// Command site makes the web site of the project in a folder, from the documents, the help of the program and the samples:
//
//	go run ./site OTISK FOLDER
//
// OTISK is a built program. The commands of the tour are run and shown with their output in each language, the pictures are
// made of the reports that they wrote, and each command has a page with its help. Hugo, pinned in site/hugo/go.mod, makes the
// pages. It needs Chromium, and runs from the root of the repository.
package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/otisk/otisk/lang"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: go run ./site OTISK FOLDER")
		os.Exit(2)
	}
	if err := build(ctx, ".", os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "site: error:", err)
		os.Exit(1)
	}
}

// build makes the site of the repository in root in the folder out, whose earlier content is deleted if it is a site.
func build(ctx context.Context, root, otisk, out string) (err error) {
	otisk, err = filepath.Abs(otisk)
	if err != nil {
		return err
	}
	if out, err = filepath.Abs(out); err != nil {
		return err
	}
	if err := vacate(out); err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "otisk-site")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	if err := assemble(ctx, root, otisk, work); err != nil {
		return err
	}
	version, err := exec.CommandContext(ctx, otisk, "--version").Output()
	if err != nil {
		return fmt.Errorf("%s --version: %w", otisk, err)
	}
	hugo := exec.CommandContext(ctx, "go", "run", "github.com/gohugoio/hugo", "--source", work, "--destination", out, "--quiet", "--panicOnWarning")
	hugo.Dir = filepath.Join(root, "site", "hugo")
	hugo.Env = append(os.Environ(), "GOWORK=off", "CGO_ENABLED=0", "HUGO_PARAMS_VERSION="+strings.TrimSpace(string(version)))
	if said, err := hugo.CombinedOutput(); err != nil {
		return fmt.Errorf("hugo: %w\n%s", err, said)
	}
	return nil
}

// vacate deletes an earlier site. A folder with anything else is an error.
func vacate(out string) error {
	entries, err := os.ReadDir(out)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(out, "words.js")); err != nil {
		return fmt.Errorf("%s has files that are not a site: choose another folder", out)
	}
	return os.RemoveAll(out)
}

// assemble writes what Hugo reads into the folder work.
func assemble(ctx context.Context, root, otisk, work string) error {
	for _, name := range []string{"hugo.toml", "layouts", "static", "i18n", "content"} {
		if err := copyTo(filepath.Join(root, "site", name), filepath.Join(work, name)); err != nil {
			return err
		}
	}
	if err := documents(root, filepath.Join(work, "content", "en")); err != nil {
		return err
	}
	for _, tag := range lang.Tags() {
		p := program{path: otisk, tag: tag, dir: filepath.Join(work, "run", tag)}
		content := filepath.Join(work, "content", tag)
		if err := p.tour(ctx, filepath.Join(content, "_index.md")); err != nil {
			return fmt.Errorf("tour in %s: %w", tag, err)
		}
		if err := photograph(ctx, p.dir, content); err != nil {
			return fmt.Errorf("pictures in %s: %w", tag, err)
		}
		if err := p.commands(ctx, filepath.Join(content, "commands")); err != nil {
			return fmt.Errorf("commands in %s: %w", tag, err)
		}
	}
	return nil
}

// documents copies docs/ and the documents of the root, except README.md, whose place the tour has.
func documents(root, content string) error {
	if err := copyTo(filepath.Join(root, "docs"), filepath.Join(content, "docs")); err != nil {
		return err
	}
	for _, name := range []string{"SECURITY.md", "CONTRIBUTING.md", "CHANGELOG.md", "CODE_OF_CONDUCT.md"} {
		if err := copyTo(filepath.Join(root, name), filepath.Join(content, name)); err != nil {
			return err
		}
	}
	pages, err := filepath.Glob(filepath.Join(content, "docs", "*.md"))
	if err != nil {
		return err
	}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			return err
		}
		if err := os.WriteFile(page, literal(text), 0o644); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(content, "docs", "_index.md"), []byte("---\ntitle: Documents\n---\n"), 0o644)
}

// shortcode matches the calls of templates in a text for Hugo, such as {{< include x.md >}}.
var shortcode = regexp.MustCompile(`\{\{([<%])(.*?)([>%])\}\}`)

// literal returns a document in which Hugo shows such calls as they are.
func literal(text []byte) []byte { return shortcode.ReplaceAll(text, []byte("{{$1/*$2*/$3}}")) }

// copyTo copies a file or a folder.
func copyTo(from, to string) error {
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	if info.IsDir() {
		return os.CopyFS(to, os.DirFS(from))
	}
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o644)
}

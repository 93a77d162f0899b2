package main

import (
	"cmp"
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/otisk/otisk/config"
	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/document/ocr"
	"github.com/otisk/otisk/internal/closing"
	"github.com/otisk/otisk/internal/session"
	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/store"
)

// resolve reads the settings and applies the global flags to them.
func (g *globalOptions) resolve() (_ *session.Session, err error) {
	settings := g.settings
	if settings == nil {
		if settings, err = config.Find(g.config); err != nil {
			return nil, session.UsageError{Err: err}
		}
	}
	switch g.frames {
	case "":
	case "keep", "strip":
		settings.Strip = g.frames == "strip"
	default:
		return nil, misuse("usage.want", "what", fmt.Sprintf("--boilerplate %q", g.frames), "wanted", lang.NewMessage("usage.keep-or-strip"))
	}
	read := document.Options{Encoding: g.encoding, Archived: document.Boilerplate(g.frames), Projects: document.Projects(g.projects), Field: g.field, ID: g.id}
	switch read.Projects {
	case "archives":
		read.Projects = document.InArchives
	case document.InArchives, document.InFolders, document.Nowhere:
	default:
		return nil, misuse("usage.want", "what", fmt.Sprintf("--projects %q", g.projects), "wanted", lang.NewMessage("usage.projects"))
	}
	if g.encoding != "" {
		if err := document.CheckEncoding(g.encoding); err != nil {
			return nil, about("--encoding", err)
		}
	}
	if read.OCR, err = g.recognizer(settings); err != nil {
		return nil, err
	}
	return session.New(settings, read, g.index)
}

// recognizer returns the recognizer for text in page images, nil if OCR is off. If --ocr asks for
// languages that are not installed, it returns an error. If only the settings ask for them, the
// documents get a note instead.
func (g *globalOptions) recognizer(settings *config.Settings) (*ocr.Recognizer, error) {
	list := cmp.Or(g.ocr, settings.OCR)
	if list == config.NoOCR || list == "" {
		return nil, nil
	}
	languages, err := config.Languages(list)
	if err != nil {
		return nil, about("--ocr", err)
	}
	r := ocr.New(languages, "")
	if g.ocr != "" {
		if err := r.Check(); err != nil {
			return nil, about("--ocr "+g.ocr, err)
		}
	}
	return r, nil
}

func (g *globalOptions) withReader(ctx context.Context, fn func(*session.Session, store.Reader) error) (err error) {
	s, err := g.resolve()
	if err != nil {
		return err
	}
	r, err := s.UncheckedReader(ctx)
	if err != nil {
		return err
	}
	defer closing.Into(&err, r)
	return fn(s, r)
}

// sessionProgress returns the progress of a command, which includes that of text recognition.
func sessionProgress(cmd *cobra.Command, s *session.Session, quiet, verbose bool) *progress {
	p := newProgress(cmd, quiet, verbose)
	if s.Read.OCR != nil {
		s.Read.OCR.Progress = func(done, total int) { p.step(done, total, "terminal.recognized") }
	}
	return p
}

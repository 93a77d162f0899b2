package main

import (
	"github.com/spf13/cobra"

	"github.com/otisk/otisk/config"
	"github.com/otisk/otisk/document/ocr"
)

// recognizer returns the recognizer for text in page images, nil if OCR is off. If --ocr asks for
// languages that are not installed, it returns an error. If only the settings ask for them, the
// documents get a note instead.
func (g *globalOptions) recognizer(settings *config.Settings) (*ocr.Recognizer, error) {
	list := settings.OCR
	if g.ocr != "" {
		list = g.ocr
	}
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

func (s *session) progress(cmd *cobra.Command, quiet, verbose bool) *progress {
	p := newProgress(cmd, quiet, verbose)
	if s.recognizer != nil {
		s.recognizer.Progress = func(done, total int) { p.step(done, total, "terminal.recognized") }
	}
	return p
}

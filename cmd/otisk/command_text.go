package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/fingerprint"
	"github.com/otisk/otisk/internal/session"
	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/report"
	"github.com/otisk/otisk/search"
)

type textOptions struct {
	words  bool
	ngrams bool
	n      int
}

func newTextCommand(g *globalOptions) *cobra.Command {
	o := textOptions{n: session.DefaultSize}
	cmd := &cobra.Command{
		Use:     "text [flags] FILE...",
		Example: "  otisk text thesis.pdf\n  otisk text --words essay.txt | head",
		Args:    atLeastOne(placeholder("FILE")),
		RunE:    func(cmd *cobra.Command, args []string) error { return runText(cmd, g, o, args) },
	}
	f := cmd.Flags()
	f.BoolVar(&o.words, "words", false, "print the normalized words: paragraph, start and end in bytes, word")
	f.BoolVar(&o.ngrams, "ngrams", false, "print the n-grams: paragraph, start and end in bytes, hash, words")
	f.IntVarP(&o.n, "size", "n", o.n, "`words` in one n-gram")
	return cmd
}

func runText(cmd *cobra.Command, g *globalOptions, o textOptions, paths []string) error {
	if err := checkSize(o.n); err != nil {
		return err
	}
	switch {
	case o.words && o.ngrams:
		return misuse("usage.exclude-pair", "flags", lang.NewMessage("usage.and", "first", "--words", "last", "--ngrams"))
	case cmd.Flags().Changed("size") && !o.ngrams:
		return misuse("usage.goes-with", "flag", "-n", "other", "--ngrams")
	}
	s, err := g.resolve()
	if err != nil {
		return err
	}
	out := bufio.NewWriter(cmd.OutOrStdout())
	p := sessionProgress(cmd, s, g.quiet, false)
	read, failed := 0, 0
	ctx := cmd.Context()
	for _, path := range paths {
		err := eachText(ctx, s, path, func(doc *document.Document, err error) error {
			if ctx.Err() != nil {
				return ctx.Err() // an interruption is not a failed file
			}
			p.end()
			read++
			if err != nil {
				failed++
				warnAbout(cmd.ErrOrStderr(), doc.Path, err)
				return nil
			}
			for _, note := range doc.Remarks() {
				noteAbout(cmd.ErrOrStderr(), doc.Path, note)
			}
			warnOfHiding(cmd.ErrOrStderr(), doc)
			return o.print(out, s.Norms, doc)
		})
		if ctx.Err() != nil {
			return errors.Join(ctx.Err(), out.Flush())
		}
		if err != nil {
			read++
			failed++
			warnAbout(cmd.ErrOrStderr(), path, err)
		}
	}
	if err := out.Flush(); err != nil {
		return err
	}
	if failed > 0 {
		return skippedError{failed, read, "error.skipped"}
	}
	return nil
}

func warnOfHiding(w io.Writer, doc *document.Document) {
	p := printerOf(w)
	s := &search.Suspect{Text: doc.Text, PageLabels: doc.PageLabels, Flags: search.FlagsOf(doc)}
	for _, line := range report.Hiding(p, s, doc.Messages) {
		printLine(w, p.Text("terminal.warning"), doc.Path+": "+p.Text("text.may-hide")+" "+line)
	}
}

// eachText calls fn for each document at path. A collection has many; path may also name a member
// of one.
func eachText(ctx context.Context, s *session.Session, path string, fn func(*document.Document, error) error) error {
	doc, err := document.Open(ctx, path, s.Read)
	if errors.Is(err, document.ErrMany) {
		return document.Each(ctx, path, s.Read, fn)
	}
	if err != nil {
		return err
	}
	return fn(doc, nil)
}

func (o textOptions) print(w io.Writer, norms *normalize.Set, doc *document.Document) error {
	norm, _ := norms.For(doc.Types()...)
	switch {
	case o.words:
		return printWords(w, norm, doc)
	case o.ngrams:
		return o.printGrams(w, norm, doc)
	}
	_, err := io.WriteString(w, doc.Text)
	return err
}

func printWords(w io.Writer, norm *normalize.Normalizer, doc *document.Document) error {
	for s := norm.Scan(doc.Text, doc.Mode(norm)); s.Next(); {
		start, end := s.Span()
		if _, err := fmt.Fprintf(w, "%d\t%d\t%d\t%s\n", s.Paragraph()+1, start, end, s.Word()); err != nil {
			return err
		}
	}
	return nil
}

func (o textOptions) printGrams(w io.Writer, norm *normalize.Normalizer, doc *document.Document) error {
	var errs error
	for i, p := range norm.Paragraphs(doc.Text, doc.Mode(norm)) {
		for first := 0; first+o.n <= len(p.Words); first++ {
			words := p.Words[first : first+o.n]
			text := words[0].Text
			for _, word := range words[1:] {
				text += " " + word.Text
			}
			_, err := fmt.Fprintf(w, "%d\t%d\t%d\t%012x\t%s\n", i+1, words[0].Start, words[o.n-1].End, uint64(fingerprint.Of([]byte(text))), text)
			errs = errors.Join(errs, err)
		}
		if errs != nil {
			return errs
		}
	}
	return nil
}

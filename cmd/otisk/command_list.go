package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/otisk/otisk/indexer/upkeep"
	"github.com/otisk/otisk/internal/session"
	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/report"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/pick"
)

// A listing prints information on an index. typed has the arguments of the command.
type listing func(cmd *cobra.Command, r store.Reader, format string, typed []string) error

// listCommand completes cmd into a command that prints a listing in one of
// [report.ListFormats].
func listCommand(g *globalOptions, cmd *cobra.Command, print listing) *cobra.Command {
	format := ""
	if cmd.Args == nil {
		cmd.Args = noArguments
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return runList(cmd, g, format, args, print) }
	cmd.Flags().StringVar(&format, "format", "", "`format`: "+strings.Join(report.ListFormats(), ", ")+" (default: text on a terminal, else xml)")
	return cmd
}

func runList(cmd *cobra.Command, g *globalOptions, format string, typed []string, print listing) error {
	if format == "" {
		format = "xml"
		if isTerminal(cmd.OutOrStdout()) {
			format = "text"
		}
	}
	if !slices.Contains(report.ListFormats(), format) {
		return misuse("usage.want", "what", "--format "+format, "wanted", strings.Join(report.ListFormats(), ", "))
	}
	return g.withReader(cmd.Context(), func(_ *session.Session, r store.Reader) error { return print(cmd, r, format, typed) })
}

func newDocsCommand(g *globalOptions) *cobra.Command {
	o, prefix := new(docsOptions), ""
	cmd := listCommand(g, &cobra.Command{
		Use:     "docs [flags] [DOCUMENT...]",
		Example: "  otisk docs --format text\n  otisk docs --format text theses/2001 '*.pdf'",
		Args:    cobra.ArbitraryArgs,
	}, func(cmd *cobra.Command, r store.Reader, format string, typed []string) error {
		if cmd.Flags().Changed("prefix") {
			o.prefix = &prefix
		}
		return o.print(cmd, r, format, typed)
	})
	whereFlag(cmd.Flags(), &o.where, "only documents that satisfy this `condition`")
	cmd.Flags().StringVar(&prefix, "prefix", "", "only documents that were indexed with this `text`")
	return cmd
}

type docsOptions struct {
	prefix *string  // only documents with this prefix; nil for all
	where  []string // conditions of --where, all of which must hold
}

// print prints the documents that typed selects, or all if it is empty.
func (o *docsOptions) print(cmd *cobra.Command, r store.Reader, format string, typed []string) error {
	where, err := conditions(o.where)
	if err != nil {
		return err
	}
	info, err := r.Info(cmd.Context())
	if err != nil {
		return err
	}
	copies := copyFilter{r: r}
	picker := newPicker(info.Bases, typed, pick.Options{Prefix: o.prefix, Where: where, Folders: true})
	err = report.WriteDocuments(cmd.OutOrStdout(), listOptions(cmd, format), info.Bases, func(fn func(store.Document) error) error {
		return picker.Each(cmd.Context(), r, func(d *store.Document) error {
			entry := *d
			if err := copies.filter(cmd.Context(), &entry); err != nil {
				return err
			}
			return fn(entry)
		})
	})
	if err != nil {
		return err
	}
	if err := knownLabels(picker); err != nil {
		return err
	}
	return missed(cmd, picker, len(typed))
}

// A copyFilter removes names from the Copies of documents: those of documents that have been
// indexed since.
type copyFilter struct {
	r    store.Reader
	left map[store.DocID]bool // ids of documents that --dedup omitted; nil until first used
}

// filter removes such names from d.
func (f *copyFilter) filter(ctx context.Context, d *store.Document) (err error) {
	if len(d.Copies) == 0 {
		return nil
	}
	if f.left == nil {
		if f.left, err = f.r.LeftOut(ctx); err != nil {
			return err
		}
	}
	d.Copies = slices.DeleteFunc(slices.Clone(d.Copies), func(name string) bool { return !f.left[store.IDOf("", name)] })
	return nil
}

func newNgramsCommand(g *globalOptions) *cobra.Command {
	return listCommand(g, &cobra.Command{
		Use:     "ngrams",
		Example: "  otisk ngrams --format text",
	}, printNgrams)
}

func listOptions(cmd *cobra.Command, format string) report.ListOptions {
	return report.ListOptions{Format: format, Lang: printerOf(cmd.ErrOrStderr())}
}

func printNgrams(cmd *cobra.Command, r store.Reader, format string, _ []string) error {
	info, err := measured(cmd.Context(), r)
	if err != nil {
		return err
	}
	return report.WriteSizes(cmd.OutOrStdout(), listOptions(cmd, format), info.NGrams())
}

// measured returns the figures of an index, including those that need further requests.
func measured(ctx context.Context, r store.Summary) (store.Info, error) {
	info, err := r.Info(ctx)
	if err == nil {
		err = r.Measure(ctx, &info)
	}
	return info, err
}

func newInfoCommand(g *globalOptions) *cobra.Command {
	return listCommand(g, &cobra.Command{
		Use:     "info",
		Example: "  otisk info --format text",
	}, func(cmd *cobra.Command, r store.Reader, format string, _ []string) error {
		info, err := measured(cmd.Context(), r)
		if err != nil {
			return err
		}
		left, err := r.LeftOut(cmd.Context())
		if err != nil {
			return err
		}
		info.LeftOut = int64(len(left))
		return report.WriteInfo(cmd.OutOrStdout(), listOptions(cmd, format), info, r.Settings())
	})
}

func newVerifyCommand(g *globalOptions) *cobra.Command {
	deep := false
	cmd := &cobra.Command{
		Use:     "verify",
		Example: "  otisk verify\n  otisk verify --deep",
		Args:    noArguments,
		RunE:    func(cmd *cobra.Command, _ []string) error { return runVerify(cmd, g, deep) },
	}
	cmd.Flags().BoolVar(&deep, "deep", false, "compute all n-grams and marks again from the texts, and compare them")
	return cmd
}

func runVerify(cmd *cobra.Command, g *globalOptions, deep bool) error {
	err := g.withReader(cmd.Context(), func(s *session.Session, r store.Reader) error {
		if deep {
			if err := s.Check(r); err != nil {
				return err
			}
		}
		return verify(cmd, s, r, deep)
	})
	if errors.Is(err, store.ErrDamaged) {
		err = verifiedError{err}
	}
	return err
}

func verify(cmd *cobra.Command, s *session.Session, r store.Reader, deep bool) error {
	problems, unchecked := 0, 0
	p := printerOf(cmd.ErrOrStderr())
	printProblem := func(problem error) {
		if errors.Is(problem, store.ErrLeftover) {
			printLine(cmd.ErrOrStderr(), p.Text("terminal.note"), p.Message(lang.NewMessage("error.leftover", "problem", problem)))
			return
		}
		problems++
		fmt.Fprintln(cmd.OutOrStdout(), p.Err(problem))
	}
	err := r.Verify(cmd.Context(), printProblem)
	if err == nil && deep {
		unchecked, err = upkeep.VerifyTexts(cmd.Context(), r, s.Norms, printProblem)
	}
	if err != nil {
		return err
	}
	if unchecked > 0 {
		warn(cmd, lang.NewMessage("error.not-made-again", "n", unchecked))
	}
	if problems > 0 {
		return fmt.Errorf("%w: %w", lang.NewMessage("error.problems", "name", s.Settings.Index, "n", problems), store.ErrDamaged)
	}
	fmt.Fprintln(cmd.OutOrStdout(), p.Text("terminal.sound"))
	return nil
}

// A verifiedError is an error of damage that verify has found.
type verifiedError struct{ error }

// Unwrap returns the error without the type.
func (e verifiedError) Unwrap() error { return e.error }

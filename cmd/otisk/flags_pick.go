package main

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/otisk/otisk/internal/closing"
	"github.com/otisk/otisk/internal/walk"
	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/pick"
)

// newPicker returns the picker for the documents that typed selects, in an index with these
// bases and within the limits of opts.
func newPicker(bases []store.Base, typed []string, opts pick.Options) *pick.Picker {
	opts.File, opts.Bases = walk.Absolute, bases
	return pick.New(typed, opts)
}

func whereFlag(f *pflag.FlagSet, to *[]string, usage string) {
	f.StringArrayVar(to, "where", nil, usage+", such as year>=2015, author=*novak* or a label (repeatable)")
}

func conditions(typed []string) (pick.Where, error) {
	where, err := pick.ParseWhere(typed)
	if err != nil {
		return nil, about("--where", err)
	}
	return where, nil
}

// knownLabels returns an error if a condition uses a label that no document of the index has.
// An empty result would hide a misspelt label.
func knownLabels(p *pick.Picker) error {
	if list := p.Unknown(); len(list) > 0 {
		return misuse("usage.where-label", "where", printable(list[0]))
	}
	return nil
}

// given returns the prefix that documents must have; nil if prefix is empty.
func given(prefix string) *string {
	if prefix == "" {
		return nil
	}
	return &prefix
}

func pickAll(ctx context.Context, r store.Catalogue, p *pick.Picker) (list []store.Document, err error) {
	err = p.Each(ctx, r, func(d *store.Document) error { list = append(list, *d); return nil })
	return list, err
}

// withPicked opens the index for writing and calls fn with the documents that typed selects,
// that satisfy the conditions in where, and that opts allow. After that, it warns about arguments
// that match no document.
func (g *globalOptions) withPicked(cmd *cobra.Command, typed, where []string, opts pick.Options, fn func(w store.Store, info store.Info, found []store.Document) error) (err error) {
	if opts.Where, err = conditions(where); err != nil {
		return err
	}
	s, err := g.resolve()
	if err != nil {
		return err
	}
	s.Warn = func(err error) { warn(cmd, err) }
	w, err := s.UncheckedWriter(cmd.Context(), false)
	if err != nil {
		return err
	}
	defer closing.Into(&err, w)
	info, err := w.Info(cmd.Context())
	if err != nil {
		return err
	}
	picker := newPicker(info.Bases, typed, opts)
	found, err := pickAll(cmd.Context(), w, picker)
	if err != nil {
		return err
	}
	if err := knownLabels(picker); err != nil {
		return err
	}
	if len(found) == 0 && len(picker.Missed()) == 0 {
		return lang.NewMessage("error.no-match")
	}
	if err := fn(w, info, found); err != nil {
		return err
	}
	return missed(cmd, picker, len(typed))
}

// missed warns about arguments that match no document, and returns an error if there are any.
// typed is the number of arguments.
func missed(cmd *cobra.Command, p *pick.Picker, typed int) error {
	list := p.Missed()
	for _, m := range list {
		var problem error = m
		if m.Only > 0 {
			problem = lang.NewMessage("error.recursive", "problem", m)
		}
		warnAbout(cmd.ErrOrStderr(), m.Typed, problem)
	}
	if len(list) > 0 {
		return skippedError{len(list), typed, "error.skipped-documents"}
	}
	return nil
}

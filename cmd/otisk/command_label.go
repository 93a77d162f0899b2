package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/indexer"
	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/pick"
)

type labelOptions struct {
	set, unset []string
	metadata   string   // path of a table of descriptions
	where      []string // conditions of --where, all of which must hold
	recursive  bool
}

func newLabelCommand(g *globalOptions) *cobra.Command {
	o := labelOptions{}
	cmd := &cobra.Command{
		Use:     "label [flags] [DOCUMENT...]",
		Example: "  otisk label --set faculty=law --set year=2001 'theses/2001/*.pdf'\n  otisk label --set draft -r theses/new\n  otisk label --metadata theses.csv\n  otisk search --where faculty=law --where 'year>=2015' thesis.pdf",
		RunE:    func(cmd *cobra.Command, args []string) error { return runLabel(cmd, g, o, args) },
	}
	f := cmd.Flags()
	f.StringArrayVar(&o.set, "set", nil, "set `NAME=VALUE`; NAME alone sets the value yes (repeatable)")
	f.StringArrayVar(&o.unset, "unset", nil, "remove the value of `NAME` (repeatable)")
	f.StringVar(&o.metadata, "metadata", "", "`file` with metadata of documents: a table, see above")
	whereFlag(f, &o.where, "only documents that satisfy this `condition`; without DOCUMENT, all of them")
	f.BoolVarP(&o.recursive, "recursive", "r", false, "all documents in a folder, or with a prefix")
	return cmd
}

func (o *labelOptions) check(typed []string) error {
	switch {
	case o.metadata == "" && len(o.set)+len(o.unset) == 0:
		return misuse("usage.say-nothing")
	case o.metadata != "" && len(o.set)+len(o.unset) > 0:
		return misuse("usage.metadata")
	case o.metadata == "" && len(typed)+len(o.where) == 0:
		return misuse("usage.of-which")
	}
	for i, typed := range o.set {
		name, _, _ := strings.Cut(typed, "=")
		same := func(other string) bool {
			other, _, _ = strings.Cut(other, "=")
			return strings.EqualFold(strings.TrimSpace(other), strings.TrimSpace(name))
		}
		if j := slices.IndexFunc(o.set[:i], same); j >= 0 && o.set[j] != typed {
			return misuse("usage.both-about", "flags", lang.NewMessage("usage.and", "first", "--set "+o.set[j], "last", "--set "+typed), "name", strings.TrimSpace(name))
		}
		if slices.ContainsFunc(o.unset, same) {
			return misuse("usage.both-about", "flags", lang.NewMessage("usage.and", "first", "--set "+typed, "last", "--unset"), "name", strings.TrimSpace(name))
		}
	}
	_, err := o.change(new(store.Document))
	return err
}

func runLabel(cmd *cobra.Command, g *globalOptions, o labelOptions, typed []string) error {
	if err := o.check(typed); err != nil {
		return err
	}
	said, err := descriptions(cmd, o.metadata)
	if err != nil {
		return err
	}
	opts := pick.Options{Folders: o.recursive}
	return g.withPicked(cmd, typed, o.where, opts, func(w store.Store, info store.Info, found []store.Document) error {
		change := o.change
		if said != nil {
			change = func(d *store.Document) (store.Description, error) {
				says, _ := said.Of(d, info.Bases)
				return says.Over(d.Said), nil
			}
		}
		if err := describeAll(cmd, w, found, change); err != nil {
			return err
		}
		return unusedRows(cmd, o.metadata, said)
	})
}

func describeAll(cmd *cobra.Command, w store.Store, found []store.Document, change func(*store.Document) (store.Description, error)) error {
	changed := 0
	for _, d := range found {
		says, err := change(&d)
		if err == nil && says.Equal(d.Said) {
			continue
		}
		if err == nil {
			err = indexer.Describe(cmd.Context(), w, d, says)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", d.Name(), err)
		}
		changed++
	}
	if err := w.Commit(cmd.Context()); err != nil {
		return err
	}
	p := printerOf(cmd.ErrOrStderr())
	fmt.Fprintln(cmd.OutOrStdout(), p.Text("terminal.described", "n", changed)+", "+p.Text("terminal.unchanged", "n", len(found)-changed))
	return nil
}

func (o *labelOptions) change(d *store.Document) (says store.Description, err error) {
	says = d.Said
	for _, name := range o.unset {
		says.Unset(strings.TrimSpace(name))
	}
	for _, typed := range o.set {
		name, value, ok := strings.Cut(typed, "=")
		if !ok {
			value = "yes"
		}
		if value == "" {
			return says, misuse("usage.no-value", "typed", typed)
		}
		if err := says.Set(strings.TrimSpace(name), strings.TrimSpace(value)); err != nil {
			return says, about("--set "+typed, err)
		}
	}
	return says, nil
}

// descriptions reads the table at path; it returns nil if path is empty.
// If no column is the title, author or year, it warns, since the names of the columns may be
// others than expected.
func descriptions(cmd *cobra.Command, path string) (*indexer.Descriptions, error) {
	if path == "" {
		return nil, nil
	}
	said, err := indexer.ReadDescriptions(cmd.Context(), path)
	switch {
	case errors.Is(err, indexer.ErrDescriptions), errors.Is(err, document.ErrEmpty):
		return nil, about("--metadata "+path, err)
	case err != nil:
		return nil, lang.NewMessage("usage.about", "what", "--metadata "+path, "cause", err)
	}
	if labels := said.Labels(); labels != nil {
		warnAbout(cmd.ErrOrStderr(), path, lang.NewMessage("error.only-labels", "names", strings.Join(labels, ", ")))
	}
	return said, nil
}

// unusedRows warns about rows of the table that match no document, and returns an error if there
// are any.
func unusedRows(cmd *cobra.Command, path string, said *indexer.Descriptions) error {
	if said == nil || len(said.Unused()) == 0 {
		return nil
	}
	list := said.Unused()
	const shown = 3
	names := strings.Join(list[:min(shown, len(list))], ", ")
	if len(list) > shown {
		names += ", ..."
	}
	warnAbout(cmd.ErrOrStderr(), path, lang.NewMessage("error.unused-rows", "n", len(list), "all", said.Len(), "names", names))
	return partlyError{lang.NewMessage("error.skipped-rows", "n", len(list), "all", said.Len())}
}

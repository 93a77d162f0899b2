package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/internal/closing"
	"github.com/otisk/otisk/internal/oserror"
	"github.com/otisk/otisk/internal/walk"
	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/store"
)

func newMoveBaseCommand(g *globalOptions) *cobra.Command {
	force := false
	cmd := &cobra.Command{
		Use:     "move-base [flags] BASE FOLDER",
		Example: "  otisk move-base theses /srv/library/theses",
		Args:    exactly(2, lang.NewMessage("usage.and", "first", placeholder("BASE"), "last", placeholder("FOLDER"))),
		RunE:    func(cmd *cobra.Command, args []string) error { return runMoveBase(cmd, g, args[0], args[1], force) },
	}
	cmd.Flags().BoolVar(&force, "force", false, "record the folder even if it contains no file of a document")
	return cmd
}

func runMoveBase(cmd *cobra.Command, g *globalOptions, from, to string, force bool) (err error) {
	folder, err := walk.Canonical(to)
	if err != nil {
		return about(to, oserror.Cause(err))
	}
	s, err := g.resolve()
	if err != nil {
		return err
	}
	w, err := s.UncheckedWriter(cmd.Context(), false)
	if err != nil {
		return err
	}
	defer closing.Into(&err, w)
	info, err := w.Info(cmd.Context())
	if err != nil {
		return err
	}
	bases := slices.Clone(info.Bases)
	at, err := findBase(bases, from)
	if err != nil {
		return err
	}
	b := &bases[at]
	before := b.Folder
	b.Folder = folder
	there, all := 0, 0
	err = w.Documents(cmd.Context(), "", func(d store.Document) error {
		if d.Base != b.Key {
			return nil
		}
		all++
		file, _, _ := document.CutMember(b.File(d.Path))
		if _, err := os.Stat(file); err == nil {
			there++
		}
		return nil
	})
	if err != nil {
		return err
	}
	if there == 0 && all > 0 && !force {
		return lang.NewMessage("error.not-moved", "n", all, "name", baseName(b), "folder", folder)
	}
	err = w.SetBases(cmd.Context(), bases)
	if err == nil {
		err = w.Commit(cmd.Context())
	}
	if err != nil {
		return err
	}
	fmt.Fprintln(cmd.OutOrStdout(), printerOf(cmd.ErrOrStderr()).Text("terminal.moved",
		"name", baseName(b), "folder", printable(folder), "before", printable(before), "there", there, "all", all))
	return nil
}

func baseName(b *store.Base) string {
	if b.Name == "" {
		return "."
	}
	return printable(b.Name)
}

// findBase returns the index of the base with the given name or folder. If several bases have
// the name, it is the only one whose folder no longer exists.
func findBase(bases []store.Base, typed string) (int, error) {
	var found []int
	folder := walk.Absolute(typed)
	var have []string
	for i, b := range bases {
		switch {
		case b.Key == "": // the entry for documents without a base
			continue
		case b.Folder == folder || b.Folder == typed:
			return i, nil
		case b.Name == strings.TrimSuffix(typed, "/") || b.Name == "" && typed == ".":
			found = append(found, i)
		}
		have = append(have, fmt.Sprintf("%s (%s)", baseName(&bases[i]), printable(b.Folder)))
	}
	gone := slices.DeleteFunc(slices.Clone(found), func(i int) bool { _, err := os.Stat(bases[i].Folder); return err == nil })
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(gone) == 1:
		return gone[0], nil
	case len(have) == 0:
		return 0, misuse("usage.no-bases")
	case len(found) > 1:
		return 0, misuse("usage.several-bases", "name", typed, "bases", strings.Join(have, ", "))
	}
	return 0, misuse("usage.no-base", "name", typed, "bases", strings.Join(have, ", "))
}

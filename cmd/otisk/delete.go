package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/otisk/otisk/indexer"
	"github.com/otisk/otisk/store"
)

// deleteOptions hold the flags of the delete command.
type deleteOptions struct {
	prefix    string
	recursive bool
}

func newDeleteCommand(g *globalOptions) *cobra.Command {
	o := deleteOptions{}
	cmd := &cobra.Command{
		Use:   "delete [flags] PATH...",
		Short: "Remove documents from an index",
		Long: `Remove documents from an index, with all their n-grams and their text. The files
themselves are not touched, and need not be there any more.

EXIT STATUS
  0  all were removed
  1  none was removed
  2  wrong flag or setting
  4  the cluster could not be reached or refused
  5  some are not in the index, the others were removed`,
		Example: "  otisk delete essays/old.txt\n  otisk delete -r --prefix library: essays/",
		Args:    atLeast(1, "PATH"),
		RunE:    func(cmd *cobra.Command, args []string) error { return runDelete(cmd, g, o, args) },
	}
	cmd.Flags().StringVar(&o.prefix, "prefix", "", "`text` that the documents were indexed with")
	cmd.Flags().BoolVarP(&o.recursive, "recursive", "r", false, "remove all documents in a folder")
	return cmd
}

func runDelete(cmd *cobra.Command, g *globalOptions, o deleteOptions, paths []string) (err error) {
	s, err := g.resolve()
	if err != nil {
		return err
	}
	s.warn = func(err error) { warn(cmd, "%v", err) }
	w, err := s.openWriter(cmd.Context(), false)
	if err != nil {
		return err
	}
	defer closeInto(&err, w)
	removed, missing := 0, 0
	for _, path := range paths {
		count, err := o.remove(cmd, w, canonical(path))
		if errors.Is(err, store.ErrNotFound) {
			missing++
			warn(cmd, "%s: %v", printable(path), store.ErrNotFound)
		} else if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		removed += count
	}
	if err := w.Commit(cmd.Context()); err != nil {
		return err
	}
	fmt.Fprintln(cmd.OutOrStdout(), printerOf(cmd.ErrOrStderr()).Text("terminal.deleted", "n", removed))
	if missing > 0 {
		return skippedError{missing, len(paths)}
	}
	return nil
}

// canonical returns what a document was indexed as, also where its file is
// gone: then links in the folders above are still followed.
func canonical(path string) string {
	if full, err := indexer.Canonical(path); err == nil {
		return full
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	if parent := filepath.Dir(abs); parent != abs {
		return filepath.Join(canonical(parent), filepath.Base(abs))
	}
	return abs
}

// remove removes the document, or with recursive all documents below it, and
// returns how many.
func (o deleteOptions) remove(cmd *cobra.Command, w store.Store, path string) (int, error) {
	err := w.Delete(cmd.Context(), store.IDOf(o.prefix, path))
	if err == nil {
		return 1, nil
	}
	if !errors.Is(err, store.ErrNotFound) || !o.recursive {
		return 0, err
	}
	below := o.prefix + strings.TrimSuffix(path, string(filepath.Separator)) + string(filepath.Separator)
	var ids []store.DocID
	walk := w.Documents(cmd.Context(), func(d store.Document) error {
		if strings.HasPrefix(d.Name(), below) {
			ids = append(ids, d.ID)
		}
		return nil
	})
	if walk != nil {
		return 0, walk
	}
	if len(ids) == 0 {
		return 0, err
	}
	for i, id := range ids {
		if err := w.Delete(cmd.Context(), id); err != nil {
			return i, err
		}
	}
	return len(ids), nil
}

func newCleanCommand(g *globalOptions) *cobra.Command {
	yes := false
	cmd := &cobra.Command{
		Use:   "clean",
		Short: "Remove all documents from an index",
		Long: `Remove all documents from an index and leave it empty. It asks first; --yes
answers.

EXIT STATUS
  0  the index is empty
  1  it could not be emptied, or the answer was no
  2  not on a terminal, and without --yes
  4  the cluster could not be reached or refused`,
		Example: "  otisk clean --yes",
		Args:    exactly(0, "no arguments"),
		RunE:    func(cmd *cobra.Command, _ []string) error { return runClean(cmd, g, yes) },
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	return cmd
}

func runClean(cmd *cobra.Command, g *globalOptions, yes bool) (err error) {
	s, err := g.resolve()
	if err != nil {
		return err
	}
	if !yes {
		if !isTerminal(cmd.InOrStdin()) {
			return usagef("clean removes all documents of index %s: confirm by --yes", s.settings.Index)
		}
		sure, err := confirm(cmd, fmt.Sprintf("Remove all documents of index %s?", s.settings.Index))
		if err != nil {
			return fmt.Errorf("nothing was removed: %w", err)
		}
		if !sure {
			return errors.New("nothing was removed")
		}
	}
	if err := s.recreate(cmd.Context()); err != nil {
		return err
	}
	fmt.Fprintln(cmd.OutOrStdout(), "the index is empty")
	return nil
}

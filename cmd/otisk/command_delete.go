package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/otisk/otisk/esclient"
	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/pick"
)

type deleteOptions struct {
	prefix    *string  // only documents with this prefix; nil for all
	where     []string // conditions of --where, all of which must hold
	recursive bool
	dryRun    bool
}

func newDeleteCommand(g *globalOptions) *cobra.Command {
	o, prefix := deleteOptions{}, ""
	cmd := &cobra.Command{
		Use:     "delete [flags] DOCUMENT...",
		Example: "  otisk delete essays/old.txt\n  otisk delete 'theses/2001/*.pdf'\n  otisk delete -r --prefix library: essays/",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 && len(o.where) == 0 {
				return atLeastOne(placeholder("DOCUMENT"))(cmd, args)
			}
			if cmd.Flags().Changed("prefix") {
				o.prefix = &prefix
			}
			return runDelete(cmd, g, o, args)
		},
	}
	cmd.Flags().StringVar(&prefix, "prefix", "", "`text` that the documents were indexed with")
	whereFlag(cmd.Flags(), &o.where, "only documents that satisfy this `condition`; without DOCUMENT, all of them")
	cmd.Flags().BoolVarP(&o.recursive, "recursive", "r", false, "remove all documents in a folder, or with a prefix")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "print the names of the documents that would be removed, and remove nothing")
	return cmd
}

func runDelete(cmd *cobra.Command, g *globalOptions, o deleteOptions, typed []string) error {
	opts := pick.Options{Prefix: o.prefix, Folders: o.recursive}
	return g.withPicked(cmd, typed, o.where, opts, func(w store.Store, _ store.Info, found []store.Document) error {
		for _, d := range found {
			if o.dryRun {
				fmt.Fprintln(cmd.OutOrStdout(), printable(d.Name()))
			} else if err := w.Delete(cmd.Context(), d.ID); err != nil {
				return fmt.Errorf("%s: %w", d.Name(), err)
			}
		}
		if o.dryRun {
			return nil
		}
		if err := w.Commit(cmd.Context()); err != nil {
			return err
		}
		fmt.Fprintln(cmd.OutOrStdout(), printerOf(cmd.ErrOrStderr()).Text("terminal.deleted", "n", len(found)))
		return nil
	})
}

func newCleanCommand(g *globalOptions) *cobra.Command {
	yes := false
	cmd := &cobra.Command{
		Use:     "clean",
		Example: "  otisk clean --yes",
		Args:    noArguments,
		RunE:    func(cmd *cobra.Command, _ []string) error { return runClean(cmd, g, yes) },
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask for confirmation")
	return cmd
}

func runClean(cmd *cobra.Command, g *globalOptions, yes bool) (err error) {
	s, err := g.resolve()
	if err != nil {
		return err
	}
	if !yes {
		if !isTerminal(cmd.InOrStdin()) {
			return misuse("usage.confirm-clean", "index", s.Settings.Index)
		}
		sure, err := confirm(cmd, "terminal.clean", "index", s.Settings.Index)
		if err != nil {
			return lang.NewMessage("error.no-answer", "cause", err)
		}
		if !sure {
			return lang.NewMessage("error.nothing-removed")
		}
	}
	err = s.Recreate(cmd.Context())
	if errors.Is(err, store.ErrNoIndex) && !s.Settings.Embedded() {
		left, err := esclient.RemoveUnfinished(cmd.Context(), s.Cluster())
		if err == nil {
			fmt.Fprintln(cmd.OutOrStdout(), printerOf(cmd.ErrOrStderr()).Text("terminal.unfinished", "indices", strings.Join(left, ", ")))
		}
		return err
	}
	if err != nil {
		return err
	}
	fmt.Fprintln(cmd.OutOrStdout(), printerOf(cmd.ErrOrStderr()).Text("terminal.empty"))
	return nil
}

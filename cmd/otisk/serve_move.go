package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/otisk/otisk/config"
	"github.com/otisk/otisk/indexer/upkeep"
	"github.com/otisk/otisk/internal/closing"
	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/serve/desk"
	"github.com/otisk/otisk/serve/indexes"
	"github.com/otisk/otisk/serve/storage"
	"github.com/otisk/otisk/store"
)

func newServeMoveCommand(g *globalOptions) *cobra.Command {
	var o serveOptions
	toFolder := false
	cmd := &cobra.Command{
		Use:     "move [flags] --data DIR NAME",
		Example: "  otisk serve move --data /srv/otisk --cluster https://es.example.org:9200/otisk Theses",
		Args:    exactly(1, lang.Say("usage.one-collection")),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.data == "" || o.cluster == "" {
				return misuse("usage.serve-move")
			}
			return runServeMove(cmd, g, &o, desk.Moving{Collection: args[0], ToFolder: toFolder})
		},
	}
	o.placeFlags(cmd.Flags())
	cmd.Flags().BoolVar(&toFolder, "to-folder", false, "move the collection from the cluster into the data folder")
	return cmd
}

func runServeMove(cmd *cobra.Command, g *globalOptions, o *serveOptions, m desk.Moving) (err error) {
	cluster, err := o.clusterConfig(g)
	if err != nil {
		return err
	}
	s, err := g.resolve()
	if err != nil {
		return err
	}
	f, err := o.open(cmd)
	if err != nil {
		return err
	}
	defer closing.Into(&err, f)
	opener, err := indexes.New(f.Path(storage.Collections), cluster)
	if err != nil {
		return err
	}
	var copied int64
	m.Copy = func(ctx context.Context, from, to indexes.Place) (err error) {
		copied, err = s.copyCollection(ctx, withPath(f, from), withPath(f, to))
		return indexes.Explain(from, err)
	}
	if err := desk.Move(cmd.Context(), f, opener, m); err != nil {
		return err
	}
	_, err = fmt.Fprintln(cmd.OutOrStdout(), printerOf(cmd.ErrOrStderr()).Text("terminal.collection-moved", "name", m.Collection, "n", copied))
	return err
}

// withPath returns the place with the path of its folder, if it is in one: the command does not run in
// the folder of the collections.
func withPath(f *storage.Folder, p indexes.Place) indexes.Place {
	if !p.InCluster() {
		p.ID = f.Path(storage.Collections, p.ID)
	}
	return p
}

// copyCollection copies an index to a new one and returns its number of documents. A collection that
// nothing was added to has no index.
func (s *session) copyCollection(ctx context.Context, from, to indexes.Place) (n int64, err error) {
	source, target := s.collection(from), s.collection(to)
	source.otherWords, source.settings.Sample = true, config.AsIndexed // n-grams are made again
	r, err := source.reader(ctx)
	if errors.Is(err, store.ErrNoIndex) && !from.Filled {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer closing.Into(&err, r)
	w, err := target.writer(ctx, true)
	if err != nil {
		return 0, err
	}
	defer closing.Into(&err, w)
	sum, err := upkeep.Copy(ctx, r, w, s.norms, nil)
	if err != nil {
		return 0, err
	}
	if err := upkeep.Tidy(ctx, w, sum); err != nil {
		return 0, err
	}
	was, err := r.Info(ctx)
	if err != nil {
		return 0, err
	}
	is, err := w.Info(ctx)
	if err == nil && (is.Documents != was.Documents || sum.Failed > 0) {
		err = lang.Say("error.move-incomplete", "n", was.Documents, "copied", is.Documents)
	}
	return is.Documents, err
}

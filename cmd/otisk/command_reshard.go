package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/otisk/otisk/esclient"
	"github.com/otisk/otisk/internal/closing"
	"github.com/otisk/otisk/internal/session"
	"github.com/otisk/otisk/lang"
)

type reshardOptions struct {
	expect bytesFlag
	shards int
}

func newReshardCommand(g *globalOptions) *cobra.Command {
	o := reshardOptions{}
	cmd := &cobra.Command{
		Use:     "reshard --expect SIZE",
		Example: "  otisk reshard --index http://localhost:9200/theses --expect 300GB",
		Args:    noArguments,
		RunE:    func(cmd *cobra.Command, _ []string) error { return runReshard(cmd, g, o) },
	}
	cmd.Flags().Var(&o.expect, "expect", "expected `size` of all texts in the index, such as 30GB")
	cmd.Flags().IntVar(&o.shards, "shards", 0, "`number` of shards of each part, instead of --expect")
	return cmd
}

// inCluster is resolve, and rejects an index in a folder.
func (g *globalOptions) inCluster() (*session.Session, error) {
	s, err := g.resolve()
	if err == nil && s.Settings.Embedded() {
		err = misuse("usage.in-folder", "index", s.Settings.Index)
	}
	return s, err
}

func runReshard(cmd *cobra.Command, g *globalOptions, o reshardOptions) (err error) {
	given := cmd.Flags().Changed
	if given("expect") == given("shards") {
		return misuse("usage.reshard")
	}
	if given("shards") && o.shards < 1 {
		return misuse("usage.want", "what", fmt.Sprintf("--shards %d", o.shards), "wanted", lang.NewMessage("usage.or-more", "n", 1))
	}
	s, err := g.inCluster()
	if err != nil {
		return err
	}
	w, err := esclient.OpenStore(cmd.Context(), s.Cluster())
	if err != nil {
		return err
	}
	defer closing.Into(&err, w)
	p := newProgress(cmd, g.quiet, false)
	p.drawMessage("terminal.merging")
	defer p.end()
	plan, err := w.Reshard(cmd.Context(), esclient.Config{Shards: o.shards, Expect: int64(o.expect)})
	if err != nil {
		return err
	}
	var fewer error
	for _, r := range plan {
		if given("shards") && r.Before > o.shards {
			fewer = hintedError{lang.NewMessage("error.fewer-shards", "n", o.shards, "name", r.Index, "have", r.Before), lang.NewMessage("hint.fewer-shards")}
			continue
		}
		fmt.Fprintln(cmd.OutOrStdout(), r)
	}
	return fewer
}

func newAdoptCommand(g *globalOptions) *cobra.Command {
	return &cobra.Command{
		Use:     "adopt",
		Example: "  otisk adopt --index http://localhost:9200/restored",
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := g.inCluster()
			if err != nil {
				return err
			}
			list, err := esclient.Adopt(cmd.Context(), s.Cluster())
			if err != nil {
				return err
			}
			fmt.Fprintln(cmd.OutOrStdout(), printerOf(cmd.ErrOrStderr()).Text("terminal.adopted", "indices", strings.Join(list, ", ")))
			return nil
		},
	}
}

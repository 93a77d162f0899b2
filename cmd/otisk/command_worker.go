package main

import (
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/otisk/otisk/serve/jobs"
	"github.com/otisk/otisk/serve/work"
)

// newWorkerCommand returns the hidden command that executes one job of otisk serve.
func newWorkerCommand(g *globalOptions) *cobra.Command {
	return &cobra.Command{
		Use: work.Command, Short: "Execute a job of otisk serve", Hidden: true, Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return runWorker(cmd, g) },
	}
}

func runWorker(cmd *cobra.Command, g *globalOptions) error {
	task, err := work.ReadTask(cmd.InOrStdin())
	if err != nil {
		return err
	}
	if task.Memory > 0 {
		if err := work.LimitMemory(task.Memory); err != nil {
			return err
		}
	}
	go func() { // the server has ended
		_, _ = io.Copy(io.Discard, cmd.InOrStdin())
		os.Exit(statusFailed)
	}()
	s, err := g.resolve()
	if err != nil {
		return err
	}
	return jobs.Execute(cmd.Context(), s, task, cmd.OutOrStdout())
}

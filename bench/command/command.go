// Package command runs the subcommands of a benchmark program.
package command

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
)

// A Command is a subcommand: its name, what it does, and the function that executes it.
type Command struct {
	Name, Purpose string
	Run           func(ctx context.Context, args []string, stdout io.Writer) error
}

// A Program is a program with subcommands.
type Program struct {
	Name     string
	Commands []Command
}

// Main executes the command line of the process until it is done or interrupted, and exits.
func (p Program) Main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(p.Run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// Run executes one command line and returns the exit status: 0 for success, 1 for a failure, 2 for a misused command line.
func (p Program) Run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	for _, c := range p.Commands {
		if len(args) == 0 || c.Name != args[0] {
			continue
		}
		err := c.Run(ctx, args[1:], stdout)
		if errors.Is(err, flag.ErrHelp) {
			return 0
		}
		if err != nil {
			fmt.Fprintf(stderr, "%s %s: error: %v\n", p.Name, c.Name, err)
			return 1
		}
		return 0
	}
	fmt.Fprintf(stderr, "usage: %s COMMAND [flags], where COMMAND is one of\n", p.Name)
	for _, c := range p.Commands {
		fmt.Fprintf(stderr, "  %-8s %s\n", c.Name, c.Purpose)
	}
	return 2
}

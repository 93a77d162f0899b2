package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
)

// A build is the information that the Go command recorded in the program.
type build struct {
	version  string    // version of the module without its v, "devel" if unknown
	revision string    // commit, "" if unknown
	time     time.Time // time of the commit, zero if unknown
	modified bool      // files differed from the commit
}

var built = sync.OnceValue(func() build {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	return buildOf(info)
})

// buildOf returns the build that info describes. The Go command sets the version of the module from
// a tag of the commit, or from the time and hash of the commit, unless -buildvcs=false.
func buildOf(info *debug.BuildInfo) build {
	b := build{version: strings.TrimPrefix(info.Main.Version, "v")}
	if b.version == "" || b.version == "(devel)" {
		b.version = "devel"
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.revision = s.Value
		case "vcs.time":
			b.time, _ = time.Parse(time.RFC3339, s.Value) // zero if it is not a time
		case "vcs.modified":
			b.modified = s.Value == "true"
		}
	}
	return b
}

func version() string { return built().version }

func (b build) line() string {
	parts := []string{runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH}
	if b.revision != "" {
		commit := "commit " + b.revision[:min(12, len(b.revision))]
		if b.modified {
			commit += "+changes"
		}
		parts = append([]string{commit}, parts...)
	}
	return fmt.Sprintf("otisk %s (%s)", b.version, strings.Join(parts, ", "))
}

func newVersionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Example: "  otisk version",
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(cmd.OutOrStdout(), built().line())
			return err
		},
	}
}

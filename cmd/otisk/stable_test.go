package main

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/otisk/otisk/lang"
)

var addStable = flag.Bool("add-stable", false, "add commands, flags and exit statuses to testdata/stable.txt")

// exitStatus matches a line below EXIT STATUS in a help text.
var exitStatus = regexp.MustCompile(`(?m)^  (\d+)  `)

// interfaceOf returns a line for each command, flag with its type, and documented exit status.
func interfaceOf(root *cobra.Command) (lines []string) {
	root.InitDefaultHelpCmd()
	eachCommand(root, func(cmd *cobra.Command, path string) {
		name := strings.TrimSpace("otisk " + path)
		lines = append(lines, name)
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			short := ""
			if f.Shorthand != "" {
				short = "-" + f.Shorthand + " "
			}
			lines = append(lines, fmt.Sprintf("%s: %s--%s %s", name, short, f.Name, f.Value.Type()))
		})
		help, _ := lang.Of("en").Help(path)
		if _, list, ok := strings.Cut(help.Long, "EXIT STATUS"); ok {
			for _, m := range exitStatus.FindAllStringSubmatch(list, -1) {
				lines = append(lines, name+": status "+m[1])
			}
		}
	})
	slices.Sort(lines)
	return slices.Compact(lines)
}

// TestStable: each command, flag and exit status that docs/STABILITY.md promises still exists.
// Each that is new gets into testdata/stable.txt by -add-stable; none is ever removed from it.
func TestStable(t *testing.T) {
	const name = "testdata/stable.txt"
	text, err := os.ReadFile(name)
	if err != nil && !*addStable {
		t.Fatal(err)
	}
	promised, present := strings.Split(strings.TrimSpace(string(text)), "\n"), interfaceOf(newRootCommand())
	if *addStable {
		all := append(promised, present...)
		slices.Sort(all)
		if err := os.WriteFile(name, []byte(strings.Join(slices.Compact(all), "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if len(promised) < 300 {
		t.Errorf("%s has %d lines, want the whole interface", name, len(promised))
	}
	for _, line := range promised {
		if !slices.Contains(present, line) {
			t.Errorf("%q is promised by docs/STABILITY.md and has been removed or changed", line)
		}
	}
}

// TestStableStatuses: the exit statuses keep their meaning.
func TestStableStatuses(t *testing.T) {
	got := []int{statusFailed, statusUsage, statusOver, statusServer, statusSome, statusUnsearched, statusInterrupted}
	if want := []int{1, 2, 3, 4, 5, 6, 130}; !slices.Equal(got, want) {
		t.Errorf("exit statuses %v, want %v", got, want)
	}
}

package main

import (
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/otisk/otisk/lang"
)

// A hintedError says what the user can do about it.
type hintedError struct {
	error
	hint error
}

func (e hintedError) Unwrap() error { return e.error }

// exclusive returns an error where flags are given that exclude one another: as
// cobra would, but as one of use, and in our words.
func exclusive(cmd *cobra.Command) error {
	err := cmd.ValidateFlagGroups()
	if err == nil {
		return nil
	}
	if given := groupPattern.FindStringSubmatch(err.Error()); given != nil {
		return misuse("usage.exclude-all", "flags", joined("usage.and", strings.Fields("--"+strings.ReplaceAll(given[1], " ", " --"))))
	}
	return usageError{err}
}

// groupPattern has the names of the flags that were given.
var groupPattern = regexp.MustCompile(`\[([^\]]+)\] were all set$`)

// didYouMean adds the names to err that are near to what was typed, if there
// are any.
func didYouMean(err error, typed string, names []string) error {
	var near []string
	for _, name := range names {
		if alike(strings.TrimLeft(typed, "-"), strings.TrimLeft(name, "-")) {
			near = append(near, name)
		}
	}
	if len(near) == 0 {
		return err
	}
	return hintedError{err, lang.Say("usage.did-you-mean", "names", joined("usage.or", near))}
}

// joined returns names as a list whose last two are joined by a message: and, or or.
func joined(message string, names []string) any {
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return lang.Say(message, "first", strings.Join(names[:last], ", "), "last", names[last])
}

// oneOf says that a flag takes one of some words, and not what was typed.
func oneOf(what string, words ...string) error {
	return misuse("usage.want", "what", what, "wanted", joined("usage.or", words))
}

// alike reports whether typed may be a slip for name: a start of it, or one
// letter in three wrong at most.
func alike(typed, name string) bool {
	typed, name = strings.ToLower(typed), strings.ToLower(name)
	return len(typed) > 2 && strings.HasPrefix(name, typed) || slips(typed, name) <= min(2, max(len(typed), len(name))/3)
}

// slips returns how many letters must be added, left out, changed or swapped
// with their neighbour to make b of a.
func slips(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		for j := range rows[i] {
			switch {
			case i == 0 || j == 0:
				rows[i][j] = i + j
				continue
			case a[i-1] == b[j-1]:
				rows[i][j] = rows[i-1][j-1]
			default:
				rows[i][j] = 1 + min(rows[i-1][j-1], rows[i-1][j], rows[i][j-1])
			}
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}

// unknownCommand is the error for a command that there is not.
func unknownCommand(root *cobra.Command, name string) error {
	var names []string
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return didYouMean(misuse("usage.unknown-command", "name", strconv.Quote(name)), name, names)
}

// flagError says in the user's words what is wrong with a flag.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var valueless *pflag.ValueRequiredError
	var invalid *pflag.InvalidValueError
	switch {
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "":
		return didYouMean(misuse("usage.unknown-flag", "name", "--"+unknown.GetSpecifiedName()), unknown.GetSpecifiedName(), flagNames(cmd))
	case errors.As(err, &unknown):
		return misuse("usage.unknown-letter", "name", "'"+unknown.GetSpecifiedName()+"'", "letters", "-"+unknown.GetSpecifiedShortnames())
	case errors.As(err, &valueless) && valueless.GetSpecifiedShortnames() == "":
		return misuse("usage.needs-value", "name", "--"+valueless.GetSpecifiedName())
	case errors.As(err, &valueless):
		return misuse("usage.needs-value-in", "name", "'"+valueless.GetSpecifiedName()+"'", "letters", "-"+valueless.GetSpecifiedShortnames())
	case errors.As(err, &invalid):
		return misuse("usage.want", "what", nameOf(invalid.GetFlag())+" "+strconv.Quote(invalid.GetValue()), "wanted", wanted(invalid.GetFlag()))
	}
	return usageError{err}
}

// flagNames returns the flags that a user may type.
func flagNames(cmd *cobra.Command) (names []string) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, "--"+f.Name)
		}
	})
	return names
}

// nameOf returns a flag as it is typed, with its short form.
func nameOf(f *pflag.Flag) string {
	if f.Shorthand == "" {
		return "--" + f.Name
	}
	return "-" + f.Shorthand + ", --" + f.Name
}

// wanted says what a flag takes.
func wanted(f *pflag.Flag) any {
	switch f.Value.Type() {
	case "int":
		return lang.Say("usage.whole-number")
	case "float64":
		return lang.Say("usage.number")
	case "bool":
		return lang.Say("usage.true-or-false")
	case "duration":
		return lang.Say("usage.time")
	}
	return "a " + f.Value.Type()
}

// newHelpCommand replaces the one of cobra, which takes a command that there is
// not for a wish to see the help of all.
func newHelpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Explain a command",
		Long:  "Explain a command: what it does, its flags, and what its exit status means.",
		RunE: func(cmd *cobra.Command, args []string) error {
			about, more, err := cmd.Root().Find(args)
			if err != nil || len(more) > 0 || about == nil {
				return unknownCommand(cmd.Root(), strings.Join(args, " "))
			}
			about.InitDefaultHelpFlag()
			return about.Help()
		},
	}
}

// filled refuses empty arguments, and an empty index: in a script they are variables that
// are not set, and would stand for the folder where one is or for the usual index.
func filled(cmd *cobra.Command, args []string) error {
	if strings.HasPrefix(cmd.Name(), cobra.ShellCompRequestCmd) {
		return nil // what is being typed may be empty
	}
	if slices.Contains(args, "") {
		return misuse("usage.argument-empty", "command", cmd.Name())
	}
	if f := cmd.Flag("index"); f != nil && f.Changed && f.Value.String() == "" {
		return misuse("usage.is-empty", "what", "--index")
	}
	if f := cmd.Flag("in"); f != nil {
		if list, ok := f.Value.(pflag.SliceValue); ok && slices.Contains(list.GetSlice(), "") {
			return misuse("usage.is-empty", "what", "--in")
		}
	}
	return nil
}

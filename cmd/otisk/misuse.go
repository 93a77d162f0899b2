package main

import (
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/internal/session"
	"github.com/otisk/otisk/lang"
)

type hintedError struct {
	error
	hint error
}

func (e hintedError) Unwrap() error { return e.error }

// exclusive returns a session.UsageError if mutually exclusive flags are given. It replaces the error of
// cobra, which is not translated and not a session.UsageError.
func exclusive(cmd *cobra.Command) error {
	err := cmd.ValidateFlagGroups()
	if err == nil {
		return nil
	}
	if given := groupPattern.FindStringSubmatch(err.Error()); given != nil {
		return misuse("usage.exclude-all", "flags", joined("usage.and", strings.Fields("--"+strings.ReplaceAll(given[1], " ", " --"))))
	}
	return session.UsageError{Err: err}
}

// groupPattern matches the names of the given flags in an error of cobra.
var groupPattern = regexp.MustCompile(`\[([^\]]+)\] were all set$`)

// didYouMean adds a hint to err with the names that are similar to typed, if there are any.
func didYouMean(err error, typed string, names []string) error {
	near := lists.Filter(names, func(name string) bool { return alike(strings.TrimLeft(typed, "-"), strings.TrimLeft(name, "-")) })
	if len(near) == 0 {
		return err
	}
	return hintedError{err, lang.NewMessage("usage.did-you-mean", "names", joined("usage.or", near))}
}

// joined returns names as a list whose last two are joined by a message: and, or or.
func joined(message string, names []string) any {
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return lang.NewMessage(message, "first", strings.Join(names[:last], ", "), "last", names[last])
}

// oneOf returns a session.UsageError for a flag with an invalid value. The parameter what is the flag with
// that value, and words are the valid values.
func oneOf(what string, words ...string) error {
	return misuse("usage.want", "what", what, "wanted", joined("usage.or", words))
}

// alike reports whether typed may be a misspelling of name, ignoring case: a prefix of at least
// 3 bytes, or an edit distance of at most 2 and of at most a third of the longer one.
func alike(typed, name string) bool {
	typed, name = strings.ToLower(typed), strings.ToLower(name)
	return len(typed) > 2 && strings.HasPrefix(name, typed) || slips(typed, name) <= min(2, max(len(typed), len(name))/3)
}

// slips returns the edit distance of a and b in bytes: the number of insertions, deletions,
// substitutions and swaps of neighbours (Damerau-Levenshtein, optimal string alignment).
func slips(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		for j := range rows[i] {
			switch {
			case i == 0 || j == 0:
				rows[i][j] = i + j
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

func withHelp(cmd *cobra.Command, err error) error {
	return hintedError{err, lang.NewMessage("usage.see-help", "command", cmd.CommandPath()+" --help")}
}

// foreignCommands are commands of other programs, and the names here.
var foreignCommands = map[string]string{
	"add": "index", "find": "search", "import": "index", "init": "index", "list": "docs", "ls": "docs", "remove": "delete", "rm": "delete", "status": "info",
}

// helpOnly prints the help of a command that only has commands below it.
func helpOnly(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return unknownCommand(cmd, args[0])
	}
	return cmd.Help()
}

// foreignFlag returns a hint for a flag that other programs have, nil if there is none.
func foreignFlag(cmd *cobra.Command, name string) error {
	switch {
	case name == "json" && cmd.Flag("format") != nil:
		return lang.NewMessage("usage.did-you-mean", "names", "--format json")
	case name == "once" && (cmd.Name() == "crawl" || cmd.Name() == "harvest"):
		return lang.NewMessage("usage.runs-once", "command", cmd.Name())
	case name == "color" || name == "colour" || name == "no-color":
		return lang.NewMessage("usage.no-color", "variable", "NO_COLOR=1")
	}
	return nil
}

func unknownCommand(root *cobra.Command, name string) error {
	if here := foreignCommands[name]; here != "" && root.Parent() == nil {
		return hintedError{misuse("usage.unknown-command", "name", strconv.Quote(name)), lang.NewMessage("usage.did-you-mean", "names", here)}
	}
	var names []string
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return didYouMean(misuse("usage.unknown-command", "name", strconv.Quote(name)), name, names)
}

func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var valueless *pflag.ValueRequiredError
	var invalid *pflag.InvalidValueError
	switch {
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "":
		flag := misuse("usage.unknown-flag", "name", "--"+unknown.GetSpecifiedName())
		if hint := foreignFlag(cmd, unknown.GetSpecifiedName()); hint != nil {
			return hintedError{flag, hint}
		}
		if err := didYouMean(flag, unknown.GetSpecifiedName(), flagNames(cmd)); errors.As(err, new(hintedError)) {
			return err
		}
		return withHelp(cmd, flag)
	case errors.As(err, &unknown):
		return withHelp(cmd, misuse("usage.unknown-letter", "name", "'"+unknown.GetSpecifiedName()+"'", "letters", "-"+unknown.GetSpecifiedShortnames()))
	case errors.As(err, &valueless) && valueless.GetSpecifiedShortnames() == "":
		return misuse("usage.needs-value", "name", "--"+valueless.GetSpecifiedName())
	case errors.As(err, &valueless):
		return misuse("usage.needs-value-in", "name", "'"+valueless.GetSpecifiedName()+"'", "letters", "-"+valueless.GetSpecifiedShortnames())
	case errors.As(err, &invalid):
		return misuse("usage.want", "what", nameOf(invalid.GetFlag())+" "+strconv.Quote(invalid.GetValue()), "wanted", wanted(invalid.GetFlag()))
	}
	return session.UsageError{Err: err}
}

// flagNames returns the flags of cmd that are not hidden.
func flagNames(cmd *cobra.Command) (names []string) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, "--"+f.Name)
		}
	})
	return names
}

// nameOf returns the name of a flag with its dashes, and its short form if it has one.
func nameOf(f *pflag.Flag) string {
	if f.Shorthand == "" {
		return "--" + f.Name
	}
	return "-" + f.Shorthand + ", --" + f.Name
}

// valuesOf are the messages for the values of the types of flags.
var valuesOf = map[string]string{
	"int": "usage.whole-number", "float64": "usage.number", "bool": "usage.true-or-false", "duration": "usage.time", "size": "usage.size", "intSlice": "usage.whole-numbers",
}

func wanted(f *pflag.Flag) any {
	if message := valuesOf[f.Value.Type()]; message != "" {
		return lang.NewMessage(message)
	}
	return lang.NewMessage("usage.value-of", "type", f.Value.Type())
}

// newHelpCommand replaces the help command of cobra, which prints the general help for a command
// that does not exist. This one returns an error.
func newHelpCommand() *cobra.Command {
	return &cobra.Command{
		Use: "help [COMMAND]",
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

// filled rejects empty arguments and empty values of some flags. In scripts, these come from unset
// variables, and would mean the working directory, the default index or the standard output.
func filled(cmd *cobra.Command, args []string) error {
	if strings.HasPrefix(cmd.Name(), cobra.ShellCompRequestCmd) {
		return nil // an incomplete word may be empty
	}
	if slices.Contains(args, "") {
		return misuse("usage.argument-empty", "command", cmd.Name())
	}
	for _, name := range []string{"index", "config", "output", "tmp"} {
		if f := cmd.Flag(name); f != nil && f.Changed && f.Value.String() == "" {
			return misuse("usage.is-empty", "what", "--"+name)
		}
	}
	if f := cmd.Flag("in"); f != nil {
		if list, ok := f.Value.(pflag.SliceValue); ok && slices.Contains(list.GetSlice(), "") {
			return misuse("usage.is-empty", "what", "--in")
		}
	}
	return nil
}

package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/otisk/otisk/lang"
)

// setHelp makes root print its help in the language of p. The texts are translated when help is first printed: most runs
// print none.
func setHelp(root *cobra.Command, p *lang.Printer) {
	root.InitDefaultHelpCmd()
	translate := sync.OnceFunc(func() { localize(root, p) })
	usage := func(cmd *cobra.Command) error {
		translate()
		return printUsage(cmd, p)
	}
	root.SetUsageFunc(usage)
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) {
		translate()
		about := cmp.Or(cmd.Long, cmd.Short)
		fmt.Fprintln(cmd.OutOrStdout(), strings.TrimSpace(about))
		fmt.Fprintln(cmd.OutOrStdout())
		_ = usage(cmd) // results notes a failed write
	})
}

// localize translates the help of cmd and of the commands below it.
func localize(cmd *cobra.Command, p *lang.Printer) {
	if !cmd.HasSubCommands() && !strings.Contains(cmd.Use, "[flags]") {
		cmd.Use += " [flags]"
	}
	cmd.Use = capitals.ReplaceAllStringFunc(strings.Replace(cmd.Use, "[flags]", p.Text("help.bracket-flags"), 1), func(s string) string {
		if placeholders[s] == "" { // URL and INDEX are the same in all languages
			return s
		}
		return p.Message(placeholder(s))
	})
	cmd.DisableFlagsInUseLine = true
	cmd.InitDefaultHelpFlag()
	cmd.InitDefaultVersionFlag()
	if f := cmd.Flags().Lookup("help"); f != nil {
		f.Usage = p.Text("help.flag-help")
	}
	if f := cmd.Flags().Lookup("version"); f != nil {
		f.Usage = p.Text("help.flag-version")
	}
	path := strings.TrimPrefix(strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()), " ")
	if h, ok := p.Help(path); ok {
		cmd.Short, cmd.Long = h.Short, h.Long
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if usage, ok := h.Flags[f.Name]; ok {
				f.Usage = usage
			}
		})
	}
	status := p.Text("help.statuses")
	if cmd.Runnable() && cmd.HasParent() && !strings.Contains(cmd.Long, status) {
		cmd.Long += fmt.Sprintf("\n\n%s\n  0  %s\n  1  %s\n  2  %s", status, p.Text("help.status-done"), p.Text("help.status-failed"), p.Text("help.status-wrong"))
	}
	for _, below := range cmd.Commands() {
		localize(below, p)
	}
}

var capitals = regexp.MustCompile(`\b[A-Z]{2,}\b`)

// placeholders are the messages for the placeholders in command lines, by their English names.
var placeholders = map[string]string{
	"BASE": "help.place-base", "COMMAND": "help.place-command", "DIR": "help.place-dir", "DOCUMENT": "help.place-document", "FEEDS": "help.place-feeds",
	"FILE": "help.place-file", "FOLDER": "help.place-folder", "NAME": "help.place-name", "OUT": "help.place-out", "PAIR": "help.place-pair", "PATH": "help.place-path",
	"RESULT": "help.place-result", "SCOPE": "help.place-scope", "SIZE": "help.place-size", "SOURCE": "help.place-source", "SUSPECT": "help.place-suspect",
}

func placeholder(english string) lang.Message { return lang.NewMessage(placeholders[english]) }

func printUsage(cmd *cobra.Command, p *lang.Printer) error {
	var b bytes.Buffer
	section := func(message, text string) {
		fmt.Fprintf(&b, "\n%s\n%s\n", p.Text(message), strings.TrimRight(text, "\n "))
	}
	fmt.Fprintln(&b, p.Text("help.usage"))
	fmt.Fprintln(&b, "  "+cmd.UseLine())
	if cmd.HasExample() {
		section("help.examples", cmd.Example)
	}
	if cmd.HasAvailableSubCommands() {
		var list strings.Builder
		for _, below := range cmd.Commands() {
			if below.IsAvailableCommand() {
				fmt.Fprintf(&list, "  %-*s  %s\n", cmd.NamePadding(), below.Name(), below.Short)
			}
		}
		section("help.commands", list.String())
	}
	if cmd.HasAvailableLocalFlags() {
		section("help.flags", flagUsages(cmd.LocalFlags(), p))
	}
	if cmd.HasAvailableInheritedFlags() {
		section("help.global-flags", flagUsages(cmd.InheritedFlags(), p))
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "\n%s\n", p.Text("help.more", "command", cmd.CommandPath()+" "+p.Message(placeholder("COMMAND"))+" --help"))
	}
	_, err := io.Copy(cmd.OutOrStdout(), &b)
	return err
}

// A flagRow is a line of the list of flags: the names with the value, and the usage with the default.
type flagRow struct{ left, usage string }

// helpWidth is the width of help, in code points.
const helpWidth = 82

func flagUsages(flags *pflag.FlagSet, p *lang.Printer) string {
	rows := flagRows(flags, p)
	width := 0
	for _, r := range rows {
		width = max(width, utf8.RuneCountInString(r.left))
	}
	var b strings.Builder
	for _, r := range rows {
		for i, line := range wrapped(r.usage, helpWidth-width-3) {
			if i > 0 {
				r.left = ""
			}
			fmt.Fprintf(&b, "%-*s   %s\n", width, r.left, line)
		}
	}
	return b.String()
}

// wrapped breaks a text between words into lines of at most width code points, if its words are not longer.
func wrapped(text string, width int) []string {
	lines := []string{""}
	room := width
	for _, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		if last := &lines[len(lines)-1]; *last == "" {
			*last, room = word, width-n
		} else if n < room {
			*last, room = *last+" "+word, room-n-1
		} else {
			lines, room = append(lines, word), width-n
		}
	}
	return lines
}

// flagRows returns the visible flags. pflag aligns them by bytes, which fails for names of values
// with accents, and writes "default" in English.
func flagRows(flags *pflag.FlagSet, p *lang.Printer) (rows []flagRow) {
	lines := strings.Split(flags.FlagUsages(), "\n")
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Deprecated != "" {
			return
		}
		line := lines[len(rows)]
		_, usage := pflag.UnquoteUsage(f)
		left, _, _ := strings.Cut(line, "   "+usage)
		usage = strings.TrimLeft(line[len(left):], " ")
		if before, _, found := strings.Cut(left, "[="); found && f.NoOptDefVal != "" { // the value is optional: --pages[=all]
			at := strings.LastIndex(before, " ")
			left = before[:at] + "[=" + before[at+1:] + "]"
		}
		rows = append(rows, flagRow{strings.TrimRight(left, " "), strings.Replace(usage, " (default ", " ("+p.Text("help.default")+" ", 1)})
	})
	return rows
}

var firstCommands = [][2]string{
	{"otisk demo", "terminal.greet-demo"},
	{"otisk index FOLDER", "terminal.greet-index"},
	{"otisk search FILE -o report.html", "terminal.greet-search"},
}

// greet prints the first commands to try. otisk without arguments does nothing else.
func greet(cmd *cobra.Command) error {
	p := printerOf(cmd.ErrOrStderr())
	width := 0
	for _, c := range firstCommands {
		width = max(width, utf8.RuneCountInString(c[0]))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n", p.Text("terminal.greet"))
	for _, c := range firstCommands {
		fmt.Fprintf(&b, "  %-*s   %s\n", width, c[0], p.Text(c[1]))
	}
	fmt.Fprintf(&b, "\n%s\n", p.Text("terminal.greet-more"))
	_, err := fmt.Fprint(cmd.OutOrStdout(), b.String())
	return err
}

package main

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/otisk/otisk/lang"
)

// eachCommand calls fn with each command that users see, and its path below the program.
func eachCommand(cmd *cobra.Command, fn func(cmd *cobra.Command, path string)) {
	fn(cmd, strings.TrimSpace(strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name())))
	for _, below := range cmd.Commands() {
		if below.IsAvailableCommand() || below.Name() == "help" {
			eachCommand(below, fn)
		}
	}
}

// quotedValue is the value of a flag in its usage.
var quotedValue = regexp.MustCompile("`[^`]+`")

// TestHelpInEnglish: each command has its help in English.
func TestHelpInEnglish(t *testing.T) {
	root := newRootCommand()
	root.InitDefaultHelpCmd()
	localize(root, lang.Of("en"))
	eachCommand(root, func(cmd *cobra.Command, path string) {
		if cmd.Short == "" || cmd.Long == "" {
			t.Errorf("otisk %s: no help", path)
		}
	})
}

// TestHelpIsTranslated: each command and each flag has its help in every language, with
// the value of the flag quoted where the English help quotes it.
func TestHelpIsTranslated(t *testing.T) {
	for _, tag := range slices.DeleteFunc(lang.Tags(), func(tag string) bool { return tag == "en" }) {
		root := newRootCommand()
		root.InitDefaultHelpCmd()
		used := map[string]bool{}
		eachCommand(root, func(cmd *cobra.Command, path string) {
			h, ok := lang.Of(tag).Help(path)
			english, _ := lang.Of("en").Help(path)
			if !ok || h.Short == "" || h.Long == "" && english.Long != "" {
				t.Errorf("%s: otisk %s: no help", tag, path)
				return
			}
			cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
				if f.Hidden || f.Name == "help" || f.Name == "version" {
					return
				}
				used[f.Name] = true
				usage := h.Flags[f.Name]
				if usage == "" || quotedValue.MatchString(usage) != quotedValue.MatchString(f.Usage) {
					t.Errorf("%s: otisk %s: --%s: %q is no translation of %q", tag, path, f.Name, usage, f.Usage)
				}
			})
		})
		h, _ := lang.Of(tag).Help("")
		for name := range h.Flags {
			if !used[name] {
				t.Errorf("%s: --%s is translated, but no command has it", tag, name)
			}
		}
	}
}

// englishWord is a word that English sentences have and the other languages do not.
var englishWord = regexp.MustCompile(`(?i)\b(the|of|with|which|each|are|from the|default:|Usage|Flags|Examples|Available)\b`)

// TestNoEnglishInHelp: in another language no line of any help is English, but for
// examples and the file formats that the help quotes.
func TestNoEnglishInHelp(t *testing.T) {
	for _, tag := range slices.DeleteFunc(lang.Tags(), func(tag string) bool { return tag == "en" }) {
		root := newRootCommand()
		root.InitDefaultHelpCmd()
		eachCommand(root, func(cmd *cobra.Command, path string) {
			args := append(strings.Fields(path), "--help", "--lang", tag)
			status, out, errs := typed(t, args...)
			if status != 0 || errs != "" || out == "" {
				t.Errorf("otisk %q: status %d, %q", args, status, errs)
			}
			for line := range strings.Lines(out) {
				if englishWord.MatchString(line) && !strings.HasPrefix(strings.TrimSpace(line), "otisk ") {
					t.Errorf("%s: otisk %s --help: %q is English", tag, path, strings.TrimSpace(line))
				}
			}
		})
	}
}

// TestHelpFitsTerminal: usages are wrapped in their column, and no word of them is lost.
func TestHelpFitsTerminal(t *testing.T) {
	for _, tag := range lang.Tags() {
		p := lang.Of(tag)
		eachCommand(newRootCommand(), func(cmd *cobra.Command, path string) {
			list := flagUsages(cmd.LocalFlags(), p)
			for line := range strings.Lines(list) {
				if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > helpWidth {
					t.Errorf("%s: otisk %s: %d code points in %q", tag, path, n, line)
				}
			}
			var want []string
			for _, r := range flagRows(cmd.LocalFlags(), p) {
				want = append(want, strings.Fields(r.left+" "+r.usage)...)
			}
			if got := strings.Fields(list); !slices.Equal(got, want) {
				t.Errorf("%s: otisk %s: words %q, want %q", tag, path, got, want)
			}
		})
	}
}

// TestPlaceholders: what a user replaces in a command line is named in the language of the help.
func TestPlaceholders(t *testing.T) {
	same := []string{"URL", "INDEX"} // in all languages
	eachCommand(newRootCommand(), func(cmd *cobra.Command, path string) {
		for _, name := range capitals.FindAllString(cmd.Use, -1) {
			if placeholders[name] == "" && !slices.Contains(same, name) {
				t.Errorf("otisk %s: %s has no name in other languages", path, name)
			}
		}
	})
	_, help, _ := typed(t, "move-base", "--help", "--lang", "cs")
	_, _, missing := typed(t, "search", "--lang", "cs")
	if !strings.Contains(help, "otisk move-base [přepínače] ZÁKLAD SLOŽKA") || !strings.Contains(missing, "aspoň 1 CESTA") {
		t.Errorf("help in Czech:\n%s\nwithout an argument: %s", help, missing)
	}
}

package main

import (
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/otisk/otisk/lang"
)

func langFlag(root *cobra.Command) {
	root.PersistentFlags().String("lang", "", "`language` of reports and messages: cs, de, en or sk (default: language of the system, else en)")
	root.PersistentPreRunE = func(cmd *cobra.Command, args []string) error {
		p, err := languageOf(cmd)
		if v, ok := cmd.ErrOrStderr().(*voice); ok && err == nil {
			v.lang = p
		}
		if err != nil {
			return err
		}
		if err := filled(cmd, args); err != nil {
			return err
		}
		return exclusive(cmd)
	}
}

// A voice is the standard error output with the language of its messages. Until the flags are
// parsed, the language is that of --lang anywhere in the arguments, or else of the system.
type voice struct {
	io.Writer
	lang *lang.Printer
}

func newVoice(w io.Writer, args []string) *voice {
	p, err := lang.Choose(typedLanguage(args), os.Getenv)
	if err != nil {
		p = lang.Of("en")
	}
	return &voice{w, p}
}

// typedLanguage returns the value of --lang before the flags are parsed, so that errors about
// other flags are translated, too.
func typedLanguage(args []string) string {
	for i, a := range args {
		if value, ok := strings.CutPrefix(a, "--lang="); ok {
			return value
		}
		if a == "--lang" && i+1 < len(args) {
			return args[i+1]
		}
	}
	return ""
}

// printerOf returns the printer for messages on w: English unless w is a voice.
func printerOf(w io.Writer) *lang.Printer {
	if v, ok := w.(*voice); ok {
		return v.lang
	}
	return lang.Of("en")
}

func languageOf(cmd *cobra.Command) (*lang.Printer, error) {
	name, err := cmd.Flags().GetString("lang")
	if err != nil {
		return nil, err
	}
	p, err := lang.Choose(name, os.Getenv)
	if err != nil {
		return nil, misuse("usage.unknown-language", "name", strconv.Quote(name), "languages", strings.Join(lang.Tags(), ", "))
	}
	return p, nil
}

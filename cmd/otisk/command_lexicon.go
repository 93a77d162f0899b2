package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/internal/oserror"
	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/language"
	"github.com/otisk/otisk/lexicon"
)

func newLexiconCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "lexicon COMMAND", Args: cobra.ArbitraryArgs, RunE: helpOnly}
	cmd.AddCommand(newLexiconAddCommand(), newLexiconListCommand(), newLexiconRemoveCommand())
	return cmd
}

func newLexiconAddCommand() *cobra.Command {
	pair := ""
	cmd := &cobra.Command{
		Use:     "add [flags] FILE|PAIR...",
		Example: "  otisk lexicon add eng-ces.tei\n  otisk lexicon add --languages en-cs words.tsv\n  otisk lexicon add en-de",
		Args:    atLeastOne(lang.NewMessage("usage.or", "first", placeholder("FILE"), "last", placeholder("PAIR"))),
		RunE:    func(cmd *cobra.Command, args []string) error { return runLexiconAdd(cmd, pair, args) },
	}
	cmd.Flags().StringVar(&pair, "languages", "", "the two `languages` of the dictionary, such as en-cs (default: from the file name)")
	return cmd
}

var languagePair = regexp.MustCompile(`^([A-Za-z]{2,3})-([A-Za-z]{2,3})$`)

// parsePair returns the languages of a pair such as en-cs, of which at least one is known.
func parsePair(typed string) (from, to string, ok bool) {
	if !languagePair.MatchString(typed) {
		return "", "", false
	}
	return lexicon.PairOf(typed)
}

func runLexiconAdd(cmd *cobra.Command, pair string, args []string) error {
	from, to := "", ""
	if pair != "" {
		var ok bool
		if from, to, ok = parsePair(pair); !ok {
			return misuse("usage.want", "what", "--languages "+pair, "wanted", lang.NewMessage("usage.languages"))
		}
	}
	shelf, err := lexicon.Default()
	if err != nil {
		return err
	}
	for _, arg := range args {
		if a, b, ok := parsePair(arg); ok && !isThere(arg) {
			err = addInstalled(cmd, shelf, a, b)
		} else {
			var l *lexicon.Lexicon
			if l, err = lexicon.Read(cmd.Context(), arg, from, to); err == nil {
				err = addLexicon(cmd, shelf, l)
			}
		}
		var missing *fs.PathError // arg, or another file of the dictionary
		switch {
		case errors.Is(err, lexicon.ErrLanguages):
			return hintedError{err, lang.NewMessage("hint.languages")}
		case errors.Is(err, fs.ErrNotExist) && errors.As(err, &missing):
			return about(missing.Path, oserror.Cause(err))
		case err != nil:
			return err
		}
	}
	return nil
}

func isThere(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func addLexicon(cmd *cobra.Command, shelf *lexicon.Shelf, l *lexicon.Lexicon) error {
	if err := shelf.Add(l); err != nil {
		return err
	}
	p := printerOf(cmd.ErrOrStderr())
	fmt.Fprintln(cmd.OutOrStdout(), p.Text("terminal.lexicon-added", "n", len(l.Pairs), "name", printable(l.Name), "languages", l.From+"-"+l.To))
	return nil
}

// addInstalled adds the installed dictionaries of two languages, in both directions.
func addInstalled(cmd *cobra.Command, shelf *lexicon.Shelf, a, b string) error {
	items, err := shelf.Items()
	if err != nil {
		return err
	}
	found := false
	for _, item := range items {
		if !(item.From == a && item.To == b || item.From == b && item.To == a) {
			continue
		}
		found = true
		if item.Added {
			continue
		}
		l, err := shelf.Open(cmd.Context(), item)
		if err == nil {
			err = addLexicon(cmd, shelf, l)
		}
		if err != nil {
			return err
		}
	}
	if !found {
		return hintedError{lang.NewMessage("error.no-dictionary", "languages", a+"-"+b), lang.NewMessage("hint.dictionary", "packages", packagesOf(a, b))}
	}
	return nil
}

// packagesOf returns the names of the Debian packages that may have dictionaries of two
// languages.
func packagesOf(a, b string) string {
	code := func(c string) string {
		if l := language.Of(c); l != nil {
			return l.ISO3
		}
		return c
	}
	a, b = code(a), code(b)
	return "dict-freedict-" + a + "-" + b + ", dict-freedict-" + b + "-" + a
}

func newLexiconListCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Example: "  otisk lexicon list",
		Args:    noArguments,
		RunE:    func(cmd *cobra.Command, args []string) error { return runLexiconList(cmd) },
	}
}

func runLexiconList(cmd *cobra.Command) error {
	shelf, err := lexicon.Default()
	if err != nil {
		return err
	}
	items, err := shelf.Items()
	if err != nil {
		return err
	}
	if len(items) == 0 {
		fmt.Fprintln(cmd.ErrOrStderr(), printerOf(cmd.ErrOrStderr()).Text("terminal.no-lexica"))
	}
	failed := 0
	for _, item := range items {
		l, err := shelf.Open(cmd.Context(), item)
		if err != nil {
			if cmd.Context().Err() != nil {
				return err
			}
			failed++
			warn(cmd, err)
			continue
		}
		fmt.Fprintf(cmd.OutOrStdout(), "%s\t%s-%s\t%d\t%s\n", printable(item.Name), item.From, item.To, len(l.Pairs), printable(item.Path))
	}
	if failed > 0 {
		return skippedError{failed, len(items), "error.skipped-lexica"}
	}
	return nil
}

func newLexiconRemoveCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "remove NAME...",
		Example: "  otisk lexicon remove words\n  otisk lexicon remove words.en-cs",
		Args:    atLeastOne(placeholder("NAME")),
		RunE:    func(_ *cobra.Command, args []string) error { return runLexiconRemove(args) },
	}
}

func runLexiconRemove(names []string) error {
	shelf, err := lexicon.Default()
	if err != nil {
		return err
	}
	items, err := shelf.Items()
	if err != nil {
		return err
	}
	var chosen []lexicon.Item
	for _, name := range names {
		found := slices.DeleteFunc(slices.Clone(items), func(i lexicon.Item) bool {
			return name != i.Name && name != i.Name+"."+i.From+"-"+i.To
		})
		switch len(found) {
		case 0:
			return misuse("usage.no-lexicon", "name", name)
		case 1:
			chosen = append(chosen, found[0])
		default:
			return misuse("usage.several-lexica", "name", name, "names", listed(found))
		}
	}
	for _, item := range chosen {
		if err := shelf.Remove(item); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

func listed(items []lexicon.Item) string {
	names := lists.Map(items, func(i lexicon.Item) string { return i.Name + "." + i.From + "-" + i.To })
	return strings.Join(names, ", ")
}

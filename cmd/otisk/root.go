package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/otisk/otisk/config"
	"github.com/otisk/otisk/internal/project"
	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/search"
)

// globalOptions hold the flags that all commands share.
type globalOptions struct {
	config    string // path of the settings
	encoding  string // encoding of text files
	frames    string // value of --boilerplate: "", keep or strip
	projects  string // where several source files are one document
	field, id string // fields of JSON Lines with the text and with the name
	index     string // folder of the embedded index, or name in the cluster
	ocr       string // languages of text in scans
	quiet     bool   // print no progress and no notes

	settings *config.Settings // used instead of those of a file; nil to read the file
}

func newRootCommand() *cobra.Command {
	g := &globalOptions{}
	old := &oldOptions{index: newIndexOptions(), search: newSearchOptions()}
	cmd := &cobra.Command{
		Use: "otisk COMMAND",
		Example: `  otisk index theses/
  otisk search new-thesis.txt --format html -o report/`,
		Args:          cobra.ArbitraryArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(cmd *cobra.Command, args []string) error {
			return old.run(cmd, g, args)
		},
	}
	cmd.SetFlagErrorFunc(flagError)
	cmd.SetHelpCommand(newHelpCommand())
	cmd.Version = project.Built().String()
	cmd.SetVersionTemplate("{{.Version}}\n")
	p := cmd.PersistentFlags()
	p.StringVar(&g.config, "config", "", "`file` of settings (default: config.xml, if it exists)")
	p.StringVar(&g.index, "index", "", "`index`: a folder, or its name or address in a cluster (default: from the settings, else otisk.index)")
	p.StringVar(&g.encoding, "encoding", "", "`encoding` of text files, such as windows-1250 (default: detected for each file)")
	p.StringVar(&g.frames, "boilerplate", "", "`mode` for navigation, cookie bars and footers of web pages: keep or strip (default: from the settings, else keep; in web archives, the article of a page)")
	p.StringVar(&g.projects, "projects", "", "`mode` for a thesis in several files (LaTeX, Typst, Quarto, bookdown, mdBook, master documents): archives reads an archive as one document, folders also a folder, none reads each file (default: archives)")
	p.StringVar(&g.field, "field", "", "`field` of JSON Lines, or column of a table, with the text (default: text)")
	p.StringVar(&g.id, "id", "", "`field` of JSON Lines, or column of a table, with the name of the document (default: id, else url)")
	p.StringVar(&g.ocr, "ocr", "", "`languages` of text in scans, such as ces+eng: pages without text are recognized by an installed tesseract; none disables it (default: from the settings, else none)")
	p.BoolVarP(&g.quiet, "quiet", "q", false, "print no progress, only results and errors")
	langFlag(cmd)
	old.flags(cmd.Flags())
	cmd.AddCommand(
		newIndexCommand(g), newWatchCommand(g), newHarvestCommand(g), newSearchCommand(g), newCompareCommand(g), newReportCommand(g),
		newTextCommand(g), newDocsCommand(g), newNgramsCommand(g), newInfoCommand(g), newVerifyCommand(g),
		newDeleteCommand(g), newLabelCommand(g), newMoveBaseCommand(g), newCleanCommand(g), newCopyCommand(g), newUpgradeCommand(g),
		newReshardCommand(g), newAdoptCommand(g), newCorpusCommand(g), newCrawlCommand(g), newServeCommand(g), newCheckCommand(g), newWorkerCommand(g), newLexiconCommand(), newDemoCommand(g), newDoctorCommand(g), newVersionCommand(), newManCommand(),
	)
	addCompletion(cmd)
	return cmd
}

// atLeastOne rejects a command line without arguments. The parameter what is their name in the help.
func atLeastOne(what lang.Message) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return withHelp(cmd, misuse("usage.at-least", "command", cmd.Name(), "n", 1, "what", what))
		}
		return nil
	}
}

func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return withHelp(cmd, misuse("usage.takes-none", "command", cmd.Name(), "n", len(args)))
	}
	return nil
}

// exactly rejects any other number of arguments than count. what describes them.
func exactly(count int, what lang.Message) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != count {
			return withHelp(cmd, misuse("usage.takes", "command", cmd.Name(), "what", what, "n", len(args)))
		}
		return nil
	}
}

// checkSize rejects an n-gram length outside 1 to 100.
func checkSize(n int) error {
	const longest = 100
	if n < 1 || n > longest {
		return misuse("usage.gram-words", "typed", strconv.Itoa(n), "most", longest)
	}
	return nil
}

func warn(cmd *cobra.Command, err error) { warnTo(cmd.ErrOrStderr(), err) }

func warnTo(w io.Writer, err error) {
	p := printerOf(w)
	printLine(w, p.Text("terminal.warning"), p.Err(err))
}

func warnAbout(w io.Writer, name string, err error) {
	p := printerOf(w)
	printLine(w, p.Text("terminal.warning"), name+": "+reasonOf(p, err))
}

func noteAbout(w io.Writer, path string, note error) {
	p := printerOf(w)
	printLine(w, p.Text("terminal.warning"), path+": "+noteOf(p, note))
}

func printLine(w io.Writer, kind, text string) {
	fmt.Fprintf(w, "otisk: %s: %s\n", kind, printable(text))
}

// warnUnread warns about files that cannot be used, with the reasons of a result.
func warnUnread(w io.Writer, list []search.Unread) {
	p := printerOf(w)
	said := slices.Clone(list)
	for i := range said {
		said[i].Reason = p.Stored(list[i].Reason, list[i].Message) + textAdvice(list[i].Reason, p)
	}
	warnTogether(w, said, "terminal.files")
}

// warnTogether warns about files, with reasons in the language of the messages. Files with the
// same reason are on one line, after a message with their number.
func warnTogether(w io.Writer, list []search.Unread, message string) {
	p := printerOf(w)
	var reasons []string
	files := map[string][]string{}
	for _, u := range list {
		if files[u.Reason] == nil {
			reasons = append(reasons, u.Reason)
		}
		files[u.Reason] = append(files[u.Reason], u.Path)
	}
	for _, reason := range reasons {
		if named := files[reason]; len(named) > 1 {
			text := p.Text(message, "n", len(named)) + ": " + reason + ": " + strings.Join(named, ", ")
			printLine(w, p.Text("terminal.warning"), text)
		} else {
			printLine(w, p.Text("terminal.warning"), named[0]+": "+reason)
		}
	}
}

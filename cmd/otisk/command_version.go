package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/otisk/otisk/lang"
)

// release is the version of the program.
const release = "0.1.0"

func version() string { return release }

// versionLine returns the line that otisk version and --version print.
func versionLine() string {
	return fmt.Sprintf("otisk %s (%s, %s/%s)", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

func newVersionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: "  otisk version",
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(cmd.OutOrStdout(), versionLine())
			return err
		},
	}
}

func newManCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "man FOLDER",
		Short: "Write the manual pages into a folder",
		Long: `Write a manual page for each command into a folder, for man(1): otisk.1,
otisk-index.1 and so on.`,
		Example: "  otisk man /usr/local/share/man/man1",
		Args:    exactly(1, lang.Say("usage.a-folder")),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o777); err != nil {
				return lang.Say("error.manual", "cause", err)
			}
			return writeManual(cmd.Root(), args[0], printerOf(cmd.ErrOrStderr()))
		},
	}
}

// manualHeadings are the headings of manual pages as the generator writes them, and the
// messages with their translations.
var manualHeadings = [][2]string{
	{"NAME", "help.man-name"}, {"SYNOPSIS", "help.man-synopsis"}, {"DESCRIPTION", "help.man-description"}, {"OPTIONS", "help.man-options"},
	{"OPTIONS INHERITED FROM PARENT COMMANDS", "help.man-inherited"}, {"EXAMPLE", "help.man-example"}, {"SEE ALSO", "help.man-see-also"},
}

// writeManual writes the pages of cmd and of the commands below it into dir.
func writeManual(cmd *cobra.Command, dir string, p *lang.Printer) error {
	cmd.DisableAutoGenTag = true
	date := time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
	header := &doc.GenManHeader{Title: "OTISK", Section: "1", Source: "otisk " + version(), Date: &date}
	var page bytes.Buffer
	if err := doc.GenMan(cmd, header, &page); err != nil {
		return lang.Say("error.manual", "cause", err)
	}
	text := page.String()
	for _, h := range manualHeadings {
		text = strings.Replace(text, ".SH "+h[0]+"\n", ".SH "+p.Text(h[1])+"\n", 1)
	}
	name := strings.ReplaceAll(cmd.CommandPath(), " ", "-") + ".1"
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
		return lang.Say("error.manual", "cause", err)
	}
	for _, below := range cmd.Commands() {
		if !below.IsAvailableCommand() && below.Name() != "help" {
			continue
		}
		if err := writeManual(below, dir, p); err != nil {
			return err
		}
	}
	return nil
}

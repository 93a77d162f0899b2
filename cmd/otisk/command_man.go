package main

import (
	"cmp"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/otisk/otisk/internal/oserror"
	"github.com/otisk/otisk/internal/project"
	"github.com/otisk/otisk/internal/replace"
	"github.com/otisk/otisk/lang"
)

func newManCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "man FOLDER",
		Example: "  otisk man /usr/local/share/man/man1",
		Args:    exactly(1, lang.NewMessage("usage.a-folder")),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o777); err != nil {
				return lang.NewMessage("error.manual", "cause", err)
			}
			p := printerOf(cmd.ErrOrStderr())
			localize(cmd.Root(), p)
			return writeManual(cmd.Root(), args[0], p)
		},
	}
}

func writeManual(cmd *cobra.Command, dir string, p *lang.Printer) error {
	path := filepath.Join(dir, pageName(cmd)+".1")
	err := replace.File(path, 0o644, false, func(w io.Writer) error {
		_, err := io.WriteString(w, manualPage(cmd, project.Built(), p))
		return err
	})
	if err != nil {
		return lang.NewMessage("error.manual", "cause", lang.NewMessage("error.write", "file", path, "cause", oserror.Cause(err)))
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

func pageName(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

func manualPage(cmd *cobra.Command, b project.Build, p *lang.Printer) string {
	var page strings.Builder
	date := ""
	if !b.Time.IsZero() {
		date = b.Time.UTC().Format(time.DateOnly)
	}
	page.WriteString(`.TH "` + roff(strings.ToUpper(pageName(cmd))) + `" 1 "` + date + `" "` + roff("otisk "+b.Version) + "\"\n.nh\n.ad l\n")
	section := func(message, text string) {
		page.WriteString(".SH " + roff(p.Text(message)) + "\n" + text)
	}
	section("help.man-name", roff(pageName(cmd))+` \- `+roff(cmd.Short)+"\n")
	section("help.man-synopsis", `\fB`+roff(cmd.UseLine())+"\\fR\n")
	about := cmp.Or(cmd.Long, cmd.Short+".")
	section("help.man-description", paragraphs(about))
	if cmd.HasAvailableLocalFlags() {
		section("help.man-options", options(cmd.LocalFlags(), p))
	}
	if cmd.HasAvailableInheritedFlags() {
		section("help.man-inherited", options(cmd.InheritedFlags(), p))
	}
	if cmd.HasExample() {
		section("help.man-example", paragraphs(cmd.Example))
	}
	if list := seeAlso(cmd); len(list) > 0 {
		section("help.man-see-also", strings.Join(list, ",\n")+"\n")
	}
	return page.String()
}

func seeAlso(cmd *cobra.Command) (list []string) {
	near := cmd.Commands()
	if cmd.HasParent() {
		near = append([]*cobra.Command{cmd.Parent()}, near...)
	}
	for _, c := range near {
		if c.IsAvailableCommand() || c == cmd.Parent() {
			list = append(list, `\fB`+roff(pageName(c))+`\fR(1)`)
		}
	}
	return list
}

func options(flags *pflag.FlagSet, p *lang.Printer) string {
	var b strings.Builder
	for _, row := range flagRows(flags, p) {
		words := strings.Fields(row.left)
		for i, word := range words {
			font := `\fI`
			if strings.HasPrefix(word, "-") {
				font = `\fB`
			}
			words[i] = font + roff(word) + `\fR`
		}
		b.WriteString(".TP\n" + strings.Join(words, " ") + "\n" + roff(row.usage) + "\n")
	}
	return b.String()
}

// paragraphs returns a help text: paragraphs are filled, indented lines are kept as they are, and
// a line in capitals, such as EXIT STATUS, is a heading.
func paragraphs(text string) string {
	var b strings.Builder
	for i, paragraph := range strings.Split(strings.Trim(text, "\n"), "\n\n") {
		lines := strings.Split(paragraph, "\n")
		if heading := lines[0]; heading == strings.ToUpper(heading) && strings.IndexFunc(heading, unicode.IsLetter) == 0 {
			b.WriteString(".SH " + roff(heading) + "\n")
			lines = lines[1:]
		} else if i > 0 {
			b.WriteString(".PP\n")
		}
		kept := false
		for _, line := range lines {
			if indented := strings.HasPrefix(line, "  "); indented != kept {
				kept = indented
				b.WriteString(map[bool]string{true: ".nf\n", false: ".fi\n"}[kept])
			}
			b.WriteString(roff(strings.TrimPrefix(line, "  ")) + "\n")
		}
		if kept {
			b.WriteString(".fi\n")
		}
	}
	return b.String()
}

// roff escapes a line: backslashes, hyphens that are to stay ASCII, and a first character that
// would start a request.
func roff(line string) string {
	line = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(line)
	if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
		line = `\&` + line
	}
	return line
}

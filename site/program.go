package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// A program is otisk in one language, with a working directory.
type program struct{ path, tag, dir string }

// run runs a command line and returns its output, with messages and results in the order of a terminal.
func (p program) run(ctx context.Context, args ...string) (string, error) {
	if err := os.MkdirAll(p.dir, 0o755); err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, p.path, append(args, "--lang", p.tag)...)
	cmd.Dir = p.dir
	said, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("otisk %s: %w\n%s", strings.Join(args, " "), err, said)
	}
	return string(said), nil
}

// block matches a block of command lines to run.
var block = regexp.MustCompile("(?ms)^```run\n(.*?)^```$")

// tour runs the command lines of the blocks "run" in a page, in their order, and inserts their output.
func (p program) tour(ctx context.Context, page string) error {
	text, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	var failed error
	text = block.ReplaceAllFunc(text, func(b []byte) []byte {
		out := bytes.NewBufferString("```console\n")
		for line := range strings.Lines(string(block.FindSubmatch(b)[1])) {
			args := strings.Fields(line)
			if failed != nil {
				break
			}
			if args[0] != "otisk" {
				failed = fmt.Errorf("%s: %q is not a command of otisk", page, line)
				break
			}
			var said string
			said, failed = p.run(ctx, args[1:]...)
			fmt.Fprintf(out, "$ %s%s", line, said)
		}
		return append(out.Bytes(), "```"...)
	})
	if failed != nil {
		return failed
	}
	return os.WriteFile(page, text, 0o644)
}

// commands writes a page with the help of each command, and the page that lists them, with the help of the program.
func (p program) commands(ctx context.Context, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	help, err := p.run(ctx, "--help")
	if err != nil {
		return err
	}
	titles := map[string]string{"en": "Commands", "cs": "Příkazy", "sk": "Príkazy", "de": "Befehle"}
	if err := writePage(filepath.Join(dir, "_index.md"), titles[p.tag], "", help); err != nil {
		return err
	}
	return p.below(ctx, dir)
}

// below writes the pages of the commands below a command, by the list that completion prints.
func (p program) below(ctx context.Context, dir string, path ...string) error {
	list, err := exec.CommandContext(ctx, p.path, append(append([]string{"__complete"}, path...), "--lang", p.tag, "")...).Output()
	if err != nil {
		return fmt.Errorf("list the commands below %v: %w", path, err)
	}
	for row := range strings.Lines(string(list)) {
		name, short, ok := strings.Cut(strings.TrimSpace(row), "\t")
		if !ok {
			continue
		}
		command := append(path[:len(path):len(path)], name)
		help, err := p.run(ctx, append(command, "--help")...)
		if err != nil {
			return err
		}
		title := "otisk " + strings.Join(command, " ")
		if err := writePage(filepath.Join(dir, "otisk-"+strings.Join(command, "-")+".md"), title, short, help); err != nil {
			return err
		}
		if len(path) == 0 {
			if err := p.below(ctx, dir, name); err != nil {
				return err
			}
		}
	}
	return nil
}

// writePage writes a page that shows text verbatim.
func writePage(path, title, description, text string) error {
	return os.WriteFile(path, fmt.Appendf(nil, "---\ntitle: %q\ndescription: %q\n---\n\n~~~text\n%s~~~\n", title, description, text), 0o644)
}

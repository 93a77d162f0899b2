package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// TestDocumentedCommandsExist reads each command line that the README, the
// documents and the help show, and parses it as the program would; of one in a
// sentence, which may lack a file, the command and its flags.
func TestDocumentedCommandsExist(t *testing.T) {
	lines := helpExamples(newRootCommand())
	for file, text := range pages(t) {
		lines = append(lines, documentedCommands(filepath.Base(file), text)...)
	}
	if len(lines) < 100 {
		t.Fatalf("only %d documented commands were found", len(lines))
	}
	for _, line := range lines {
		for _, args := range commandsIn(line.text) {
			if err := line.check(args); err != nil {
				t.Errorf("%s: %s: %v", line.where, line.text, err)
			}
		}
	}
}

var (
	pageLink   = regexp.MustCompile(`\]\(([^)#:\s]*)(?:#([^)\s]+))?\)`)
	heading    = regexp.MustCompile(`(?m)^#+ (.+)$`)
	benchName  = regexp.MustCompile("go run \\./([a-z/]+)([^\n`]*)")
	benchWord  = regexp.MustCompile(`^ ([a-z]+)\b|\s--?([a-z-]+)`) // a subcommand or flags
	testRun    = regexp.MustCompile(`go test [^\n]*?-run '?([A-Za-z|\\]+)`)
	makeTarget = regexp.MustCompile("(?:`|    )make ([a-z-]+)")
)

// TestDocumentsNameWhatExists: linked files and headings, programs that are run with
// their subcommands and flags, tests, and targets that are made.
func TestDocumentsNameWhatExists(t *testing.T) {
	makefile, err := os.ReadFile("../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	tests := testNames(t)
	for file, text := range pages(t) {
		for _, link := range pageLink.FindAllStringSubmatch(text, -1) {
			target := file
			if link[1] != "" {
				target = filepath.Join(filepath.Dir(file), link[1])
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s links to %s: %v", file, link[1], err)
			} else if link[2] != "" && !slices.Contains(anchors(t, target), link[2]) {
				t.Errorf("%s links to %s#%s: no such heading", file, link[1], link[2])
			}
		}
		for _, program := range benchName.FindAllStringSubmatch(text, -1) {
			source := sourceOf(t, program[1])
			for _, word := range benchWord.FindAllStringSubmatch(program[2], -1) {
				if name := word[1] + word[2]; !strings.Contains(source, `"`+name+`"`) {
					t.Errorf("%s runs %s%s: %s is neither a subcommand nor a flag of it", file, program[1], program[2], name)
				}
			}
		}
		for _, run := range testRun.FindAllStringSubmatch(text, -1) {
			for name := range strings.SplitSeq(strings.ReplaceAll(run[1], `\`, ""), "|") {
				if name != "xxx" && !strings.Contains(tests, name) {
					t.Errorf("%s runs the test %s, which does not exist", file, name)
				}
			}
		}
		for _, target := range makeTarget.FindAllStringSubmatch(text, -1) {
			if !strings.Contains(string(makefile), "\n"+target[1]+":") {
				t.Errorf("%s: make %s: no such target", file, target[1])
			}
		}
	}
}

// sourceOf returns the Go source of a program in the repository.
func sourceOf(t *testing.T, folder string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("../..", folder, "*.go"))
	if err != nil || len(files) == 0 {
		t.Errorf("%s has no Go files: %v", folder, err)
	}
	var source strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		source.Write(text)
	}
	return source.String()
}

// testNames returns the lines of the repository that declare tests.
func testNames(t *testing.T) string {
	t.Helper()
	var names strings.Builder
	err := filepath.WalkDir("../..", func(path string, _ os.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for line := range strings.Lines(string(text)) {
			if strings.HasPrefix(line, "func Test") {
				names.WriteString(line)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names.String()
}

// notAnchor matches the characters of a heading that its anchor lacks.
var notAnchor = regexp.MustCompile(`[^\pL\pN _-]`)

// anchors returns the anchors of the headings of a page, as GitHub makes them.
func anchors(t *testing.T, file string) (list []string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range heading.FindAllStringSubmatch(string(text), -1) {
		list = append(list, strings.ReplaceAll(notAnchor.ReplaceAllString(strings.ToLower(strings.TrimSpace(m[1])), ""), " ", "-"))
	}
	return list
}

// TestArchitectureNamesWhatExists: each path in docs/ARCHITECTURE.md exists, and each package is
// mentioned there.
func TestArchitectureNamesWhatExists(t *testing.T) {
	text, err := os.ReadFile("../../docs/ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	names, folders := map[string]bool{}, map[string]bool{} // base names of files; folders with Go files
	err = filepath.WalkDir("../..", func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() && strings.HasPrefix(e.Name(), ".") && len(e.Name()) > 2 {
			return cmp.Or(err, filepath.SkipDir)
		}
		names[e.Name()] = true
		if strings.HasSuffix(path, ".go") {
			folders[filepath.ToSlash(filepath.Dir(strings.TrimPrefix(filepath.ToSlash(path), "../../")))] = true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile("`([a-z0-9_/.]+)`").FindAllStringSubmatch(string(text), -1) {
		switch name := m[1]; {
		case strings.HasSuffix(name, ".go") && !strings.Contains(name, "/"):
			if !names[name] {
				t.Errorf("ARCHITECTURE.md names the file %s, which does not exist", name)
			}
		case strings.Contains(name, "/"):
			if _, err := os.Stat(filepath.Join("../..", name)); err != nil {
				t.Errorf("ARCHITECTURE.md names the path %s: %v", name, err)
			}
		}
	}
	for folder := range folders {
		if name := folder[strings.LastIndexByte(folder, '/')+1:]; !strings.Contains(folder, "testdata") && !strings.Contains(string(text), name) {
			t.Errorf("ARCHITECTURE.md does not mention package %s", folder)
		}
	}
}

// pages returns the texts for users, by file.
func pages(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for _, file := range append(files, "../../README.md", "../../CHANGELOG.md", "../../CONTRIBUTING.md", "../../SECURITY.md") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts[file] = string(text)
	}
	return texts
}

// TestCommandsInALine: command lines are split as a shell splits them.
func TestCommandsInALine(t *testing.T) {
	for line, want := range map[string]string{
		`otisk index a/ "b c"   # note`:         "[index a/ b c]",
		`OTISK_X=1 ./otisk docs | wc -l`:        "[docs]",
		`pdftotext t.pdf - | otisk search -`:    "[search -]",
		`otisk docs; otisk search 'x y' >out`:   "[docs] [search x y]",
		`otisk search --where 'year>=2015' a.b`: "[search --where year>=2015 a.b]",
		`cp otisk index`:                        "",
	} {
		var got []string
		for _, args := range commandsIn(line) {
			got = append(got, fmt.Sprint(args))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %v, want %s", line, got, want)
		}
	}
}

// documented is a command line in a text for users, with how its arguments are
// checked.
type documented struct {
	where, text string
	check       func(args []string) error
}

func helpExamples(cmd *cobra.Command) []documented {
	var all []documented
	for line := range strings.Lines(cmd.Example) {
		all = append(all, documented{"help of " + cmd.CommandPath(), strings.TrimSpace(line), parses})
	}
	for _, sub := range cmd.Commands() {
		all = append(all, helpExamples(sub)...)
	}
	return all
}

var quotedCommand = regexp.MustCompile("`(otisk [a-z][^`]*)`")

// documentedCommands returns the command lines of a page: its indented lines, and those quoted
// in its sentences.
func documentedCommands(name, page string) []documented {
	var all []documented
	number := 0
	for line := range strings.Lines(page) {
		number++
		where := fmt.Sprintf("%s:%d", name, number)
		if code, ok := strings.CutPrefix(line, "    "); ok {
			all = append(all, documented{where, strings.TrimSpace(code), parses})
			continue
		}
		for _, quoted := range quotedCommand.FindAllStringSubmatch(line, -1) {
			all = append(all, documented{where, quoted[1], exists})
		}
	}
	return all
}

var shellWord = regexp.MustCompile(`^(?:[^\s'"|;&<>]|'[^']*'|"[^"]*")+`)

// commandsIn returns the arguments of each call of otisk in a line of a shell.
func commandsIn(line string) [][]string {
	var all [][]string
	var words []string
	end := func() {
		for len(words) > 0 && strings.Contains(words[0], "=") { // variables before the command
			words = words[1:]
		}
		if len(words) > 1 && strings.TrimPrefix(words[0], "./") == "otisk" {
			all = append(all, words[1:])
		}
		words = nil
	}
	for line = strings.TrimSpace(line); line != "" && line[0] != '#'; line = strings.TrimLeft(line, " \t") {
		if word := shellWord.FindString(line); word != "" {
			words = append(words, strings.NewReplacer("'", "", `"`, "").Replace(word))
			line = line[len(word):]
			continue
		}
		if strings.ContainsAny(line[:1], "<>") { // from or into a file: no argument
			line = strings.TrimLeft(line[1:], " \t>")
			line = line[len(shellWord.FindString(line)):]
			continue
		}
		end()
		line = line[1:]
	}
	end()
	return all
}

// parses says why a command would refuse these arguments.
func parses(args []string) error {
	cmd, rest, err := commandOf(args)
	if err != nil {
		return err
	}
	if err := cmd.ParseFlags(rest); err != nil && !errors.Is(err, pflag.ErrHelp) {
		return err
	}
	if err := cmd.ValidateArgs(cmd.Flags().Args()); err != nil {
		return err
	}
	return cmd.ValidateFlagGroups()
}

// exists says whether there is no such command, or no such flag.
func exists(args []string) error {
	cmd, rest, err := commandOf(args)
	if err != nil {
		return err
	}
	_ = cmd.ParseFlags(nil) // joins the flags of the commands above
	for _, arg := range rest {
		name, _, _ := strings.Cut(arg, "=")
		if long, ok := strings.CutPrefix(name, "--"); ok && cmd.Flags().Lookup(long) == nil && long != "help" {
			return fmt.Errorf("no flag --%s", long)
		}
	}
	return nil
}

func commandOf(args []string) (*cobra.Command, []string, error) {
	root := newRootCommand()
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	cmd, rest, err := root.Find(args)
	if err == nil && cmd == root && !strings.HasPrefix(args[0], "-") {
		err = fmt.Errorf("no command %q", args[0])
	}
	return cmd, rest, err
}

// Command notice writes NOTICE: the licences of the modules that the program contains on any
// system, found by go-licenses, after the text of own.txt and the licences of the engine that reads PDF. A module
// without a licence is an error. Git ignores the file: whoever makes a package makes it first, in the folder packaging:
//
//	go run ./notice
package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"log"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed own.txt
var own string

// row is the template of go-licenses: a line for each licence of each library.
const row = "{{range .}}{{.Name}}\t{{.Version}}\t{{.LicensePath}}\n{{end}}"

func main() {
	log.SetFlags(0)
	text, err := notice()
	if err == nil {
		err = os.WriteFile("../NOTICE", text, 0o644)
	}
	if err != nil {
		log.Fatal("notice: ", err)
	}
}

// notice returns the text of NOTICE. Libraries with the same licence text are listed together.
func notice() ([]byte, error) {
	root, err := output(nil, "go", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	goroot := strings.TrimSpace(string(root))
	names := map[string][]string{} // by licence text
	license, err := os.ReadFile(filepath.Join(goroot, "LICENSE"))
	if err != nil {
		return nil, err
	}
	names[string(license)] = []string{"Go and its standard library"}
	for _, system := range []string{"linux", "darwin", "windows"} {
		rows, err := libraries(goroot, system)
		if err != nil {
			return nil, err
		}
		for _, fields := range rows {
			text, err := os.ReadFile(fields[2])
			if err != nil {
				return nil, fmt.Errorf("licence of %s: %w", fields[0], err)
			}
			key, name := strings.TrimSpace(string(text)), fields[0]+" "+fields[1]
			if !slices.Contains(names[key], name) {
				names[key] = append(names[key], name)
			}
		}
	}
	var b bytes.Buffer
	engine, err := os.ReadFile("../document/pdf/pdfium.licences.txt")
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(&b, "%s\n%s", own, engine)
	b.WriteString("\nThe program contains these libraries:\n")
	texts := slices.SortedFunc(maps.Keys(names), func(x, y string) int { return strings.Compare(names[x][0], names[y][0]) })
	for _, text := range texts {
		slices.Sort(names[text])
		fmt.Fprintf(&b, "\n%s\n%s\n\n%s\n", strings.Repeat("-", 72), strings.Join(names[text], "\n"), strings.TrimSpace(strings.ReplaceAll(text, "\r", "")))
	}
	return b.Bytes(), nil
}

// libraries returns name, version and licence file of each library of the program on a system.
func libraries(goroot, system string) (rows [][]string, err error) {
	template := filepath.Join(os.TempDir(), fmt.Sprintf("otisk-notice-%d.tpl", os.Getpid()))
	if err := os.WriteFile(template, []byte(row), 0o600); err != nil {
		return nil, err
	}
	defer os.Remove(template)
	// Without GOROOT, a go-licenses built with -trimpath takes all packages for the standard library.
	env := append(os.Environ(), "GOROOT="+goroot, "CGO_ENABLED=0")
	tool, err := output(env, "go", "tool", "-n", "go-licenses")
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(strings.TrimSpace(string(tool)), "report", "./cmd/otisk", "--ignore", "github.com/otisk/otisk", "--template", template)
	cmd.Dir, cmd.Env = "..", append(env, "GOOS="+system)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go-licenses for %s: %w: %s", system, err, &said)
	}
	for line := range strings.Lines(string(out)) {
		if fields := strings.Split(strings.TrimSpace(line), "\t"); len(fields) == 3 {
			rows = append(rows, fields)
		}
	}
	return rows, missing(rows, system)
}

// missing returns an error that names a module of the program of which no library is in rows.
func missing(rows [][]string, system string) error {
	cmd := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}{{end}}{{end}}", "./cmd/otisk")
	cmd.Dir, cmd.Env = "..", append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0")
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("go list for %s: %w", system, err)
	}
	modules := 0
	for line := range strings.Lines(string(out)) {
		path, version, found := strings.Cut(strings.TrimSpace(line), " ")
		if !found {
			continue
		}
		modules++
		if !slices.ContainsFunc(rows, func(row []string) bool { return strings.HasPrefix(row[0], path) && row[1] == version }) {
			return fmt.Errorf("go-licenses found no licence of %s, which the program contains on %s", path, system)
		}
	}
	if modules < 10 {
		return fmt.Errorf("go list for %s lists only %d modules", system, modules)
	}
	return nil
}

// output returns the standard output of a command.
func output(env []string, name string, args ...string) ([]byte, error) {
	cmd := exec.Command(name, args...)
	cmd.Env, cmd.Stderr = env, os.Stderr
	return cmd.Output()
}

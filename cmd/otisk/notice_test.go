package main

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// TestNoticeIsCurrent: NOTICE names each module that the program contains on any system, in its
// present version.
func TestNoticeIsCurrent(t *testing.T) {
	t.Parallel()
	notice, err := os.ReadFile("../../NOTICE")
	if err != nil {
		t.Fatal(err)
	}
	for _, system := range []string{"linux", "darwin", "windows"} {
		cmd := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}{{end}}{{end}}", ".")
		cmd.Env = append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0")
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("go list for %s: %v", system, err)
		}
		modules := map[string]bool{}
		for line := range strings.Lines(string(out)) {
			modules[strings.TrimSpace(line)] = true
		}
		if len(modules) < 10 {
			t.Fatalf("go list for %s found only the modules %v", system, modules)
		}
		for module := range modules {
			path, version, _ := strings.Cut(module, " ")
			if named := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(path) + `[^ \n]* ` + regexp.QuoteMeta(version) + `$`); path != "" && !named.Match(notice) {
				t.Errorf("NOTICE does not name %s, which the program contains on %s: run make notice", module, system)
			}
		}
	}
}

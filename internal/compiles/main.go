// Command compiles type-checks the packages of this module and their tests for other systems,
// and prints the errors. Nothing is compiled: that takes ten times as long, and finds little
// more, because no package of this module has assembly.
//
//	go run ./internal/compiles darwin/arm64 windows/amd64
package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/tools/go/packages"
)

func main() {
	for _, target := range os.Args[1:] {
		if err := check(target); err != nil {
			fmt.Fprintf(os.Stderr, "compiles: %s: %v\n", target, err)
			os.Exit(1)
		}
	}
}

// check prints the errors of all packages of the module for a target such as darwin/arm64.
func check(target string) error {
	system, arch, _ := strings.Cut(target, "/")
	list, err := packages.Load(&packages.Config{
		Mode:  packages.NeedName | packages.NeedImports | packages.NeedDeps | packages.NeedTypes,
		Env:   append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+arch),
		Tests: true,
	}, "./...", "./bench/...")
	if err != nil {
		return err
	}
	if packages.PrintErrors(list) > 0 {
		return errors.New("does not compile")
	}
	return nil
}

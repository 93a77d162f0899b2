// Command engine makes the engine that package document/pdf embeds: PDFium as a WebAssembly module, from the
// module github.com/klippa-app/go-pdfium, whose loops can be stopped and which lacks the code that Otisk does not
// reach. After an update of that module, or of the functions in document/pdf/machine.go, in the folder packaging:
//
//	go run ./engine
package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/andybalholm/brotli"
	_ "github.com/klippa-app/go-pdfium/references" // requires the module that contains the engine
)

// Files in the folder document/pdf.
const (
	namesFile  = "machine.go" // the functions that are called
	packedFile = "pdfium.br"
	sumFile    = "pdfium.sha256" // of the packed module, in hexadecimal
)

func main() {
	log.SetFlags(0)
	const folder = "../document/pdf"
	module, err := engine(folder)
	if err == nil {
		err = write(folder, module)
	}
	if err != nil {
		log.Fatal("engine: ", err)
	}
}

// engine returns the patched module for the package in a folder.
func engine(folder string) ([]byte, error) {
	library, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/klippa-app/go-pdfium").Output()
	if err != nil {
		return nil, fmt.Errorf("find the module of PDFium: %w", err)
	}
	module, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(library)), "internal", "pdfium_wasm", "pdfium.wasm"))
	if err != nil {
		return nil, err
	}
	called, err := functionNames(filepath.Join(folder, namesFile))
	if err != nil {
		return nil, err
	}
	return patched(module, append(called, runtimeNames...))
}

// runtimeNames are the functions that the runtime calls by their names: to start an instance.
var runtimeNames = []string{"_initialize"}

// functionNames returns the values of the variable functionNames in a source file.
func functionNames(source string) (names []string, err error) {
	file, err := parser.ParseFile(token.NewFileSet(), source, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if ok && spec.Names[0].Name == "functionNames" {
			ast.Inspect(spec, func(n ast.Node) bool {
				if text, ok := n.(*ast.BasicLit); ok && text.Kind == token.STRING {
					name, _ := strconv.Unquote(text.Value)
					names = append(names, name)
				}
				return true
			})
		}
		return true
	})
	if len(names) == 0 {
		return nil, fmt.Errorf("%s names no functions", source)
	}
	return names, nil
}

// write writes the packed module and its checksum into a folder.
func write(folder string, module []byte) error {
	var b bytes.Buffer
	w := brotli.NewWriterOptions(&b, brotli.WriterOptions{Quality: brotli.BestCompression, LGWin: 24})
	_, err := w.Write(module)
	if err = errors.Join(err, w.Close()); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, packedFile), b.Bytes(), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, sumFile), fmt.Appendf(nil, "%x\n", sha256.Sum256(b.Bytes())), 0o644)
}

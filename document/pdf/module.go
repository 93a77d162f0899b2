package pdf

import (
	_ "embed"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/andybalholm/brotli"
)

// pdfium is PDFium as a WebAssembly module, packed. packaging/engine makes it from the module of go-pdfium.
// It lacks the code that the functions of functionNames do not reach. A file can be made so that the engine never returns,
// so each loop counts down, and once in 65,536 iterations, some tenths of a millisecond, calls a function that lets Go run
// and traps if an exported variable requests it.
//
//go:embed pdfium.br
var pdfium string

// pdfiumSum is the SHA-256 of pdfium.
//
//go:embed pdfium.sha256
var pdfiumSum string

// The variables that the module exports.
const (
	stopVariable   = "otisk_stop"   // stops the engine once it is not 0
	pausesVariable = "otisk_pauses" // remaining calls of that function: a limit that is the same on every machine
)

var errModule = errors.New("unexpected engine")

// unpacked returns the module.
func unpacked() ([]byte, error) { return io.ReadAll(brotli.NewReader(strings.NewReader(pdfium))) }

// The header of a module, and sections.
const (
	moduleHeader  = 8
	importSection = 2
	codeSection   = 10
)

// sectionOf returns where a section of a module starts, where its content does, and where it ends.
func sectionOf(module []byte, id byte) (start, content, end int) {
	for end = moduleHeader; end < len(module); {
		size, n := binary.Uvarint(module[end+1:])
		start, content = end, end+1+n
		end = content + int(size)
		if module[start] == id {
			break
		}
	}
	return start, content, end
}

// importsOf returns the start of a module up to its imports.
func importsOf(module []byte) []byte {
	_, _, end := sectionOf(module, importSection)
	return module[:end]
}

// emptied returns the module with functions that are empty and have the same types.
func emptied(module []byte) []byte {
	const trap = "\x03\x00\x00\x0B" // three bytes: no local variables; unreachable
	start, content, end := sectionOf(module, codeSection)
	n, size := binary.Uvarint(module[content:])
	code := string(module[content:content+size]) + strings.Repeat(trap, int(n))
	header := binary.AppendUvarint([]byte{codeSection}, uint64(len(code)))
	return slices.Concat(module[:start], header, []byte(code), module[end:])
}

// Package switched has the functions by which the faults that [mutants] compiles into a
// package are enabled, at most one at a time.
//
// The command copies this file into the build of the package under test and calls its
// functions there. The name of a folder in OTISK_MUTANT selects a fault by its number. If tests
// start a program without this variable, it is the folder for temporary files, which tests pass
// on.
//
// [mutants]: https://pkg.go.dev/github.com/otisk/otisk/bench/mutants
package switched

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"sync"
)

var (
	active int    // number of the enabled fault, 0 for none
	reach  string // file that lists the faults whose code is executed, "" for none
	seen   sync.Map
)

func init() {
	folder := os.Getenv("OTISK_MUTANT")
	if folder == "" {
		folder = os.TempDir()
	}
	m := regexp.MustCompile(`^(.*/otisk-mutant-)(reach-)?(\d+)`).FindStringSubmatch(filepath.ToSlash(folder))
	switch {
	case m == nil:
	case m[2] != "":
		reach = m[0] + ".list"
	default:
		active, _ = strconv.Atoi(m[3]) // digits
	}
}

// On reports whether fault k is on.
func On(k int) bool {
	if k == active {
		return true
	}
	if reach != "" {
		mark(k)
	}
	return false
}

// mark appends k to the list of faults whose code is executed, once in each process.
func mark(k int) {
	if _, again := seen.LoadOrStore(k, true); again {
		return
	}
	f, err := os.OpenFile(reach, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err == nil {
		_, err = fmt.Fprintln(f, k) // a short append is atomic
		f.Close()
	}
	if err != nil {
		panic(err)
	}
}

// A Number is any numeric type.
type Number interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr | ~float32 | ~float64
}

// Add returns a + b, and a - b if fault k is on.
func Add[T Number](k int, a, b T) T {
	if On(k) {
		return a - b
	}
	return a + b
}

// Sub returns a - b, and a + b if fault k is on.
func Sub[T Number](k int, a, b T) T {
	if On(k) {
		return a + b
	}
	return a - b
}

// Mul returns a * b, and a / b if fault k is on.
func Mul[T Number](k int, a, b T) T {
	if On(k) {
		return a / b
	}
	return a * b
}

// Quo returns a / b, and a * b if fault k is on.
func Quo[T Number](k int, a, b T) T {
	if On(k) {
		return a * b
	}
	return a / b
}

// Err returns err, and nil if fault k is on.
func Err(k int, err error) error {
	if On(k) {
		return nil
	}
	return err
}

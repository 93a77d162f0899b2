// Package fault turns panics into errors, so that one bad input does not end the
// program.
package fault

import (
	"fmt"
	"path"
	"runtime"
	"strings"
)

// An Error is a recovered panic: a bug of the program.
type Error struct {
	Value any    // of the panic
	Place string // function and line, such as "document/disguise.Undo, disguise.go:61"
}

func (e *Error) Error() string {
	return fmt.Sprintf("a fault of otisk itself (%v, in %s): please report it, with what it was reading", e.Value, e.Place)
}

// Catch recovers a panic and sets err to an [Error]. The function that returns err
// must defer it directly. Locks whose unlocking was not deferred stay locked, so use
// Catch only around code that changes no shared state.
func Catch(err *error) {
	if value := recover(); value != nil {
		*err = &Error{Value: value, Place: place()}
	}
}

const module = "github.com/otisk/otisk/"

// place returns the innermost frame of the panic that is in this module.
func place() string {
	var counters [64]uintptr
	frames := runtime.CallersFrames(counters[:runtime.Callers(3, counters[:])]) // above Catch
	for {
		frame, more := frames.Next()
		if name, ours := strings.CutPrefix(frame.Function, module); ours {
			return fmt.Sprintf("%s, %s:%d", name, path.Base(frame.File), frame.Line)
		}
		if !more {
			return "the libraries"
		}
	}
}

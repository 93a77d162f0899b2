// Package fault keeps a panic from ending the program: what was being worked on
// failed, and the rest goes on.
package fault

import (
	"fmt"
	"path"
	"runtime"
	"strings"
)

// An Error is a fault of the program, whatever it was given.
type Error struct {
	Value any    // of the panic
	Place string // of the code, as document/disguise.Undo, disguise.go:61
}

func (e *Error) Error() string {
	return fmt.Sprintf("a fault of otisk itself (%v, in %s): please report it, with what it was reading", e.Value, e.Place)
}

// Catch makes an [Error] of a panic. It is to be deferred by the function itself that
// returns err. What the function had locked without deferring the unlocking stays
// locked, so it is for work that changes nothing others see.
func Catch(err *error) {
	if value := recover(); value != nil {
		*err = &Error{Value: value, Place: place()}
	}
}

// module is the path of what is ours.
const module = "github.com/otisk/otisk/"

// place returns where our code was that panicked, or that called what did.
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

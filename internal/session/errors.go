package session

import (
	"cmp"
	"strconv"

	"github.com/otisk/otisk/config"
	"github.com/otisk/otisk/lang"
)

// A UsageError is an error in a command line, in the settings, or in the environment.
type UsageError struct{ Err error }

func (e UsageError) Error() string { return e.Err.Error() }

func (e UsageError) Unwrap() error { return e.Err }

func misuse(message string, args ...any) error { return UsageError{lang.NewMessage(message, args...)} }

// A DifferenceError reports that a setting differs from that of the index.
type DifferenceError struct{ Index, Setting, Then, Now string }

// Message returns the error as a message of package lang.
func (e DifferenceError) Message() (string, []any) {
	if e.Setting == config.WordsSetting {
		return "usage.words", []any{"index", e.Index, "was", cmp.Or(e.Then, "0"), "now", e.Now}
	}
	return "usage.settings", []any{"index", e.Index, "name", e.Setting, "then", quotedOrNone(e.Then), "now", quotedOrNone(e.Now)}
}

func (e DifferenceError) Error() string { return lang.English(e) }

// quotedOrNone returns the value of a setting in quotes, or the word none if it is empty.
func quotedOrNone(value string) any {
	if value == "" {
		return lang.NewMessage("usage.none")
	}
	return strconv.Quote(value)
}

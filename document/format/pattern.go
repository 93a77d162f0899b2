package format

import (
	"regexp"
	"sync"
)

// Pattern returns a function that compiles a regular expression on its first call. Most runs
// of the program need few formats, and compiling the expressions of all takes longer than
// printing the help.
func Pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

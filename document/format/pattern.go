package format

import (
	"regexp"
	"sync"
)

// Pattern returns what compiles a regular expression when it is used first. Most runs of
// the program meet few formats, and compiling those of all takes longer than the help.
func Pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

package lang

import (
	"fmt"
	"slices"
	"strings"
)

// Choose returns the printer for the language name. If name is "", it returns the
// printer for the language of the system: the first of the variables LC_ALL,
// LC_MESSAGES and LANG that is set, else the display language of Windows. If the
// system has a language that is not one of [Tags], it returns the English printer.
// If name is not one of them, it returns an error.
func Choose(name string, getenv func(string) string) (*Printer, error) {
	if name == "" {
		return Of(system(getenv)), nil
	}
	if tagOf(name) == "" {
		return nil, fmt.Errorf("unknown language %q: want %s", name, strings.Join(Tags(), ", "))
	}
	return Of(name), nil
}

// system returns the language of the system.
func system(getenv func(string) string) string {
	for _, name := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		if value := getenv(name); value != "" {
			return value
		}
	}
	return platform()
}

// tagOf returns the language tag of a name such as cs, cs-CZ or cs_CZ.UTF-8, ""
// if it is not one of [Tags].
func tagOf(name string) string {
	end := strings.IndexAny(name, "-_.@")
	if end < 0 {
		end = len(name)
	}
	tag := strings.ToLower(name[:end])
	if !slices.Contains(Tags(), tag) {
		return ""
	}
	return tag
}

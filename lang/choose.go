package lang

import (
	"fmt"
	"slices"
	"strings"
)

// Choose returns the printer for the language that the user names, or, if that
// is "", for the language of the system: by the variables LC_ALL, LC_MESSAGES
// and LANG, the first that is set, else what Windows shows its own texts in.
// It is the English one for a system in a language that is not one of [Tags].
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

// tagOf returns the language that a name like cs, cs-CZ or cs_CZ.UTF-8 starts
// with, "" if it is not one of [Tags].
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

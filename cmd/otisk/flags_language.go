package main

import (
	"fmt"
	"slices"

	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/language"
)

const languageUsage = "read only documents in these `languages`, such as cs,sk; unknown for those that are not recognized (default: all)"

func languagesOf(typed []string) (codes []string, err error) {
	for _, t := range typed {
		code := t
		if l := language.Of(t); l != nil {
			code = l.Code
		} else if t != language.Unknown {
			return nil, misuse("usage.want", "what", fmt.Sprintf("--language %q", t), "wanted", lang.NewMessage("usage.language"))
		}
		codes = append(codes, code)
	}
	slices.Sort(codes)
	return slices.Compact(codes), nil
}

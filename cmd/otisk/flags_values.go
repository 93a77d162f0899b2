package main

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/otisk/otisk/config"
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

// A bytesFlag is a flag for a size in bytes, in the syntax of the settings, such as 30GB.
type bytesFlag int64

// String implements pflag.Value. The result is a size that Set accepts.
func (b *bytesFlag) String() string {
	n := int64(*b)
	for _, unit := range []string{"", "KB", "MB"} {
		if n == 0 || n%1024 != 0 {
			return strconv.FormatInt(n, 10) + unit
		}
		n /= 1024
	}
	return strconv.FormatInt(n, 10) + "GB"
}

func (b *bytesFlag) Type() string { return "size" }

func (b *bytesFlag) Set(typed string) error {
	n, err := config.ParseSize(typed)
	*b = bytesFlag(n)
	return err
}

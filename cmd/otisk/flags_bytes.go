package main

import (
	"strconv"

	"github.com/otisk/otisk/config"
)

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

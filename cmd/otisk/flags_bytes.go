package main

import (
	"strconv"

	"github.com/otisk/otisk/config"
)

// A bytesFlag is a flag for a size in bytes, in the syntax of the settings, such as 30GB.
type bytesFlag int64

// String implements pflag.Value.
func (b *bytesFlag) String() string { return strconv.FormatInt(int64(*b), 10) }

// Type implements pflag.Value.
func (b *bytesFlag) Type() string { return "size" }

// Set implements pflag.Value.
func (b *bytesFlag) Set(typed string) error {
	n, err := config.ParseSize(typed)
	*b = bytesFlag(n)
	return err
}

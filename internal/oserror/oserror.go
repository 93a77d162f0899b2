// Package oserror reduces errors of the operating system to their cause.
package oserror

import (
	"errors"
	"io/fs"
	"os"
)

// Cause removes the path and the system call from an error of package os. The caller
// adds the file's name, so that the message has it once and in the user's words.
func Cause(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	var call *os.SyscallError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	case errors.As(err, &call):
		return call.Err
	}
	return err
}

// Package oserror says what the system said, without the name of the call.
package oserror

import (
	"errors"
	"io/fs"
	"os"
)

// Cause drops the path and the system call from an error of package os: who
// passes it on names the file in the user's words, and once.
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

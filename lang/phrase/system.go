package phrase

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"slices"
	"syscall"
)

// systemErrors are the messages of errors of the system.
var systemErrors = []struct {
	err     error
	message string
}{
	{fs.ErrNotExist, "system.no-such"}, {fs.ErrPermission, "system.denied"}, {fs.ErrExist, "system.exists"},
	{syscall.ENOTDIR, "system.no-folder"}, {syscall.EISDIR, "system.folder"}, {syscall.ENOSPC, "system.full"}, {syscall.EDQUOT, "system.quota"},
	{syscall.EROFS, "system.read-only"}, {syscall.EMFILE, "system.open-files"}, {syscall.EIO, "system.device"},
	{syscall.ENAMETOOLONG, "system.long-name"}, {syscall.EINVAL, "system.invalid"}, {syscall.ECONNREFUSED, "system.refused"},
	{io.ErrUnexpectedEOF, "system.cut-off"}, {io.EOF, "system.end"}, {context.Canceled, "system.interrupted"}, {context.DeadlineExceeded, "system.time"},
}

// System returns the name of the message of an error of the system, "" for other errors.
func System(err error) string {
	for _, s := range systemErrors {
		if errors.Is(err, s.err) {
			return s.message
		}
	}
	return ""
}

// Wrapped returns the errors that err wraps, but for those without a text.
func Wrapped(err error) (list []error) {
	switch e := err.(type) {
	case interface{ Unwrap() error }:
		list = []error{e.Unwrap()}
	case interface{ Unwrap() []error }:
		list = e.Unwrap()
	}
	return slices.DeleteFunc(list, func(err error) bool { return err == nil || err.Error() == "" })
}

//go:build !linux || !amd64

package onefault

import (
	"errors"
	"os/exec"
)

// Supported reports whether [Fault.Run] works on this system.
const Supported = false

// Run is not supported on this system.
func (f Fault) Run(*exec.Cmd) (Result, error) {
	return Result{}, errors.ErrUnsupported
}

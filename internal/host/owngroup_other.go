//go:build !unix

package host

import "os/exec"

// OwnGroup does nothing: on this system a kill ends the process alone.
func OwnGroup(*exec.Cmd) {}

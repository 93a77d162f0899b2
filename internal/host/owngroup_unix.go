//go:build unix

package host

import (
	"os/exec"
	"syscall"
)

// OwnGroup lets a command run in a new process group, so that the end of its context also kills the processes that it
// started, such as the one in which LibreOffice works.
func OwnGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

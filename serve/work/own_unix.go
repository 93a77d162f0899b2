//go:build unix

package work

import (
	"os/exec"
	"syscall"
)

// own puts the process into a group of its own, which a kill ends with all processes that it
// started, such as tesseract.
func own(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

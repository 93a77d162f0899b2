//go:build unix

package work

import (
	"os/exec"
	"syscall"
)

// yield is the niceness of worker processes.
const yield = 10

// lower lets the processes of the group of a worker yield to others: pages of the server stay quick while
// all processors are busy. The group has all threads, which a process alone would not have on Linux.
func lower(cmd *exec.Cmd) { _ = syscall.Setpriority(syscall.PRIO_PGRP, cmd.Process.Pid, yield) } // it may have ended

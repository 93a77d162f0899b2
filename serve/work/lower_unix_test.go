//go:build unix

package work

import (
	"os/exec"
	"syscall"
	"testing"

	"github.com/otisk/otisk/internal/host"
)

// TestLower: a worker process yields to the server.
func TestLower(t *testing.T) {
	t.Parallel()
	cmd := exec.Command("sleep", "60")
	host.OwnGroup(cmd)
	cmd.Cancel = nil // as without a context
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}()
	lower(cmd)
	// Linux returns 20 less the niceness, which is the same number here.
	if got, err := syscall.Getpriority(syscall.PRIO_PROCESS, cmd.Process.Pid); err != nil || got != yield {
		t.Errorf("the niceness of the process is %d, %v, want %d", got, err, yield)
	}
}

//go:build unix

package host

import (
	"context"
	"errors"
	"os/exec"
	"testing"
	"time"
)

// TestRun: the last line that a program printed is returned, and the end of the context, with its cause, also ends what
// the program started, which would keep its output open.
func TestRun(t *testing.T) {
	t.Parallel()
	line, err := Run(t.Context(), exec.CommandContext(t.Context(), "sh", "-c", "echo one; echo two >&2; exit 3"))
	if line != ": two" || err == nil || err.Error() != "exit status 3" {
		t.Errorf("a program that fails = %q, %v", line, err)
	}
	slow := errors.New("slow")
	ctx, cancel := context.WithTimeoutCause(t.Context(), 200*time.Millisecond, slow)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", "sleep 60 & wait")
	OwnGroup(cmd)
	begin := time.Now()
	if _, err := Run(ctx, cmd); !errors.Is(err, slow) || time.Since(begin) >= outputTime {
		t.Errorf("a program that starts another = %v in %v, want %v before %v", err, time.Since(begin), slow, outputTime)
	}
}

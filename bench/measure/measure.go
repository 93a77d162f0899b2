// Package measure tells what a program took of the machine.
package measure

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"time"
)

// A Cost is what one run of a program took.
type Cost struct {
	Wall time.Duration // by the clock
	CPU  time.Duration // of the processors, in the program and in the kernel for it
}

// Run runs a program to its end. What it prints is part of the error when it
// fails, and dropped otherwise.
func Run(ctx context.Context, program string, args ...string) (Cost, error) {
	cmd := exec.CommandContext(ctx, program, args...)
	var out bytes.Buffer
	cmd.Stderr = &out
	start := time.Now()
	if err := cmd.Run(); err != nil {
		return Cost{}, fmt.Errorf("%s: %w: %s", program, err, out.String())
	}
	return Cost{time.Since(start), cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()}, nil
}

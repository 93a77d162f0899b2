// Package measure runs programs and measures their time and memory.
package measure

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// A Cost is what one run of a program took.
type Cost struct {
	Wall time.Duration // by the clock
	CPU  time.Duration // of the processors, in the program and in the kernel for it

	// Memory that it had at its peak, in bytes: all, and what is its own, which
	// the pages of files are not. 0 where the system does not say.
	Resident, Own int64
}

// Run runs a program to its end. If it fails, its output is part of the error.
func Run(ctx context.Context, program string, args ...string) (Cost, error) {
	return RunTo(ctx, nil, program, args...)
}

// RunTo does the same; what the program prints as its result goes to out.
func RunTo(ctx context.Context, out io.Writer, program string, args ...string) (Cost, error) {
	cmd := exec.CommandContext(ctx, program, args...)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = out, &said
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return Cost{}, fmt.Errorf("%s: %w", program, err)
	}
	memory, done := make(chan Cost), make(chan bool)
	go watch(cmd.Process.Pid, done, memory)
	err := cmd.Wait()
	c := Cost{Wall: time.Since(start), CPU: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()}
	close(done)
	peak := <-memory
	c.Resident, c.Own = peak.Resident, peak.Own
	if err != nil {
		return c, fmt.Errorf("%s: %w: %s", program, err, said.String())
	}
	return c, nil
}

// watch looks at the memory of a process every so often, until done is closed,
// and sends the peaks.
func watch(pid int, done <-chan bool, memory chan<- Cost) {
	var peak Cost
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-done:
			memory <- peak
			return
		case <-tick.C:
			status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
			if err != nil {
				continue
			}
			peak.Resident = max(peak.Resident, kilobytes(string(status), "VmHWM:"))
			peak.Own = max(peak.Own, kilobytes(string(status), "RssAnon:"))
		}
	}
}

// kilobytes returns a value of the status of a process, in bytes.
func kilobytes(status, name string) (bytes int64) {
	_, value, _ := strings.Cut(status, name)
	if _, err := fmt.Sscan(value, &bytes); err != nil {
		return 0
	}
	return bytes << 10
}

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

// A Cost is the resources that one run of a program used.
type Cost struct {
	Wall time.Duration // by the clock
	CPU  time.Duration // processor time, user and system

	// Peak memory in bytes: in all, and without the pages of files. 0 if the system
	// does not report it.
	Resident, Own int64
}

// Run runs a program. If it fails, its output is part of the error.
func Run(ctx context.Context, program string, args ...string) (Cost, error) {
	return RunTo(ctx, nil, program, args...)
}

// RunTo does the same, and copies the standard output of the program to out.
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

// watch samples the memory of a process at intervals until done is closed, and sends the
// peaks.
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

// kilobytes returns a field of the status of a process, converted to bytes.
func kilobytes(status, name string) (bytes int64) {
	_, value, _ := strings.Cut(status, name)
	if _, err := fmt.Sscan(value, &bytes); err != nil {
		return 0
	}
	return bytes << 10
}

// tick is the unit of processor times in /proc, which is fixed by the interface of
// Linux.
const tick = 10 * time.Millisecond

// Used returns the processor time, user and system, that a running process has used.
// It fails on systems other than Linux.
func Used(pid int) (time.Duration, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	// The name of the program, in parentheses, may contain blanks.
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(fields) < 13 {
		return 0, fmt.Errorf("/proc/%d/stat has %d fields", pid, len(fields))
	}
	var user, system int64
	if _, err := fmt.Sscan(fields[11]+" "+fields[12], &user, &system); err != nil {
		return 0, fmt.Errorf("/proc/%d/stat: %w", pid, err)
	}
	return time.Duration(user+system) * tick, nil
}

// RunBeside runs a program, and returns its costs and the processor time that other processes used meanwhile.
func RunBeside(ctx context.Context, pids []int, program string, args ...string) (c Cost, others time.Duration, err error) {
	before, err := usedBy(pids)
	if err != nil {
		return c, 0, err
	}
	if c, err = Run(ctx, program, args...); err != nil {
		return c, 0, err
	}
	after, err := usedBy(pids)
	return c, after - before, err
}

// usedBy returns the sum of Used of several processes.
func usedBy(pids []int) (sum time.Duration, err error) {
	for _, pid := range pids {
		used, err := Used(pid)
		if err != nil {
			return 0, err
		}
		sum += used
	}
	return sum, nil
}

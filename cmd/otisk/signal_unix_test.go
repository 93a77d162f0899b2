//go:build unix

package main

import (
	"context"
	"os/signal"
	"syscall"
	"testing"
	"time"
)

// TestSignals sends this process the signals that end a run, and expects finished work to be
// kept.
func TestSignals(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		if signal.Ignored(sig) {
			continue // as nohup has it for the tests themselves
		}
		ctx, stop := interruptible(context.Background())
		if err := syscall.Kill(syscall.Getpid(), sig); err != nil {
			t.Fatal(err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(10 * time.Second):
			t.Errorf("%v does not stop a run", sig)
		}
		stop()
	}
}

// TestNohup: a run started by nohup continues when the terminal closes.
func TestNohup(t *testing.T) {
	signal.Ignore(syscall.SIGHUP)
	defer signal.Reset(syscall.SIGHUP)
	ctx, stop := interruptible(context.Background())
	defer stop()
	if err := syscall.Kill(syscall.Getpid(), syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	select {
	case <-ctx.Done():
		t.Error("an ignored hangup stops a run")
	case <-time.After(50 * time.Millisecond):
	}
}

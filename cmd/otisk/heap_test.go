package main

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

// percent returns the growth of the heap that starts a collection, in percent.
func percent() int {
	p := debug.SetGCPercent(100)
	debug.SetGCPercent(p)
	return p
}

func TestCollectLate(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	t.Setenv("GOGC", "")
	collectLate()
	if got := percent(); got != 800 {
		t.Errorf("percent before the first collection = %d, want 800", got)
	}
	for end := time.Now().Add(10 * time.Second); percent() != 100 && time.Now().Before(end); {
		runtime.GC()
	}
	if got := percent(); got != 100 {
		t.Errorf("percent after the first collection = %d, want 100", got)
	}
	t.Setenv("GOGC", "50")
	if collectLate(); percent() != 100 {
		t.Errorf("percent with GOGC set = %d, want it unchanged", percent())
	}
}

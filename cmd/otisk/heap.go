package main

import (
	"os"
	"runtime"
	"runtime/debug"
)

// collectLate postpones the first garbage collection until the heap has 32 MB instead of 4 MB, unless
// GOGC is set. Most commands end before, and collecting took a fourth of their CPU time.
func collectLate() {
	if os.Getenv("GOGC") != "" {
		return
	}
	usual := debug.SetGCPercent(800)
	first := new([64]byte) // garbage, so the first collection finds it
	runtime.AddCleanup(first, func(percent int) { debug.SetGCPercent(percent) }, usual)
}

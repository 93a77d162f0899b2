package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"sync/atomic"
)

// ballast is memory that is never written, so that the system provides none for it. It counts as a part of the heap, which is collected
// when it has doubled.
var ballast atomic.Pointer[[leastHeap]byte]

// leastHeap is the least size in bytes by which the heap grows before it is collected.
const leastHeap = 32 << 20

// collectLate makes each garbage collection wait until the heap has grown by 32 MB, unless GOGC is set. With the heap of a few MB that
// most commands have, collecting took a fourth of their CPU time. Allocating the ballast collects at once, so commands that end before the
// first collection do without it.
func collectLate() {
	if os.Getenv("GOGC") != "" {
		return
	}
	usual := debug.SetGCPercent(800)
	first := new([64]byte) // garbage, so the first collection finds it
	runtime.AddCleanup(first, func(percent int) {
		ballast.Store(new([leastHeap]byte))
		debug.SetGCPercent(percent)
	}, usual)
}

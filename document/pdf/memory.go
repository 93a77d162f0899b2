package pdf

import (
	"context"
	"sync"

	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

// The engine grows its memory repeatedly. If each growth allocates a larger piece of Go's heap
// and copies the smaller one, the heap grows to several times the size, since the collector
// lags behind. So the engine's memory is address space, reserved at once up to its limit and
// released after the file is read.

// reserved holds the memories of running engines, by their first byte.
var reserved sync.Map // *byte → []byte

// withMemory makes engines that are started with ctx use reserved memory.
func withMemory(ctx context.Context) context.Context {
	return experimental.WithMemoryAllocator(ctx, experimental.MemoryAllocatorFunc(func(_, max uint64) experimental.LinearMemory {
		buf, err := reserve(max)
		if err != nil {
			return &heapMemory{}
		}
		reserved.Store(&buf[0], buf)
		return fixedMemory(buf)
	}))
}

// A fixedMemory never moves. Free does not release it, since the engine may still run then;
// release does.
type fixedMemory []byte

func (m fixedMemory) Reallocate(size uint64) []byte {
	if size > uint64(len(m)) {
		return nil
	}
	return m[:size]
}

func (fixedMemory) Free() {}

// A heapMemory is a piece of Go's heap.
type heapMemory struct{ buf []byte }

func (m *heapMemory) Reallocate(size uint64) []byte {
	if more := int(size) - len(m.buf); more > 0 {
		m.buf = append(m.buf, make([]byte, more)...)
	}
	return m.buf[:size]
}

func (*heapMemory) Free() {}

// firstByte returns the start of the memory of a module.
func firstByte(module api.Module) *byte {
	if view, ok := module.Memory().Read(0, 1); ok {
		return &view[0]
	}
	return nil
}

// release releases the memory of an engine that no longer runs.
func release(first *byte) {
	if buf, ok := reserved.LoadAndDelete(first); ok {
		_ = unreserve(buf.([]byte))
	}
}

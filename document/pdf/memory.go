package pdf

import (
	"context"
	"sync"

	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

// The engine asks for memory again and again. Where each answer is a larger
// piece of Go's heap with a copy of the smaller one, the heap grows to several
// times what the engine has, since the garbage collector sees only what is left.
// So the engine's memory is address space set apart at once, as much as it may
// ever take, and given back when the file is read.

// reserved are the memories of the engines that run, by their first byte.
var reserved sync.Map // *byte → []byte

// withMemory makes engines that are started under ctx have such memory.
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

// A fixedMemory never moves. It is not given back by Free, which is called
// while the engine may still run, but by release.
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

// firstByte returns where the memory of a module starts.
func firstByte(module api.Module) *byte {
	if view, ok := module.Memory().Read(0, 1); ok {
		return &view[0]
	}
	return nil
}

// release gives the memory of an engine back, which must run no more.
func release(first *byte) {
	if buf, ok := reserved.LoadAndDelete(first); ok {
		_ = unreserve(buf.([]byte))
	}
}

//go:build unix

package pdf

import "syscall"

// reserve returns max bytes of address space, which are backed by memory on first use.
func reserve(max uint64) ([]byte, error) {
	return syscall.Mmap(-1, 0, int(max), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
}

func unreserve(buf []byte) error { return syscall.Munmap(buf) }

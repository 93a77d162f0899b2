//go:build !linux

package pdf

func useHugePages([]byte) {}

//go:build !linux

package watch

// limitName is the system setting that limits the number of watched folders.
const limitName = "the limit of open files"

//go:build !linux

package watch

// limitName is what a person can change so that more folders are told of.
const limitName = "the limit of open files"

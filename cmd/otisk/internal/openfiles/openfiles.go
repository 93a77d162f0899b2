// Package openfiles checks that the program may open enough files. With a very low limit, the Go
// runtime crashes as soon as it needs its poller, and libraries need that in their init functions.
// So this package ends the program in its own. It runs before those, because it imports nothing
// but syscall: Go initializes packages in the order of their paths, each after its imports.
// Another import could delay it.
package openfiles

// Needed is the smallest limit of open files that the program accepts.
const Needed = 32

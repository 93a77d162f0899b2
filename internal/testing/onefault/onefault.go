// Package onefault runs a program in which one system call fails, once, as on a disk that is full
// for a moment or a connection that breaks. The program needs no change for it.
package onefault

import "syscall"

// A Fault selects a system call of a program that fails.
type Fault struct {
	At  int           // number of the call among those selected, from 1; 0 for none
	Err syscall.Errno // its error

	// Under selects the calls that create, write, truncate, sync and rename files in this folder,
	// which the program names by an absolute path. If it is "", Reads selects the calls that look for
	// files, and open, list and read them, anywhere; without Reads, the calls that connect to servers,
	// send and receive are selected.
	Under string
	Reads bool
}

// A Result is the outcome of a program.
type Result struct {
	Calls  int    // number of selected calls until the one that failed, or in all
	Failed string // the call that failed, with its path; "" if the program made fewer calls
	Status int    // exit status
	Output string // standard output and error
}

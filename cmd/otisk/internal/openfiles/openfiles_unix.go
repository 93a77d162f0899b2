//go:build unix

package openfiles

import "syscall"

// starting is the limit of open files below which initializing the libraries may crash: three
// standard files, two of control groups, two of the poller, one that is read, and as many again
// that the caller may have left open.
const starting = 16

// Limit returns the limit of open files, and whether it is below [Needed].
func Limit() (n int64, low bool) {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 0, false
	}
	return int64(limit.Cur), limit.Cur < Needed
}

// init ends the program if the limit is too low to start it. The message is error.open-files in
// English: the other languages are not loaded yet. The hard limit counts, since package os raises
// the other one to it.
func init() {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil || limit.Max >= starting {
		return
	}
	text := "otisk: error: the limit of open files (ulimit -n) is " + decimal(int(limit.Max)) + ", and " + decimal(Needed) + " are needed\n"
	syscall.Write(2, []byte(text)) // if it fails, nothing is left to say it
	syscall.Exit(1)
}

// decimal returns the digits of a number below 100. Importing strconv could delay init.
func decimal(n int) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return decimal(n/10) + decimal(n%10)
}

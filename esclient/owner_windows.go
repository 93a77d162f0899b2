package esclient

import "os"

// running reports whether a process with that id exists.
func running(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	_ = p.Release() // only its existence matters
	return true
}

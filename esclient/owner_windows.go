package esclient

import "os"

// running says whether there is a process of that id.
func running(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	_ = p.Release() // only its being there was of interest
	return true
}

package esclient

import (
	"cmp"
	"fmt"
	"os"
	"os/user"
	"sync"
)

// owner describes this process to other writers.
func owner() string {
	name := "somebody"
	if u, err := user.Current(); err == nil {
		name = u.Username
	}
	host, err := os.Hostname()
	if err != nil {
		host = "unknown host"
	}
	return fmt.Sprintf("process %d of %s on %s", os.Getpid(), name, host)
}

// home tells machines apart on which process ids mean the same: by the name of
// the host and, where there is such a thing, the boot and the name space of
// processes, because containers like to share names.
func home() string {
	host, _ := os.Hostname() // "" is treated as no machine at all
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	space, _ := os.Readlink("/proc/self/ns/pid")
	if host == "" {
		return ""
	}
	return fmt.Sprintf("%s %.36s %s", host, boot, space)
}

// dead reports whether the owner of h was a process of this machine that has ended, or a
// writer of this process that was closed. Then nobody needs to wait until its lease expires.
func (h *head) dead() bool {
	if cmp.Or(h.Home, "?") != home() {
		return false
	}
	if h.PID == os.Getpid() {
		_, writes := sessions.Load(h.Session)
		return !writes
	}
	return !running(h.PID)
}

// sessions are those in which this process writes.
var sessions sync.Map

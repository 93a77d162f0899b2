package esclient

import (
	"cmp"
	"fmt"
	"os"
	"os/user"
	"sync"
)

// owner describes this process in messages of other writers.
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

// home identifies the set of process ids that this process belongs to: by the host name
// and, on Linux, by the boot and the PID namespace, because containers may share host
// names.
func home() string {
	host, _ := os.Hostname() // home returns "" without it
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	space, _ := os.Readlink("/proc/self/ns/pid")
	if host == "" {
		return ""
	}
	return fmt.Sprintf("%s %.36s %s", host, boot, space)
}

// dead reports whether the owner of h was a process of this machine that has ended, or a
// writer of this process that was closed. The lease need not be awaited then.
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

var sessions sync.Map

package onefault

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
)

// Supported reports whether [Fault.Run] works on this system.
const Supported = true

// onFiles, onReads and onSockets are the calls that can fail, by number.
var (
	onFiles = map[uint64]string{
		syscall.SYS_WRITE: "write", syscall.SYS_PWRITE64: "pwrite", syscall.SYS_FTRUNCATE: "truncate", syscall.SYS_FSYNC: "sync", syscall.SYS_FDATASYNC: "sync",
		syscall.SYS_OPENAT: "open", syscall.SYS_RENAMEAT: "rename", syscall.SYS_MKDIRAT: "mkdir",
	}
	onReads = map[uint64]string{
		syscall.SYS_NEWFSTATAT: "stat", syscall.SYS_READLINKAT: "read link", syscall.SYS_OPENAT: "open", syscall.SYS_GETDENTS64: "list", syscall.SYS_READ: "read", syscall.SYS_PREAD64: "read",
	}
	onSockets = map[uint64]string{syscall.SYS_WRITE: "send", syscall.SYS_READ: "receive", syscall.SYS_CONNECT: "connect"}
)

// Run runs cmd to its end, and lets one of its system calls fail.
func (f Fault) Run(cmd *exec.Cmd) (r Result, err error) {
	runtime.LockOSThread() // only the thread that starts a process traces it
	defer runtime.UnlockOSThread()
	out, err := os.CreateTemp("", "onefault")
	if err != nil {
		return r, err
	}
	defer os.Remove(out.Name())
	defer out.Close()
	cmd.Stdout, cmd.Stderr = out, out
	cmd.SysProcAttr = &syscall.SysProcAttr{Ptrace: true, Setpgid: true} // the group is waited for, and no other child of the test
	if err := cmd.Start(); err != nil {
		return r, err
	}
	t := tracer{fault: f, group: cmd.Process.Pid, inside: map[int]bool{}}
	if r.Status, err = t.run(); err != nil {
		_ = cmd.Process.Kill()
		return r, err
	}
	said, err := os.ReadFile(out.Name())
	r.Calls, r.Failed, r.Output = t.count, t.failed, string(said)
	return r, err
}

// A tracer follows the system calls of all threads of a process.
type tracer struct {
	fault  Fault
	group  int
	inside map[int]bool // by thread, whether it is within a call
	count  int
	failed string // the call that failed
	thread int    // the thread in that call; 0 after its return
}

// run follows the process to its end and returns its exit status.
func (t *tracer) run() (status int, err error) {
	const sysgood, clone, exitkill, wall, stopped = 1, 8, 1 << 20, 0x40000000, syscall.SIGTRAP | 0x80
	for {
		var ws syscall.WaitStatus
		id, err := syscall.Wait4(-t.group, &ws, wall, nil)
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			return 0, err
		}
		_, known := t.inside[id]
		err, pass := error(nil), 0
		switch {
		case ws.Exited() || ws.Signaled():
			delete(t.inside, id)
			if id == t.group {
				return ws.ExitStatus(), nil
			}
			continue
		case ws.StopSignal() == stopped:
			err = t.call(id)
		case !known: // the program, or a new thread, stops at its start
			t.inside[id] = false
			if id == t.group {
				err = syscall.PtraceSetOptions(id, sysgood|clone|exitkill)
			}
		case ws.StopSignal() != syscall.SIGTRAP:
			pass = int(ws.StopSignal())
		}
		if err == nil {
			err = syscall.PtraceSyscall(id, pass)
		}
		if err != nil && err != syscall.ESRCH { // the process may end at any time
			return 0, err
		}
	}
}

// call handles the start or the end of a call: it lets the call with the number of the fault fail.
func (t *tracer) call(id int) error {
	t.inside[id] = !t.inside[id]
	if t.failed != "" && id != t.thread {
		return nil
	}
	var regs syscall.PtraceRegs
	if err := syscall.PtraceGetRegs(id, &regs); err != nil {
		return err
	}
	if !t.inside[id] {
		if id != t.thread {
			return nil
		}
		t.thread = 0
		regs.Rax = uint64(-int64(t.fault.Err))
		return syscall.PtraceSetRegs(id, &regs)
	}
	what := t.selected(id, &regs)
	if what == "" || t.failed != "" {
		return nil
	}
	if t.count++; t.count != t.fault.At {
		return nil
	}
	t.failed, t.thread = what, id
	regs.Orig_rax = ^uint64(0) // no call
	return syscall.PtraceSetRegs(id, &regs)
}

// selected returns a call that the fault selects, with its path; "" for another one.
func (t *tracer) selected(id int, regs *syscall.PtraceRegs) string {
	if t.fault.Reads {
		return onReads[regs.Orig_rax]
	}
	if t.fault.Under == "" {
		if name := onSockets[regs.Orig_rax]; name != "" && strings.HasPrefix(opened(id, regs.Rdi), "socket:") {
			return name
		}
		return ""
	}
	name, path := onFiles[regs.Orig_rax], ""
	switch name {
	case "":
		return ""
	case "open":
		if regs.Rdx&syscall.O_CREAT == 0 {
			return ""
		}
		path = text(id, regs.Rsi)
	case "mkdir", "rename":
		path = text(id, regs.Rsi)
	default:
		path = opened(id, regs.Rdi)
	}
	if rel, err := filepath.Rel(t.fault.Under, path); err == nil && filepath.IsLocal(rel) {
		return name + " " + rel
	}
	return ""
}

// opened returns the path of an open file.
func opened(id int, fd uint64) string {
	path, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", id, fd))
	if err != nil {
		return ""
	}
	return path
}

// text returns the string at an address of the program.
func text(id int, at uint64) string {
	var buf [1024]byte
	n, _ := syscall.PtracePeekData(id, uintptr(at), buf[:]) // an error means that the memory ends earlier
	before, _, _ := bytes.Cut(buf[:n], []byte{0})
	return string(before)
}

package onefault

import (
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/otisk/otisk/internal/testing/files"
)

// TestRun lets each call of a program that writes files fail once, and checks that the other calls
// succeed.
func TestRun(t *testing.T) {
	if !Supported {
		t.Skip("only on Linux with amd64")
	}
	var calls []string
	for at := 0; ; at++ {
		dir := files.Folder(t, nil)
		shell := exec.Command("sh", "-c", "echo 1 >DIR/a; echo 2 >DIR/b; echo 3 >/dev/null; ls DIR")
		shell.Args[2] = strings.ReplaceAll(shell.Args[2], "DIR", dir)
		r, err := Fault{At: at, Err: syscall.ENOSPC, Under: dir}.Run(shell)
		if err != nil {
			t.Fatal(err)
		}
		if r.Failed == "" {
			if r.Calls != 4 || r.Output != "a\nb\n" || r.Status != 0 {
				t.Errorf("without a fault: %+v", r)
			}
			if at > 0 {
				break
			}
			continue
		}
		calls = append(calls, r.Failed)
		if left := strings.Contains(r.Output, "\na\n"); r.Calls != at || !strings.HasSuffix(r.Output, "b\n") != (r.Failed == "open b") || left == (r.Failed == "open a") {
			t.Errorf("call %d: %+v", at, r)
		}
	}
	if want := []string{"open a", "write a", "open b", "write b"}; !slices.Equal(calls, want) {
		t.Errorf("calls %q, want %q", calls, want)
	}
}

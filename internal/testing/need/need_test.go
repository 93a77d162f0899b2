package need_test

import (
	"fmt"
	"testing"

	"github.com/otisk/otisk/internal/testing/need"
)

// A recorder records the calls on a test.
type recorder struct {
	testing.TB
	said string
}

func (r *recorder) Helper()          {}
func (r *recorder) Skip(args ...any) { r.said = "skip: " + fmt.Sprint(args...) }
func (r *recorder) Fatalf(f string, args ...any) {
	r.said = "fail: " + fmt.Sprintf(f, args...)
	panic(r)
}

func TestSkip(t *testing.T) {
	for _, tt := range []struct{ value, want string }{
		{"", "skip: no server"},
		{"0", "skip: no server"},
		{"1", "fail: OTISK_NO_SKIP is set, and this test cannot run: no server"},
	} {
		t.Setenv("OTISK_NO_SKIP", tt.value)
		r := &recorder{TB: t}
		func() {
			defer func() { _ = recover() }()
			need.Skip(r, "no server")
		}()
		if r.said != tt.want {
			t.Errorf("with OTISK_NO_SKIP=%q Skip did %q, want %q", tt.value, r.said, tt.want)
		}
	}
}

package main

import "testing"

// TestBytesFlag prints sizes as they are typed, so that help shows 4GB and not its bytes.
func TestBytesFlag(t *testing.T) {
	for _, typed := range []string{"1", "1000", "1KB", "1500KB", "256MB", "1025MB", "4GB", "2048GB"} {
		var b, again bytesFlag
		if err := b.Set(typed); err != nil {
			t.Fatal(err)
		}
		if b.String() != typed {
			t.Errorf("size %s is printed as %s", typed, b.String())
		}
		if err := again.Set(b.String()); err != nil || again != b {
			t.Errorf("%s is parsed as %d, %v, want %d", b.String(), again, err, b)
		}
	}
}

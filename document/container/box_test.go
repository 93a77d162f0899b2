package container_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/otisk/otisk/document/container"
	"github.com/otisk/otisk/document/format"
)

// TestSplitBox splits a mailbox in memory. Lines that start messages, and others, are longer than what is read at once.
func TestSplitBox(t *testing.T) {
	long := strings.Repeat("x", 10_000)
	box := "From a\nMIME-Version: 1.0\nFrom: a\n\n>From b\n>>From c\n\nFrom now on\n" + long + "\n\nFrom d" + long + "\nSubject: d\n\nFrom " + long + ">From e\nFrom f\nFrom: f\n\nFrom g"
	var got []string
	err := container.SplitBox(t.Context(), &format.Source{Data: []byte(box)}, func(name string, part *format.Source) error {
		got = append(got, name+string(part.Data))
		return nil
	})
	want := []string{"MIME-Version: 1.0\nFrom: a\n\nFrom b\n>From c\n\nFrom now on\n" + long + "\n\n", "Subject: d\n\nFrom " + long + ">From e\nFrom f\nFrom: f\n\nFrom g"}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("SplitBox gives %.200q, %v, want %.200q", got, err, want)
	}
	if !container.LooksBox([]byte(box)) {
		t.Error("LooksBox = false")
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if err := container.SplitBox(ended, &format.Source{Data: []byte(box)}, nil); err != context.Canceled {
		t.Errorf("SplitBox = %v, want %v", err, context.Canceled)
	}
}

package pdf

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/tetratelabs/wazero"
)

// counted puts the number of bytes before them.
func counted(s string) string { return string(uvarint(len(s))) + s }

// endless is a module that exports two functions: one that goes round a loop for ever,
// and one that adds up 1000 numbers, 1000 times, in two loops, one in the other.
var endless = []byte("\x00asm\x01\x00\x00\x00" +
	"\x01" + counted("\x02\x60\x00\x00\x60\x00\x01\x7F") + // types: nothing, and a number that is returned
	"\x03" + counted("\x02\x00\x01") +
	"\x05" + counted("\x01\x00\x01") + // a page of memory
	"\x06" + counted("\x01\x7F\x01\x41\x00\x0B") + // a variable of its own
	"\x07" + counted("\x02\x04ever\x00\x00\x03sum\x00\x01") +
	"\x0A" + counted("\x02"+
	counted("\x00\x03\x40\x0C\x00\x0B\x0B")+
	counted("\x01\x02\x7F\x03\x40\x41\x00\x21\x01"+ // from 0
		"\x03\x40\x20\x01\x41\x01\x6A\x22\x01\x41\xE8\x07\x49\x0D\x00\x0B"+ // to 1000
		"\x20\x00\x20\x01\x6A\x22\x00\x41\xC0\x84\x3D\x49\x0D\x00\x0B"+ // which is added up to 1,000,000
		lastly)))

// lastly is how the last function ends.
const lastly = "\x20\x00\x0B"

func instance(t *testing.T) *machine {
	t.Helper()
	code, err := interruptible(endless, false)
	if err != nil {
		t.Fatal(err)
	}
	rt := wazero.NewRuntime(t.Context())
	t.Cleanup(func() { rt.Close(context.Background()) })
	module, err := rt.Instantiate(t.Context(), code)
	if err != nil {
		t.Fatal(err)
	}
	return &machine{module: module}
}

// TestStop ends a loop that has no end.
func TestStop(t *testing.T) {
	m := instance(t)
	timer := time.AfterFunc(20*time.Millisecond, m.stop)
	defer timer.Stop()
	if _, err := m.module.ExportedFunction("ever").Call(t.Context()); err == nil {
		t.Error("a loop without an end came to one")
	}
}

// TestInterrupted checks that a module computes the same results although its loops are
// interrupted many times.
func TestInterrupted(t *testing.T) {
	m := instance(t)
	for range 3 {
		got, err := m.module.ExportedFunction("sum").Call(t.Context())
		if err != nil || len(got) != 1 || got[0] != 1_000_000 {
			t.Errorf("sum() = %d, %v, want 1000000", got, err)
		}
	}
}

// TestPauses ends an endless loop after a fixed number of pauses, on any machine.
func TestPauses(t *testing.T) {
	m := instance(t)
	left := m.within(3, func() {
		if _, err := m.module.ExportedFunction("ever").Call(t.Context()); err == nil {
			t.Error("a loop without an end came to one")
		}
	})
	if left != 0 {
		t.Errorf("%d pauses are left, want none", left)
	}
	left = m.within(1000, func() {
		if _, err := m.module.ExportedFunction("sum").Call(t.Context()); err != nil {
			t.Error(err)
		}
	})
	if want := 1000 - 1_000_000/turns; left != want {
		t.Errorf("%d of 1000 pauses are left after 1,001,000 turns, want %d", left, want)
	}
}

// TestInterruptDamaged cuts a module off, and changes its instructions: an error and no
// panic.
func TestInterruptDamaged(t *testing.T) {
	for end := range len(endless) {
		if code, err := interruptible(endless[:end], false); err == nil && len(code) >= len(endless) {
			t.Errorf("the first %d bytes are taken for a module", end)
		}
	}
	unknown := []byte(string(endless))
	unknown[len(unknown)-len(lastly)] = 0x06
	if _, err := interruptible(unknown, false); !errors.Is(err, errModule) {
		t.Errorf("an unknown instruction: %v, want %v", err, errModule)
	}
}

// TestUnreachedIsEmpty checks that functions without a caller are left empty, and that those in
// tables, those that others call and those that start the module are not.
func TestUnreachedIsEmpty(t *testing.T) {
	names := ""
	for i, name := range []string{"FPDF_LoadPage", "FPDF_Nothing", "FORM_Nothing", "malloc"} {
		names += counted(name) + "\x00" + string(uvarint(i))
	}
	returns := counted("\x00\x0B")
	module := "\x00asm\x01\x00\x00\x00" +
		"\x01" + counted("\x01\x60\x00\x00") +
		"\x03" + counted("\x09\x00\x00\x00\x00\x00\x00\x00\x00\x00") +
		"\x04" + counted("\x01\x70\x00\x01") + // a table
		"\x06" + counted("\x01\x7F\x01\x41\x00\x0B") +
		"\x07" + counted("\x04"+names) +
		"\x08" + counted("\x08") +
		"\x09" + counted("\x01\x00\x41\x00\x0B\x01\x06") +
		"\x0A" + counted("\x09"+
		counted("\x00\x10\x04\x0B")+ // 0 calls 4
		returns+returns+returns+
		counted("\x00\xD2\x05\x1A\x0B")+ // 4 refers to 5
		returns+returns+returns+returns)
	sections, err := sectionsOf([]byte(module)[moduleHeader:])
	if err != nil {
		t.Fatal(err)
	}
	got, err := reachedIn(sections, 0)
	if want := []bool{true, false, false, true, true, true, true, false, true}; err != nil || !slices.Equal(got, want) {
		t.Errorf("reached are %v, %v, want %v", got, err, want)
	}
	for i := range module {
		changed := []byte(module)
		changed[i] = 0x7F
		if sections, err := sectionsOf(changed[moduleHeader:]); err == nil {
			_, _ = reachedIn(sections, 0) // does not panic
		}
	}
	plain, err := interruptible([]byte(module), false)
	if err != nil {
		t.Fatal(err)
	}
	if empty := bytes.Count(plain, []byte("\x03\x00\x00\x0B")); empty != 3 {
		t.Errorf("%d functions are empty, want 3", empty)
	}
}

// TestEngineIsWhole checks that no function that is called is left empty, and that a good part of
// the others is.
func TestEngineIsWhole(t *testing.T) {
	sections, err := sectionsOf(pdfiumCode[moduleHeader:])
	if err != nil {
		t.Fatal(err)
	}
	p := &patch{}
	p.imports(sections[slices.IndexFunc(sections, func(s section) bool { return s.id == importSection })].body)
	reached, err := reachedIn(sections, p.functions)
	if err != nil {
		t.Fatal(err)
	}
	left := 0
	for _, is := range reached {
		if !is {
			left++
		}
	}
	if left < len(reached)/10 || left > len(reached)/2 {
		t.Errorf("%d of %d functions are left empty", left, len(reached))
	}
	for f, name := range functionNames {
		if !isCalled(name) {
			t.Errorf("function %d, %s, may be left empty", f, name)
		}
	}
}

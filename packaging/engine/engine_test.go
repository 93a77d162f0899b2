package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
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

// instance returns an instance of the patched module.
func instance(t *testing.T) api.Module {
	t.Helper()
	code, err := patched(endless, []string{"ever", "sum"})
	if err != nil {
		t.Fatal(err)
	}
	rt := wazero.NewRuntime(t.Context())
	t.Cleanup(func() { rt.Close(context.Background()) })
	module, err := rt.Instantiate(t.Context(), code)
	if err != nil {
		t.Fatal(err)
	}
	return module
}

// variable returns a variable that patched added.
func variable(m api.Module, name string) api.MutableGlobal {
	return m.ExportedGlobal(name).(api.MutableGlobal)
}

// TestStop ends a loop that has no end.
func TestStop(t *testing.T) {
	m := instance(t)
	timer := time.AfterFunc(20*time.Millisecond, func() { variable(m, stopVariable).Set(1) })
	defer timer.Stop()
	if _, err := m.ExportedFunction("ever").Call(t.Context()); err == nil {
		t.Error("a loop without an end came to one")
	}
}

// TestInterrupted checks that a module computes the same results although its loops are
// interrupted many times.
func TestInterrupted(t *testing.T) {
	m := instance(t)
	for range 3 {
		got, err := m.ExportedFunction("sum").Call(t.Context())
		if err != nil || len(got) != 1 || got[0] != 1_000_000 {
			t.Errorf("sum() = %d, %v, want 1000000", got, err)
		}
	}
}

// TestPauses ends an endless loop after a fixed number of pauses, on any machine.
func TestPauses(t *testing.T) {
	m := instance(t)
	left := variable(m, pausesVariable)
	left.Set(3)
	if _, err := m.ExportedFunction("ever").Call(t.Context()); err == nil || left.Get() != 0 {
		t.Errorf("a loop without an end: %v, and %d pauses are left, want an error and none", err, left.Get())
	}
	left.Set(1000)
	if _, err := m.ExportedFunction("sum").Call(t.Context()); err != nil {
		t.Error(err)
	}
	if want := uint64(1000 - 1_000_000/turns); left.Get() != want {
		t.Errorf("%d of 1000 pauses are left after 1,001,000 turns, want %d", left.Get(), want)
	}
}

// TestInterruptDamaged cuts a module off, and changes its instructions: an error and no
// panic.
func TestInterruptDamaged(t *testing.T) {
	for end := range len(endless) {
		if code, err := patched(endless[:end], nil); err == nil && len(code) >= len(endless) {
			t.Errorf("the first %d bytes are taken for a module", end)
		}
	}
	unknown := []byte(string(endless))
	unknown[len(unknown)-len(lastly)] = 0x06
	if _, err := patched(unknown, []string{"ever", "sum"}); !errors.Is(err, errModule) {
		t.Errorf("an unknown instruction: %v, want %v", err, errModule)
	}
}

// TestImmediates skips instructions with all kinds of operands.
func TestImmediates(t *testing.T) {
	sixteen := strings.Repeat("\xFF", 16)
	for _, operands := range []string{
		"\x1F\x40\x03\x00\x80\x01\x02\x01\x00\x80\x00\x02\x05", // try_table with three clauses
		"\x08\x80\x01", "\x0A", // throw and throw_ref
		"\xFD\x00\x04\x80\x10", "\xFD\x5D\x02\x00", // loads of vectors
		"\xFD\x0C" + sixteen, "\xFD\x0D" + sixteen, // a constant and a shuffle
		"\xFD\x15\x0F", "\xFD\x54\x00\x00\x0F", // lanes
		"\xFD\x0E", "\xFD\xFF\x01", // without operands
		"\x0E\x02\x00\x01\x02", "\x43\xFF\xFF\xFF\xFF", "\xFC\x0A\x00\x00",
	} {
		r := &moduleReader{data: []byte(operands)}
		if r.immediate(r.byte()); r.err != nil || r.at != len(operands) {
			t.Errorf("% x: %d bytes, %v, want %d", operands, r.at, r.err, len(operands))
		}
	}
	for _, unknown := range []string{"\xFD\x80\x02", "\xFC\x12", "\xFB\x00"} {
		r := &moduleReader{data: []byte(unknown)}
		if r.immediate(r.byte()); !errors.Is(r.err, errModule) {
			t.Errorf("% x: %v, want %v", unknown, r.err, errModule)
		}
	}
}

// TestUnreachedIsEmpty checks that functions without a caller are left empty, and that those in
// tables, those that others call and those that start the module are not.
func TestUnreachedIsEmpty(t *testing.T) {
	called := []string{"FPDF_LoadPage", "malloc"}
	names := ""
	for i, name := range []string{"FPDF_LoadPage", "FPDF_SavePage", "FORM_Nothing", "malloc"} {
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
	got, err := reachedIn(sections, 0, called)
	if want := []bool{true, false, false, true, true, true, true, false, true}; err != nil || !slices.Equal(got, want) {
		t.Errorf("reached are %v, %v, want %v", got, err, want)
	}
	for i := range module {
		changed := []byte(module)
		changed[i] = 0x7F
		if sections, err := sectionsOf(changed[moduleHeader:]); err == nil {
			_, _ = reachedIn(sections, 0, called) // does not panic
		}
	}
	plain, err := patched([]byte(module), called)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(plain, []byte("Nothing")) || !bytes.Contains(plain, []byte("malloc")) {
		t.Error("the exported functions are not those that are called")
	}
	if empty := bytes.Count(plain, []byte("\x03\x00\x00\x0B")); empty != 3 {
		t.Errorf("%d functions are empty, want 3", empty)
	}
}

// TestEngine makes the engine again: the product embeds it, and no other.
func TestEngine(t *testing.T) {
	const folder = "../../document/pdf"
	want, err := engine(folder)
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(folder, packedFile))
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(brotli.NewReader(bytes.NewReader(data)))
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is not what go run ./engine makes, %v", packedFile, err)
	}
}

// TestFunctionNames reads the names of a variable, and those of no other.
func TestFunctionNames(t *testing.T) {
	source := filepath.Join(t.TempDir(), "a.go")
	for text, want := range map[string][]string{
		`var functionNames = [...]string{b: "B", a: "A"}; var other = "C"`: {"B", "A"},
		`var other = "C"`: nil,
	} {
		if err := os.WriteFile(source, []byte("package a\n"+text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := functionNames(source); !slices.Equal(got, want) || (err == nil) != (want != nil) {
			t.Errorf("%s: %q, %v, want %q", text, got, err, want)
		}
	}
}

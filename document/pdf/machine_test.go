package pdf

import "testing"

// instance returns an instance of the engine.
func instance(t *testing.T) *machine {
	t.Helper()
	done, err := Ready(t.Context(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(done)
	p, err := Options{}.engine().compile()
	if err != nil {
		t.Fatal(err)
	}
	m, err := p.machine()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.close)
	return m
}

// fill colours 25 million pixels.
func fill(m *machine) {
	const size = 5000
	bitmap := m.handle(fnBitmapCreate, size, size, 0)
	m.call(fnBitmapFill, uint64(bitmap), 0, 0, size, size, 0xFF112233)
}

// TestFunctions checks that the engine exports each function that is called.
func TestFunctions(t *testing.T) {
	m := instance(t)
	for f, name := range functionNames {
		if name == "" || m.module.ExportedFunction(name) == nil {
			t.Errorf("function %d, %q, is not in the engine: go run ./engine in the folder packaging", f, name)
		}
	}
}

// TestStop stops an instance: all later calls return errors.
func TestStop(t *testing.T) {
	m := instance(t)
	if fill(m); m.err != nil {
		t.Fatal(m.err)
	}
	m.stop()
	if fill(m); m.err == nil {
		t.Error("a call of a stopped engine returned no error")
	}
}

// TestWithin ends a call after a number of pauses, and only then.
func TestWithin(t *testing.T) {
	m := instance(t)
	const pauses = 100_000
	left := m.within(pauses, func() { fill(m) })
	if used := pauses - left; m.err != nil || used < 3 {
		t.Fatalf("used %d pauses, %v, want more than 2", used, m.err)
	}
	if left := m.within(2, func() { fill(m) }); left != 0 || m.err == nil {
		t.Errorf("%d of 2 pauses are left, %v, want none and an error", left, m.err)
	}
}

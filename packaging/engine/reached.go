package main

import "slices"

// The engine can also write, sign, print and edit files. Functions that the program does not reach
// are a third of its code, which is compiled once, and read whenever a process starts the
// engine. They are left empty.

// Sections of a module, and instructions, that refer to functions.
const (
	startSection   = 8
	elementSection = 9

	opCall     = 0x10
	opFunction = 0xD2
)

// A tracer finds the functions of a module that can be called.
type tracer struct {
	imported int
	called   []string
	bodies   [][]byte // of the module's own functions
	reached  []bool   // of these
	queue    []int
	err      error
}

// reachedIn reports for each function of the module, after those that it imports, whether it
// can be called: it is among those that are called by name, it is in a table, or such a function
// calls it.
func reachedIn(sections []section, imported int, called []string) ([]bool, error) {
	t := &tracer{imported: imported, called: called}
	for _, s := range sections {
		if s.id == codeSection {
			r := &moduleReader{data: s.body}
			r.each(func() { t.bodies = append(t.bodies, r.bytes(r.uint())) })
			t.err = r.err
		}
	}
	t.reached = make([]bool, len(t.bodies))
	for _, s := range sections {
		t.roots(s)
	}
	for len(t.queue) > 0 && t.err == nil {
		f := t.queue[0]
		t.queue = t.queue[1:]
		r := &moduleReader{data: t.bodies[f]}
		r.locals()
		for r.at < len(r.data) && r.err == nil {
			if op := r.byte(); op == opCall || op == opFunction {
				t.reach(r)
			} else {
				r.immediate(op)
			}
		}
		t.err = r.err
	}
	return t.reached, t.err
}

// reach reads the number of a function that can be called.
func (t *tracer) reach(r *moduleReader) {
	f := r.uint() - t.imported
	switch {
	case f >= len(t.reached):
		r.fail()
	case f >= 0 && !t.reached[f]:
		t.reached[f] = true
		t.queue = append(t.queue, f)
	}
}

// roots reaches the functions that are called from outside of the module or through tables.
func (t *tracer) roots(s section) {
	r := &moduleReader{data: s.body}
	switch s.id {
	case startSection:
		t.reach(r)
	case exportSection:
		r.each(func() {
			name := string(r.bytes(r.uint()))
			if r.byte() == exportFunction && slices.Contains(t.called, name) {
				t.reach(r)
			} else {
				r.number()
			}
		})
	case elementSection:
		t.elements(r)
	}
	if r.err != nil {
		t.err = r.err
	}
}

// elements reaches the functions in tables. The engine has them in the simplest form.
func (t *tracer) elements(r *moduleReader) {
	r.each(func() {
		if r.uint() != 0 {
			r.fail()
			return
		}
		for op := r.byte(); op != opEnd && r.err == nil; op = r.byte() {
			r.immediate(op)
		}
		r.each(func() { t.reach(r) })
	})
}

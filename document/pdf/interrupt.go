package pdf

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
)

// A file can be made so that the engine never ends with it. What runs the engine can
// look at a limit in each turn of each loop, but leaves the engine's code for that:
// it takes longer than all that the engine does. So the code is changed before it
// is compiled: each loop counts down, and only once in many turns calls a function
// that lets Go run, and ends if an exported variable says so.
const (
	stopVariable   = "otisk_stop"   // ends the engine once it is not 0
	pausesVariable = "otisk_pauses" // is how often that function may yet be called: a limit that is the same on any machine
)

// turns is how often loops go round between two looks at the variables: some tenths
// of a millisecond.
const turns = 1 << 16

var errModule = errors.New("another engine than expected")

// Sections of a module, and kinds of what it exports.
const (
	typeSection     = 1
	importSection   = 2
	functionSection = 3
	globalSection   = 6
	exportSection   = 7
	codeSection     = 10

	exportGlobal = 3
)

// A section is a part of a module.
type section struct {
	id   byte
	body []byte
}

// interruptible returns the module with the breaks in its loops.
func interruptible(module []byte) ([]byte, error) {
	const header = 8
	if len(module) < header || string(module[:4]) != "\x00asm" {
		return nil, errModule
	}
	sections, err := sectionsOf(module[header:])
	if err != nil {
		return nil, err
	}
	m := &patch{}
	for _, s := range sections {
		if s.id == importSection {
			m.imports(s.body)
		}
	}
	out := bytes.NewBuffer(make([]byte, 0, len(module)+len(module)/4))
	out.Write(module[:header])
	for _, s := range sections {
		out.WriteByte(s.id)
		body := m.section(s)
		out.Write(uvarint(len(body)))
		out.Write(body)
	}
	if m.err != nil {
		return nil, m.err
	}
	return out.Bytes(), nil
}

func sectionsOf(data []byte) ([]section, error) {
	var list []section
	r := &moduleReader{data: data}
	for r.at < len(data) && r.err == nil {
		id := r.byte()
		list = append(list, section{id, r.bytes(r.uint())})
	}
	return list, r.err
}

// A patch is under way from the first section to the last.
type patch struct {
	err                error
	functions, globals int // in the module so far; the new ones come after them
	signature          int // the type of functions that take and return nothing
}

// imports counts the functions and variables that come before the module's own.
func (p *patch) imports(body []byte) {
	r := &moduleReader{data: body}
	for range r.uint() {
		r.bytes(r.uint())
		r.bytes(r.uint())
		switch kind := r.byte(); kind {
		case 0:
			r.uint()
			p.functions++
		case exportGlobal:
			r.bytes(2)
			p.globals++
		default:
			r.err = fmt.Errorf("%w: it imports %d", errModule, kind)
		}
	}
	p.err = errors.Join(p.err, r.err)
}

// section returns the changed content of a section.
func (p *patch) section(s section) []byte {
	r := &moduleReader{data: s.body}
	switch s.id {
	case typeSection:
		p.signature = r.uint()
		return added(r, p.signature, 1, []byte{0x60, 0, 0})
	case functionSection:
		n := r.uint()
		p.functions += n
		return added(r, n, 1, uvarint(p.signature))
	case globalSection:
		n := r.uint()
		p.globals += n
		const i32, variable, end = 0x7F, 1, 0x0B
		start := append([]byte{i32, variable, 0x41}, svarint(turns)...)
		return added(r, n, 3, append(start, end, i32, variable, 0x41, 0, end, i32, variable, 0x41, 0, end))
	case exportSection:
		n := r.uint()
		return added(r, n, 2, append(exported(stopVariable, p.stop()), exported(pausesVariable, p.pauses())...))
	case codeSection:
		return p.code(r)
	}
	return s.body
}

// The new variables are the last ones, and so is the new function.
func (p *patch) left() int   { return p.globals }
func (p *patch) stop() int   { return p.globals + 1 }
func (p *patch) pauses() int { return p.globals + 2 }

// exported is the entry of a variable among what a module exports.
func exported(name string, variable int) []byte {
	return bytes.Join([][]byte{uvarint(len(name)), []byte(name), {exportGlobal}, uvarint(variable)}, nil)
}

// added returns the rest of a section of n entries, and some more.
func added(r *moduleReader, n, more int, entries []byte) []byte {
	return bytes.Join([][]byte{uvarint(n + more), r.data[r.at:], entries}, nil)
}

// code changes all functions, and adds the one that they call.
func (p *patch) code(r *moduleReader) []byte {
	n := r.uint()
	out := bytes.NewBuffer(make([]byte, 0, len(r.data)+len(r.data)/4))
	out.Write(uvarint(n + 1))
	turn := p.turn()
	var body []byte
	for range n {
		f := &moduleReader{data: r.bytes(r.uint())}
		body = f.function(body[:0], turn)
		r.err = errors.Join(r.err, f.err)
		if r.err != nil {
			break
		}
		out.Write(uvarint(len(body)))
		out.Write(body)
	}
	body = p.pause()
	out.Write(uvarint(len(body)))
	out.Write(body)
	p.err = errors.Join(p.err, r.err)
	return out.Bytes()
}

// turn is what each loop starts with: one less is left, and at none the function is
// called.
func (p *patch) turn() []byte {
	return bytes.Join([][]byte{
		{0x23}, uvarint(p.left()), {0x41, 0x7F, 0x6A, 0x24}, uvarint(p.left()), // left += -1
		{0x23}, uvarint(p.left()), {0x45, 0x04, 0x40, 0x10}, uvarint(p.functions), {0x0B}, // if left == 0, call
	}, nil)
}

// pause is the new function. Asking for no more memory is what leaves the engine's
// code: Go can then collect its garbage, and other goroutines run.
func (p *patch) pause() []byte {
	return bytes.Join([][]byte{
		{0}, {0x41, 0, 0x40, 0, 0x1A}, // no local variables; memory.grow 0
		{0x41}, svarint(turns), {0x24}, uvarint(p.left()), // left = turns
		{0x23}, uvarint(p.stop()), {0x04, 0x40, 0x00, 0x0B}, // if stop, unreachable
		{0x23}, uvarint(p.pauses()), {0x41, 0x7F, 0x6A, 0x24}, uvarint(p.pauses()), // pauses += -1
		{0x23}, uvarint(p.pauses()), {0x45, 0x04, 0x40, 0x00, 0x0B}, // if pauses == 0, unreachable
		{0x0B},
	}, nil)
}

// A moduleReader reads the pieces that modules are made of.
type moduleReader struct {
	data []byte
	at   int
	err  error
}

func (r *moduleReader) fail() {
	r.err = errModule
	r.at = len(r.data)
}

func (r *moduleReader) byte() byte {
	if r.at >= len(r.data) {
		r.fail()
		return 0
	}
	r.at++
	return r.data[r.at-1]
}

func (r *moduleReader) bytes(n int) []byte {
	if n < 0 || n > len(r.data)-r.at {
		r.fail()
		return nil
	}
	r.at += n
	return r.data[r.at-n : r.at]
}

func (r *moduleReader) uint() int {
	v, n := binary.Uvarint(r.data[r.at:])
	if n <= 0 || v > 1<<32 {
		r.fail()
		return 0
	}
	r.at += n
	return int(v)
}

// number skips a number of any width, with a sign or without.
func (r *moduleReader) number() {
	for r.byte()&0x80 != 0 {
	}
}

func (r *moduleReader) numbers(n int) {
	for range n {
		r.number()
	}
}

// function appends the body of a function to out, with turn in each loop.
func (r *moduleReader) function(out, turn []byte) []byte {
	for range r.uint() {
		r.number()
		r.byte()
	}
	copied := 0
	for r.at < len(r.data) && r.err == nil {
		op := r.byte()
		r.immediate(op)
		if op == opLoop {
			out = append(append(out, r.data[copied:r.at]...), turn...)
			copied = r.at
		}
	}
	return append(out, r.data[copied:]...)
}

const opLoop = 0x03

// immediate skips what follows an instruction. The table is that of the
// specification of WebAssembly 2.0.
func (r *moduleReader) immediate(op byte) {
	switch {
	case op == 0x0E: // br_table
		r.numbers(r.uint() + 1)
	case op == 0x11, 0x28 <= op && op <= 0x3E: // call_indirect, loads and stores
		r.numbers(2)
	case 0x02 <= op && op <= 0x04, op == 0x0C, op == 0x0D, op == 0x10, 0x20 <= op && op <= 0x26, 0x3F <= op && op <= 0x42, op == 0xD0, op == 0xD2:
		r.number()
	case op == 0x1C: // select with types
		r.numbers(r.uint())
	case op == 0x43:
		r.bytes(4)
	case op == 0x44:
		r.bytes(8)
	case op == 0xFC:
		r.prefixed()
	case op <= 0x01, op == 0x05, op == 0x0B, op == 0x0F, op == 0x1A, op == 0x1B, 0x45 <= op && op <= 0xC4, op == 0xD1:
	default:
		r.err = fmt.Errorf("%w: instruction %#x", errModule, op)
	}
}

// prefixed skips an instruction of two numbers: of memory, tables, and conversion.
func (r *moduleReader) prefixed() {
	switch op := r.uint(); {
	case op <= 7:
	case op == 8 || op == 10 || op == 12 || op == 14:
		r.numbers(2)
	case op == 9 || op == 11 || op == 13 || 15 <= op && op <= 17:
		r.number()
	default:
		r.err = fmt.Errorf("%w: instruction 0xfc %d", errModule, op)
	}
}

func uvarint(n int) []byte { return binary.AppendUvarint(nil, uint64(n)) }

// svarint returns a number with a sign that is not negative.
func svarint(n int) []byte {
	var b []byte
	for ; n > 0x3F; n >>= 7 {
		b = append(b, byte(n)|0x80)
	}
	return append(b, byte(n))
}

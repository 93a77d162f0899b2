package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// A file can be made so that the engine never returns. The runtime can check a limit in each
// iteration of each loop, but leaves compiled code for that, which takes longer than the
// engine itself. So the code is changed before it is compiled: each loop counts down and only
// once in many iterations calls a function that lets Go run and traps if an exported variable
// requests it.
const (
	stopVariable   = "otisk_stop"   // stops the engine once it is not 0
	pausesVariable = "otisk_pauses" // remaining calls of that function: a limit that is the same on every machine
)

// turns is the number of iterations between two checks of the variables: some tenths of a
// millisecond.
const turns = 1 << 16

var errModule = errors.New("unexpected engine")

// The header of a module, its sections, and kinds of exports.
const (
	moduleHeader = 8

	typeSection     = 1
	importSection   = 2
	functionSection = 3
	globalSection   = 6
	exportSection   = 7
	codeSection     = 10

	exportFunction = 0
	exportMemory   = 2
	exportGlobal   = 3
)

// A section is a part of a module.
type section struct {
	id   byte
	body []byte
}

// patched returns the module with breaks in its loops, without code that is never reached from the called functions, and
// with no other functions among its exports.
func patched(module []byte, called []string) ([]byte, error) {
	if len(module) < moduleHeader || string(module[:4]) != "\x00asm" {
		return nil, errModule
	}
	sections, err := sectionsOf(module[moduleHeader:])
	if err != nil {
		return nil, err
	}
	m := &patch{called: called}
	for _, s := range sections {
		if s.id == importSection {
			m.imports(s.body)
		}
	}
	if m.err == nil {
		m.reached, m.err = reachedIn(sections, m.functions, called)
	}
	for i, s := range sections {
		sections[i].body = m.section(s)
	}
	if m.err != nil {
		return nil, m.err
	}
	return moduleOf(sections), nil
}

// moduleOf returns the module with these sections.
func moduleOf(sections []section) []byte {
	parts := [][]byte{[]byte("\x00asm\x01\x00\x00\x00")}
	for _, s := range sections {
		parts = append(parts, []byte{s.id}, uvarint(len(s.body)), s.body)
	}
	return bytes.Join(parts, nil)
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

// A patch is the state while sections are changed in order.
type patch struct {
	err                error
	called             []string // functions that stay exported
	reached            []bool   // functions that are not left empty
	functions, globals int      // in the module so far; new ones follow them
	signature          int      // the type of functions without parameters and results
}

// imports counts the imported functions and variables, which precede the module's own.
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
		return p.exports(r)
	case codeSection:
		return p.code(r)
	}
	return s.body
}

// The new variables and the new function are the last ones.
func (p *patch) left() int   { return p.globals }
func (p *patch) stop() int   { return p.globals + 1 }
func (p *patch) pauses() int { return p.globals + 2 }

// exports returns the memory, the called functions and the new variables as exports.
func (p *patch) exports(r *moduleReader) []byte {
	list := [][]byte{exported(stopVariable, p.stop()), exported(pausesVariable, p.pauses())}
	r.each(func() {
		start := r.at
		name := string(r.bytes(r.uint()))
		kind := r.byte()
		r.number()
		if kind == exportMemory || kind == exportFunction && slices.Contains(p.called, name) {
			list = append(list, r.data[start:r.at])
		}
	})
	p.err = errors.Join(p.err, r.err)
	return append(uvarint(len(list)), bytes.Join(list, nil)...)
}

// exported returns the export entry of a variable.
func exported(name string, variable int) []byte {
	return bytes.Join([][]byte{uvarint(len(name)), []byte(name), {exportGlobal}, uvarint(variable)}, nil)
}

// added returns the rest of a section of n entries with more entries appended.
func added(r *moduleReader, n, more int, entries []byte) []byte {
	return bytes.Join([][]byte{uvarint(n + more), r.data[r.at:], entries}, nil)
}

// code changes all functions and adds the new one.
func (p *patch) code(r *moduleReader) []byte {
	const trap = "\x03\x00\x00\x0B" // three bytes: no local variables; unreachable
	n := r.uint()
	out := bytes.NewBuffer(make([]byte, 0, len(r.data)+len(r.data)/4))
	out.Write(uvarint(n + 1))
	turn := p.turn()
	var body []byte
	for i := range n {
		f := &moduleReader{data: r.bytes(r.uint())}
		if !p.reached[i] {
			out.WriteString(trap)
			continue
		}
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

// turn is the code at the start of each loop: it decrements left and calls the function at 0.
func (p *patch) turn() []byte {
	return bytes.Join([][]byte{
		{0x23}, uvarint(p.left()), {0x41, 0x7F, 0x6A, 0x24}, uvarint(p.left()), // left += -1
		{0x23}, uvarint(p.left()), {0x45, 0x04, 0x40, 0x10}, uvarint(p.functions), {0x0B}, // if left == 0, call
	}, nil)
}

// pause is the new function. Growing memory by 0 leaves compiled code, so that Go can collect
// garbage and run other goroutines.
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

// A moduleReader decodes the elements of a module.
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

// each calls read for each item of a list, which its length precedes, up to the first error.
func (r *moduleReader) each(read func()) {
	for n := r.uint(); n > 0 && r.err == nil; n-- {
		read()
	}
}

// number skips a LEB128 number, signed or unsigned.
func (r *moduleReader) number() {
	for r.byte()&0x80 != 0 {
	}
}

func (r *moduleReader) numbers(n int) {
	for range n {
		r.number()
	}
}

// locals skips the local variables of a function.
func (r *moduleReader) locals() {
	for range r.uint() {
		r.number()
		r.byte()
	}
}

// function appends the body of a function to out, with turn at the start of each loop.
func (r *moduleReader) function(out, turn []byte) []byte {
	r.locals()
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

const (
	opLoop = 0x03
	opEnd  = 0x0B
)

// immediate skips the immediate operands of an instruction, by the table of the specification
// of WebAssembly 3.0.
func (r *moduleReader) immediate(op byte) {
	switch {
	case op == 0x0E: // br_table
		r.numbers(r.uint() + 1)
	case op == 0x11, 0x28 <= op && op <= 0x3E: // call_indirect, loads and stores
		r.numbers(2)
	case op == 0x1F: // try_table
		r.number()
		r.each(r.catch)
	case 0x02 <= op && op <= 0x04, op == 0x08, op == 0x0C, op == 0x0D, op == 0x10, 0x20 <= op && op <= 0x26, 0x3F <= op && op <= 0x42, op == 0xD0, op == 0xD2:
		r.number()
	case op == 0x1C: // select with types
		r.numbers(r.uint())
	case op == 0x43:
		r.bytes(4)
	case op == 0x44:
		r.bytes(8)
	case op == 0xFC:
		r.prefixed()
	case op == 0xFD:
		r.vector()
	case op <= 0x01, op == 0x05, op == 0x0A, op == 0x0B, op == 0x0F, op == 0x1A, op == 0x1B, 0x45 <= op && op <= 0xC4, op == 0xD1:
	default:
		r.err = fmt.Errorf("%w: instruction %#x", errModule, op)
	}
}

// prefixed skips an instruction with prefix 0xFC: memory, tables and conversion.
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

// catch skips a clause of try_table: one for a tag or for all exceptions, and the label to which it branches.
func (r *moduleReader) catch() {
	if kind := r.byte(); kind < 2 {
		r.number()
	}
	r.number()
}

// vector skips an instruction with prefix 0xFD.
func (r *moduleReader) vector() {
	switch op := r.uint(); {
	case op <= 11, op == 92, op == 93: // loads and stores
		r.numbers(2)
	case op == 12, op == 13: // a constant, and a shuffle
		r.bytes(16)
	case 21 <= op && op <= 34: // lanes
		r.byte()
	case 84 <= op && op <= 91: // loads and stores of lanes
		r.numbers(2)
		r.byte()
	case op <= 255:
	default:
		r.err = fmt.Errorf("%w: instruction 0xfd %d", errModule, op)
	}
}

func uvarint(n int) []byte { return binary.AppendUvarint(nil, uint64(n)) }

// svarint encodes a non-negative number as signed LEB128.
func svarint(n int) []byte {
	var b []byte
	for ; n > 0x3F; n >>= 7 {
		b = append(b, byte(n)|0x80)
	}
	return append(b, byte(n))
}

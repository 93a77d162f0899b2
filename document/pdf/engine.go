// Package pdf takes the lines of text out of PDF files, with their places on
// the page.
//
// The engine is PDFium, compiled to WebAssembly: it reads what browsers read,
// needs no C compiler, and what a hostile file does to it stays in its own
// bounded memory. Each file has an instance of its own. [Ready] and [Read] are all
// that is to be called; the first call compiles the engine, which takes some seconds
// once and little later, since the result is kept in the user's cache folder.
package pdf

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	_ "unsafe" // for the engine's code

	_ "github.com/klippa-app/go-pdfium/webassembly" // has it
	"github.com/klippa-app/go-pdfium/webassembly/imports"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
)

// pdfiumCode is PDFium as a module of WebAssembly. Its package runs it, too, but looks each
// function up in each call, and allocates what each returns: that took as long as PDFium.
//
//go:linkname pdfiumCode github.com/klippa-app/go-pdfium/webassembly.pdfiumWasm
var pdfiumCode []byte

// Errors that callers decide on.
var (
	ErrDamaged   = errors.New("not a whole PDF")
	ErrEncrypted = errors.New("encrypted with a password")
	ErrTooLarge  = errors.New("more text than the limit")
)

// The engine has its memory by pages of 64 KB, 4 GB at most.
const (
	memoryPage    = 64 << 10
	leastPages    = 64 << 20 / memoryPage // what the engine needs to start, and little more
	mostPages     = 1 << 16
	defaultMemory = 1 << 30
)

// Options bound the reading of one file.
type Options struct {
	MaxText int   // bytes of text
	Memory  int64 // bytes that the engine may take, the file itself included; 0 for 1 GB
}

// pages returns how many pages of memory the engine may take.
func (o Options) pages() uint32 {
	if o.Memory <= 0 {
		return defaultMemory / memoryPage
	}
	return uint32(min(max(o.Memory/memoryPage, leastPages), mostPages))
}

// An engine is the compiled one for a limit of memory.
type engine struct {
	compile func() (*program, error) // once
	slots   chan struct{}            // one for each that runs
}

// engines are known by their limit of memory.
var engines struct {
	mu sync.Mutex
	by map[uint32]*engine
}

// engine returns the one that may take so much memory.
func (o Options) engine() *engine {
	pages := o.pages()
	engines.mu.Lock()
	defer engines.mu.Unlock()
	if engines.by == nil {
		engines.by = map[uint32]*engine{}
	}
	e := engines.by[pages]
	if e == nil {
		e = &engine{
			compile: sync.OnceValues(func() (*program, error) { return compile(pages) }),
			slots:   make(chan struct{}, runtime.GOMAXPROCS(0)),
		}
		engines.by[pages] = e
	}
	return e
}

// Ready waits until a file can be read with these options: for the engine to be
// compiled, and for others to be done with theirs. done is to be called after the
// reading. Who waits so does not spend on it the time that the file may take.
func Ready(ctx context.Context, opts Options) (done func(), err error) {
	e := opts.engine()
	if _, err := e.compile(); err != nil {
		return nil, fmt.Errorf("start PDF engine: %w", err)
	}
	select {
	case e.slots <- struct{}{}:
		return func() { <-e.slots }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// A program is the engine's code, made for this processor.
type program struct {
	runtime wazero.Runtime
	code    wazero.CompiledModule
}

// compile compiles the engine. It sees no folder of the machine.
func compile(pages uint32) (*program, error) {
	module, err := interruptible(pdfiumCode)
	if err != nil {
		return nil, err
	}
	rc := wazero.NewRuntimeConfig().WithMemoryLimitPages(pages)
	if dir, err := os.UserCacheDir(); err == nil {
		if cache, err := wazero.NewCompilationCacheWithDir(filepath.Join(dir, "otisk", "pdf")); err == nil {
			rc = rc.WithCompilationCache(cache)
		}
	}
	ctx := context.Background()
	p := &program{runtime: wazero.NewRuntimeWithConfig(ctx, rc)}
	if _, err := wasi_snapshot_preview1.Instantiate(ctx, p.runtime); err != nil {
		return nil, err
	}
	if p.code, err = p.runtime.CompileModule(ctx, module); err != nil {
		return nil, err
	}
	_, err = imports.Instantiate(ctx, p.runtime, p.code)
	return p, err
}

// machine starts the engine.
func (p *program) machine() (*machine, error) {
	config := wazero.NewModuleConfig().WithStartFunctions("_initialize").WithName("").
		WithStdout(io.Discard).WithStderr(io.Discard).WithRandSource(rand.Reader).WithFSConfig(wazero.NewFSConfig())
	module, err := p.runtime.InstantiateModule(withMemory(context.Background()), p.code, config)
	if err != nil {
		return nil, err
	}
	m := &machine{module: module}
	if err := m.start(); err != nil {
		m.close()
		return nil, err
	}
	return m, nil
}

// Read takes the text out of a PDF file. [Ready] comes before it.
func Read(ctx context.Context, data []byte, opts Options) (*File, error) {
	program, err := opts.engine().compile()
	if err != nil {
		return nil, fmt.Errorf("start PDF engine: %w", err)
	}
	f, err := program.read(ctx, data, opts, drawPauses)
	if errors.Is(err, errSlow) {
		f, err = program.read(ctx, data, opts, 0)
	}
	if err != nil {
		return nil, reason(ctx, err)
	}
	return f, nil
}

// errSlow is why a file is read once more, without its pages being drawn: the engine
// was ended while it drew one.
var errSlow = errors.New("takes too long to draw")

// read reads a file with an engine of its own, which may draw for so many pauses.
func (p *program) read(ctx context.Context, data []byte, opts Options, pauses int) (*File, error) {
	m, err := p.machine()
	if err != nil {
		return nil, fmt.Errorf("start PDF engine: %w", err)
	}
	defer m.close()
	stop := context.AfterFunc(ctx, m.stop)
	defer stop()
	return (&reader{ctx: ctx, engine: m, left: opts.MaxText, pauses: pauses, blind: pauses == 0}).file(data)
}

// reason returns why the reading ended: the limit of time, what the file is, or
// damage.
func reason(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, ErrTooLarge), errors.Is(err, ErrEncrypted):
		return err
	}
	return fmt.Errorf("%w: %w", ErrDamaged, err)
}

// file reads all pages.
func (r *reader) file(data []byte) (*File, error) {
	if err := r.open(data); err != nil {
		return nil, err
	}
	f := &File{Title: r.meta("Title"), Author: r.meta("Author")}
	for i := range r.engine.int(fnPageCount, uint64(r.doc)) {
		// A page that cannot be read must not lose the others: it is empty, and
		// counted.
		p, err := r.page(i)
		if r.ctx.Err() != nil {
			return nil, context.Cause(r.ctx)
		}
		if errors.Is(err, ErrTooLarge) || errors.Is(err, errSlow) {
			return nil, err
		}
		if err != nil {
			f.Broken++
		}
		f.Pages = append(f.Pages, p)
	}
	if r.waited(f); r.pauses <= 0 && !r.blind {
		return nil, errSlow
	}
	r.apostrophes(f)
	f.Labels = r.labels(len(f.Pages))
	f.Filled = r.xfa()
	f.Undrawn, f.Unsure, f.Many = r.blind, r.unsure, r.many
	f.Strange, f.Jumbles, f.Compared = r.strange, r.jumbles, r.drawn
	return f, nil
}

// What the engine says of a file that it does not open.
const (
	lastPassword = 4
	lastSecurity = 5
)

// open loads the file into the engine.
func (r *reader) open(data []byte) error {
	m := r.engine
	at := m.put(data)
	if at == 0 {
		return errors.Join(errors.New("more memory than the limit"), m.err)
	}
	r.doc = m.handle(fnLoadDocument, uint64(at), uint64(len(data)), 0)
	if r.doc != 0 {
		return m.err
	}
	switch code := m.int(fnLastError); {
	case m.err != nil:
		return m.err
	case code == lastPassword, code == lastSecurity:
		return ErrEncrypted
	default:
		return fmt.Errorf("the engine says %d", code)
	}
}

// meta returns an entry of what the file says of itself.
func (r *reader) meta(tag string) string {
	m := r.engine
	name := m.put(append([]byte(tag), 0))
	defer m.free(name)
	return m.text16(r.left, fnMetaText, uint64(r.doc), uint64(name))
}

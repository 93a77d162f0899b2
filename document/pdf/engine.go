// Package pdf extracts the lines of text of PDF files with their positions.
//
// The engine is PDFium, compiled to WebAssembly: it reads the files that browsers read, needs
// no C compiler, and confines hostile files to its own limited memory. Each file has its own
// instance. Call [Ready], then [Read]. The first call compiles the engine, which takes some
// seconds; the result is cached in the user's cache folder.
package pdf

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"github.com/otisk/otisk/lang/phrase"
)

// Errors on which callers decide.
var (
	ErrDamaged   error = phrase.Error("cause.pdf-incomplete", "incomplete PDF")
	ErrEncrypted error = phrase.Error("said.encrypted", "encrypted with a password")
	ErrTooLarge  error = phrase.Error("cause.text-over-limit", "more text than the limit")
)

// The engine has memory in pages of 64 KB, up to 4 GB.
const (
	memoryPage    = 64 << 10
	leastPages    = 64 << 20 / memoryPage // slightly more than the engine needs to start
	mostPages     = 1 << 16
	defaultMemory = 1 << 30
)

// Options limit the reading of one file.
type Options struct {
	MaxText int   // maximum text in bytes
	Memory  int64 // maximum memory of the engine in bytes, the file included; 0 for 1 GB
}

// pages returns the maximum number of memory pages.
func (o Options) pages() uint32 {
	if o.Memory <= 0 {
		return defaultMemory / memoryPage
	}
	return uint32(min(max(o.Memory/memoryPage, leastPages), mostPages))
}

// An engine is the compiled engine for one limit of memory.
type engine struct {
	compile func() (*program, error) // runs once
	slots   chan struct{}            // one for each running instance
}

// engines holds the engines by their limit of memory.
var engines struct {
	mu sync.Mutex
	by map[uint32]*engine
}

// engine returns the engine for the limit of memory.
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

// Ready waits until a file can be read with these options: until the engine is compiled and a
// slot is free. The caller calls done after reading. Waiting here does not count against the
// limit of time of a file.
func Ready(ctx context.Context, opts Options) (done func(), err error) {
	e := opts.engine()
	if _, err := e.compile(); err != nil {
		return nil, phrase.Error("cause.pdf-start", "start PDF engine: {cause}", "cause", err)
	}
	select {
	case e.slots <- struct{}{}:
		return func() { <-e.slots }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// A program is the engine compiled for this processor.
type program struct {
	runtime wazero.Runtime
	code    wazero.CompiledModule
	imports []byte // the start of the module up to its imports
}

// features are the parts of WebAssembly that the engine uses.
const features = api.CoreFeaturesV2 | experimental.CoreFeaturesExceptionHandling

// compile compiles the engine without access to the file system.
func compile(pages uint32) (*program, error) {
	p, err := cached(cachePath(), unpacked, pages)
	if err != nil {
		return nil, err
	}
	return p, p.provideImports(context.Background())
}

// provideImports provides the functions that the engine imports: those of WASI, and callbacks of its interface, which nothing
// here sets and which return 0. To list them, the runtime would describe all functions of the
// engine, so it is given a module with imports only.
func (p *program) provideImports(ctx context.Context) error {
	if _, err := wasi_snapshot_preview1.Instantiate(ctx, p.runtime); err != nil {
		return err
	}
	lister := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigInterpreter().WithCoreFeatures(features))
	defer lister.Close(ctx)
	list, err := lister.CompileModule(ctx, p.imports)
	if err != nil {
		return err
	}
	env := p.runtime.NewHostModuleBuilder("env")
	zero := api.GoFunc(func(_ context.Context, stack []uint64) { clear(stack) })
	for _, f := range list.ImportedFunctions() {
		if module, name, _ := f.Import(); module == "env" {
			env.NewFunctionBuilder().WithGoFunction(zero, f.ParamTypes(), f.ResultTypes()).Export(name)
		}
	}
	_, err = env.Instantiate(ctx)
	return err
}

// close releases the compiled engine.
func (p *program) close() { _ = p.runtime.Close(context.Background()) }

// machine starts an instance.
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

// Read extracts the text of a PDF file. Call [Ready] first.
func Read(ctx context.Context, data []byte, opts Options) (*File, error) {
	program, err := opts.engine().compile()
	if err != nil {
		return nil, phrase.Error("cause.pdf-start", "start PDF engine: {cause}", "cause", err)
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

// errSlow reports that rendering a page exceeded its limit, so that the file is read again
// without rendering.
var errSlow error = phrase.Error("cause.pdf-slow", "takes too long to draw")

// read reads a file with an instance of its own, whose rendering is limited to pauses.
func (p *program) read(ctx context.Context, data []byte, opts Options, pauses int) (*File, error) {
	m, err := p.machine()
	if err != nil {
		return nil, phrase.Error("cause.pdf-start", "start PDF engine: {cause}", "cause", err)
	}
	defer m.close()
	stop := context.AfterFunc(ctx, m.stop)
	defer stop()
	return (&reader{ctx: ctx, engine: m, left: opts.MaxText, pauses: pauses, blind: pauses == 0}).file(data, opts)
}

// reason returns why reading ended: the limit of time, an error of the file, or damage.
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
func (r *reader) file(data []byte, opts Options) (*File, error) {
	if err := r.open(data); err != nil {
		return nil, err
	}
	has := states(data, layerNames, patternNames, maskNames)
	r.layered, r.shaded, r.masks = has[0], has[1], has[2]
	r.patterned, r.uncoloured = bytes.Contains(data, []byte(patternNames[0])), uncoloured(data)
	r.blank = map[pictureKey]bool{}
	f := &File{Title: r.meta("Title"), Author: r.meta("Author")}
	for i := range r.engine.int(fnPageCount, uint64(r.doc)) {
		// An unreadable page does not stop the others: it stays empty and is counted.
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
	for i := range f.Pages {
		r.shownFields(i, &f.Pages[i])
	}
	r.apostrophes(f)
	f.Labels = r.labels(len(f.Pages))
	f.Filled = r.xfa()
	f.Attached, f.Omitted = r.attached(int64(opts.MaxText))
	f.Portfolio = len(f.Attached) > 0 && states(data, []string{"/Collection"})[0]
	f.Undrawn, f.Unsure, f.Unproved, f.Many = r.blind, r.unsure, r.unproved, r.many
	f.Strange, f.Jumbles, f.Compared = r.strange, r.jumbles, r.drawn
	return f, nil
}

// Error codes of the engine for files that it cannot open.
const (
	lastPassword = 4
	lastSecurity = 5
)

// open loads the file into the engine.
func (r *reader) open(data []byte) error {
	m := r.engine
	at := m.put(data)
	if at == 0 {
		return errors.Join(phrase.Error("cause.pdf-memory", "more memory than the limit"), m.err)
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
		return phrase.Error("cause.pdf-engine", "the PDF engine cannot open it, error {code}", "code", code)
	}
}

// meta returns an entry of the metadata.
func (r *reader) meta(tag string) string {
	m := r.engine
	name := m.put(append([]byte(tag), 0))
	defer m.free(name)
	return m.text16(r.left, fnMetaText, uint64(r.doc), uint64(name))
}

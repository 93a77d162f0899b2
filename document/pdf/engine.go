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
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"sync"

	"github.com/klippa-app/go-pdfium"
	pdfiumerrors "github.com/klippa-app/go-pdfium/errors"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/webassembly"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

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
	start func() (pdfium.Pool, error) // compiles it, once
	slots chan struct{}               // one for each that runs
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
			start: sync.OnceValues(func() (pdfium.Pool, error) { return compile(pages) }),
			slots: make(chan struct{}, runtime.GOMAXPROCS(0)),
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
	if _, err := e.start(); err != nil {
		return nil, fmt.Errorf("start PDF engine: %w", err)
	}
	select {
	case e.slots <- struct{}{}:
		return func() { <-e.slots }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// compile compiles the engine. It sees no folder of the machine.
func compile(pages uint32) (pdfium.Pool, error) {
	rc := wazero.NewRuntimeConfig().WithCloseOnContextDone(true).WithMemoryLimitPages(pages)
	if dir, err := os.UserCacheDir(); err == nil {
		if cache, err := wazero.NewCompilationCacheWithDir(filepath.Join(dir, "otisk", "pdf")); err == nil {
			rc = rc.WithCompilationCache(cache)
		}
	}
	return webassembly.Init(webassembly.Config{
		Context:       withMemory(context.Background()),
		MaxTotal:      runtime.GOMAXPROCS(0),
		RuntimeConfig: rc,
		FSConfig:      wazero.NewFSConfig(),
		Stdout:        io.Discard,
		Stderr:        io.Discard,
	})
}

// Read takes the text out of a PDF file. [Ready] comes before it.
func Read(ctx context.Context, data []byte, opts Options) (f *File, err error) {
	pool, err := opts.engine().start()
	if err != nil {
		return nil, fmt.Errorf("start PDF engine: %w", err)
	}
	instance, err := pool.GetInstanceWithContext(ctx)
	if err != nil {
		return nil, reason(ctx, err)
	}
	module, err := moduleOf(instance)
	if err != nil {
		return nil, err
	}
	memory := firstByte(module)
	stop := context.AfterFunc(ctx, func() { _ = module.Close(context.WithoutCancel(ctx)) })
	defer func() {
		// The engine's own code may stop anywhere when a file breaks it.
		if p := recover(); p != nil {
			f, err = nil, reason(ctx, fmt.Errorf("the engine stopped: %v", p))
		}
		stop()
		_ = instance.Close()
		release(memory)
	}()
	f, err = (&reader{ctx: ctx, engine: instance, left: opts.MaxText}).file(data)
	if err != nil {
		return nil, reason(ctx, err)
	}
	return f, nil
}

// moduleOf returns the module that an instance runs in, which may be closed while
// it runs. The instance has a Kill of its own, but it must not be called while
// another call is under way, which is when it is needed.
func moduleOf(instance pdfium.Pdfium) (api.Module, error) {
	field := reflect.Indirect(reflect.ValueOf(instance.GetImplementation())).FieldByName("Module")
	if field.IsValid() {
		if module, ok := field.Interface().(api.Module); ok {
			return module, nil
		}
	}
	return nil, errors.New("start PDF engine: another version than expected")
}

// reason returns why the reading ended: the limit of time, what the file is, or
// damage.
func reason(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, ErrTooLarge):
		return err
	case errors.Is(err, pdfiumerrors.ErrPassword), errors.Is(err, pdfiumerrors.ErrSecurity):
		return ErrEncrypted
	}
	return fmt.Errorf("%w: %w", ErrDamaged, err)
}

// file reads all pages.
func (r *reader) file(data []byte) (*File, error) {
	opened, err := r.engine.OpenDocument(&requests.OpenDocument{File: &data})
	if err != nil {
		return nil, err
	}
	r.doc = opened.Document
	count, err := r.engine.FPDF_GetPageCount(&requests.FPDF_GetPageCount{Document: r.doc})
	if err != nil {
		return nil, err
	}
	f := &File{Title: r.meta("Title"), Author: r.meta("Author")}
	for i := range count.PageCount {
		if r.ctx.Err() != nil {
			return nil, context.Cause(r.ctx)
		}
		// A page that cannot be read must not lose the others: it is empty, and
		// counted.
		p, err := r.page(i)
		if errors.Is(err, ErrTooLarge) {
			return nil, err
		}
		if err != nil {
			f.Broken++
		}
		f.Pages = append(f.Pages, p)
	}
	r.apostrophes(f)
	return f, nil
}

func (r *reader) meta(tag string) string {
	m, err := r.engine.FPDF_GetMetaText(&requests.FPDF_GetMetaText{Document: r.doc, Tag: tag})
	if err != nil {
		return ""
	}
	return m.Value
}

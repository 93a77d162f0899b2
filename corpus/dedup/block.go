package dedup

import (
	"context"
	"fmt"
	"runtime"
	"sync"

	"github.com/otisk/otisk/corpus"
	"github.com/otisk/otisk/internal/closing"
)

// A block is a parsed piece of the collection, with whole documents.
type block struct {
	*corpus.Block
	file   int // its number
	path   string
	layout layout

	lines []uint32 // ends of lines, for JSON Lines
	cuts  []uint32 // starts of paragraphs in the text, for other forms than vertical
	docs  []doc
	pars  []par
	grams []gram // where they are hashed
	toks  uint32 // tokens
	bad   []problem

	separators corpus.Separators
	out        []byte
}

// A doc is a document in a block. Its paragraphs end where the next one's begin.
type doc struct {
	par, token uint32 // the first ones
	from, to   uint32 // bytes, for other forms than vertical
	empty      bool   // it is dropped: none of its paragraphs with tokens is kept
}

type par struct {
	at     uint32 // where it starts, for vertical files
	token  uint32 // the first one
	tuples uint32 // n-grams that end in it, where the rule counts them
	bad    bool
}

type gram struct {
	hash  uint64
	token uint32
}

type problem struct {
	where string
	err   error
}

// A layout parses and formats one form of files.
type layout interface {
	// parse finds the documents, paragraphs, and tokens of a block, and its
	// n-grams if it was made to.
	parse(b *block)
	// format appends the output for the block to b.out.
	format(b *block, mark bool)
}

var blocks = sync.Pool{New: func() any { return new(block) }}

// reset makes a block ready for another piece.
func (b *block) reset(piece *corpus.Block) {
	b.Block = piece
	b.lines, b.cuts, b.docs, b.pars = b.lines[:0], b.cuts[:0], b.docs[:0], b.pars[:0]
	b.grams, b.bad, b.out, b.toks = b.grams[:0], b.bad[:0], b.out[:0], 0
	b.separators = corpus.Separators{}
}

// end returns where document i ends: the paragraph after its last, and the token.
func (b *block) end(i int) (par, token uint32) {
	if i+1 < len(b.docs) {
		return b.docs[i+1].par, b.docs[i+1].token
	}
	return uint32(len(b.pars)), b.toks
}

func (b *block) tokens(i uint32) uint32 {
	if int(i)+1 < len(b.pars) {
		return b.pars[i+1].token - b.pars[i].token
	}
	return b.toks - b.pars[i].token
}

// A pass reads the collection. turn is called with each block in order. finish, if
// not nil, is called after it, for several blocks at once. write is called with the
// output in order.
type pass struct {
	run    *run
	hash   bool
	turn   func(*block) error
	finish func(*block)
	write  func(*block) error
}

type moving struct {
	*block
	parsed, finished chan struct{}
}

func (p *pass) walk(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	workers := runtime.GOMAXPROCS(0)
	todo, order, written := make(chan *moving, workers), make(chan *moving, 2*workers), make(chan *moving, 2*workers)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel(nil)
	wg.Go(func() {
		defer close(order)
		defer close(todo)
		if err := p.read(ctx, func(m *moving) bool { return send(ctx, todo, m) && send(ctx, order, m) }); err != nil {
			cancel(err)
		}
	})
	for range workers {
		wg.Go(func() {
			for m := range todo {
				if !m.Over {
					m.layout.parse(m.block)
				}
				close(m.parsed)
			}
		})
	}
	done := make(chan struct{})
	wg.Go(func() {
		defer close(done)
		if err := p.writeAll(ctx, written); err != nil {
			cancel(err)
		}
	})
	p.turns(ctx, cancel, order, written)
	close(written)
	<-done
	return context.Cause(ctx)
}

func send(ctx context.Context, to chan<- *moving, m *moving) bool {
	select {
	case to <- m:
		return true
	case <-ctx.Done():
		return false
	}
}

func (p *pass) turns(ctx context.Context, cancel context.CancelCauseFunc, order <-chan *moving, written chan<- *moving) {
	for m := range order {
		select {
		case <-m.parsed:
		case <-ctx.Done():
			return
		}
		if err := p.turn(m.block); err != nil {
			cancel(err)
			return
		}
		if p.finish == nil {
			close(m.finished)
		} else {
			go func() {
				p.finish(m.block)
				close(m.finished)
			}()
		}
		if !send(ctx, written, m) {
			return
		}
	}
}

func (p *pass) writeAll(ctx context.Context, written <-chan *moving) error {
	for m := range written {
		<-m.finished
		if ctx.Err() != nil {
			continue
		}
		if p.write != nil {
			if err := p.write(m.block); err != nil {
				return err
			}
		}
		m.Block.Free()
		blocks.Put(m.block)
	}
	return nil
}

func (p *pass) read(ctx context.Context, put func(*moving) bool) error {
	for i := range p.run.files {
		if err := p.readFile(ctx, i, put); err != nil {
			return err
		}
	}
	return nil
}

func (p *pass) readFile(ctx context.Context, number int, put func(*moving) bool) (err error) {
	f := &p.run.files[number]
	l, err := p.run.layout(f, p.hash)
	if err != nil {
		return err
	}
	in, err := f.Open()
	if err != nil {
		return err
	}
	defer closing.Into(&err, in)
	each := func(piece *corpus.Block) error {
		b := blocks.Get().(*block)
		b.reset(piece)
		b.file, b.path, b.layout = number, f.Path, l
		if !put(&moving{b, make(chan struct{}), make(chan struct{})}) {
			return context.Cause(ctx)
		}
		return nil
	}
	if err = corpus.Blocks(ctx, in, f.Form, f.Tags.Doc, p.run.o.MaxDoc, each); err != nil && ctx.Err() == nil {
		err = fmt.Errorf("%s: %w", f.Path, err)
	}
	return err
}

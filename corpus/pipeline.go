package corpus

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"github.com/otisk/otisk/fingerprint"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/language"
)

// A unit is the input of one step of a worker: a block or a file whose documents
// are not parsed yet.
type unit[T any] struct {
	read    func(ctx context.Context, give func(*Doc, error)) error // passes documents and problems to give
	bytes   int64                                                   // that were read with it, for progress
	docs    []*Doc
	results []T
	bad     []problem
	seps    Separators
	left    LeftOut
	err     error
	done    chan struct{}
}

// A pipeline reads units in order, processes several at once, and passes the
// results to a sink in the order of the units.
type pipeline[T any] struct {
	in    *Input
	sink  func(*Doc, T) error
	sum   Summary
	ids   map[uint64]uint32 // by the hash of an id: the number that the next document with this id gets
	read  int64             // bytes
	total int64
}

func (p *pipeline[T]) run(ctx context.Context, newWorker func() func(*Doc) (T, error)) error {
	ctx, cancel := context.WithCancel(ctx)
	workers := cmp.Or(p.in.Workers, runtime.GOMAXPROCS(0))
	todo, order := make(chan *unit[T], workers), make(chan *unit[T], workers)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	for range workers {
		work := newWorker()
		wg.Go(func() {
			for u := range todo {
				u.work(ctx, p.in.Languages, work)
				close(u.done)
			}
		})
	}
	var readErr error
	wg.Go(func() {
		defer close(order)
		defer close(todo)
		readErr = p.produce(ctx, func(u *unit[T]) bool {
			u.done = make(chan struct{})
			return send(ctx, todo, u) && send(ctx, order, u)
		})
	})
	for u := range order {
		select {
		case <-u.done:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if err := p.finish(u); err != nil {
			return err
		}
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return readErr
}

func send[T any](ctx context.Context, to chan<- T, x T) bool {
	select {
	case to <- x:
		return true
	case <-ctx.Done():
		return false
	}
}

// work parses the documents of the unit and calls the worker with each that is in one of the
// languages.
func (u *unit[T]) work(ctx context.Context, languages []string, work func(*Doc) (T, error)) {
	u.err = u.read(ctx, func(d *Doc, err error) {
		if err != nil {
			u.bad = append(u.bad, problem{d.Where, err})
		}
		if d.norm == nil {
			return
		}
		if len(languages) > 0 {
			if code := language.CodeOf(d.Text); !slices.Contains(languages, code) {
				u.left.add(code)
				return
			}
		}
		result, err := work(d)
		if err != nil {
			u.bad = append(u.bad, problem{d.Where, err})
			return
		}
		if !d.parted {
			u.seps.Add(d.Text, d.mode)
		}
		u.docs, u.results = append(u.docs, d), append(u.results, result)
	})
	u.read = nil
}

// finish passes the results of a unit to the sink.
func (p *pipeline[T]) finish(u *unit[T]) error {
	for _, b := range u.bad {
		p.problem(b.where, b.err)
	}
	if u.err != nil {
		return u.err
	}
	p.sum.Separators.Merge(u.seps)
	p.sum.merge(u.left)
	for i, d := range u.docs {
		if p.in.Most > 0 && p.sum.Documents == p.in.Most {
			return phrase.Error("corpus.over-documents", "{cause}: over {most} documents", "cause", ErrTooMany, "most", p.in.Most)
		}
		d.N = p.sum.Documents
		p.distinguish(d)
		p.sum.Documents++
		p.sum.Bytes += int64(len(d.Text))
		if err := p.sink(d, u.results[i]); err != nil {
			return err
		}
	}
	p.read += u.bytes
	if p.in.Progress != nil {
		p.in.Progress(p.read, p.total)
	}
	return nil
}

func (p *pipeline[T]) problem(where string, err error) {
	p.sum.Problems++
	if p.in.Problem != nil {
		p.in.Problem(where, err)
	}
}

// errSameID reports a duplicate id. Its text is constant, so that messages can be grouped.
var errSameID error = phrase.Error("said.same-id", "another document has the same id; ~2 or a higher number is appended")

// distinguish appends a number to the id of a document if it is a duplicate.
func (p *pipeline[T]) distinguish(d *Doc) {
	key := hashOf(d.ID)
	next := p.ids[key]
	if next == 0 {
		p.ids[key] = 2
		return
	}
	id := d.ID
	for taken := true; taken; next++ {
		d.ID = fmt.Sprintf("%s~%d", id, next)
		taken = p.ids[hashOf(d.ID)] != 0
	}
	p.ids[key], p.ids[hashOf(d.ID)] = next, 2
	p.problem(fmt.Sprintf("%s (%s)", d.Where, d.ID), errSameID)
}

func hashOf(id string) uint64 { return fingerprint.Sum64([]byte(id)) }
